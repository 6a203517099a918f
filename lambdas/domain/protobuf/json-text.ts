import type { DescMessage } from '@bufbuild/protobuf';
import { TooLargeError } from '../errors.ts';
import { MAX_BODY_BYTES } from '../evidence/stream-record.ts';

/** Members by name, as protobuf messages and the oneofs in them hold them. */
type Members = Readonly<Record<string, unknown>>;

/**
 * Writes a message as OTLP/JSON: the protobuf JSON mapping (lowerCamelCase, 64-bit integers as
 * strings, bytes as base64, `"NaN"` and `"Infinity"`), but ids as lower-case hex and enums as
 * integers. Members with their default value are left out, except `key`, by which redaction judges
 * the value beside it. The same message always gives the same text.
 * @throws TooLargeError when the text is longer than a stream record may hold
 */
export function otlpJson(schema: DescMessage, message: Members): string {
  const writer = new JsonWriter();
  writer.message(schema, message);
  if (Buffer.byteLength(writer.text) > MAX_BODY_BYTES) throw tooLarge();
  return writer.text;
}

const tooLarge = () => new TooLargeError('the export, written as JSON,', MAX_BODY_BYTES);

class JsonWriter {
  text = '';

  message(schema: DescMessage, message: Members): void {
    // A character is a byte at least, so that a text is given up on before it has grown far.
    if (this.text.length > MAX_BODY_BYTES) throw tooLarge();
    let before = '{';
    for (const field of fieldsOf(schema)) {
      const value = memberOf(field, message);
      if (value === undefined) continue;
      this.text += before + field.label;
      before = ',';
      if (field.isList) this.#list(field, value as readonly unknown[]);
      else this.#value(field, value);
    }
    this.text += before === '{' ? '{}' : '}';
  }

  #list(field: Field, items: readonly unknown[]): void {
    let before = '[';
    for (const item of items) {
      this.text += before;
      before = ',';
      this.#value(field, item);
    }
    this.text += ']';
  }

  #value(field: Field, value: unknown): void {
    if (field.message) this.message(field.message, value as Members);
    else this.text += scalarText(field, value);
  }
}

/** What of a descriptor is needed for each value: looking it up anew takes most of the time. */
interface Field {
  /** `"traceId":` */
  readonly label: string;
  readonly name: string;
  readonly oneof: string | undefined;
  readonly message: DescMessage | undefined;
  readonly isList: boolean;
  readonly isId: boolean;
  readonly isKey: boolean;
}

const known = new WeakMap<DescMessage, readonly Field[]>();

function fieldsOf(schema: DescMessage): readonly Field[] {
  let fields = known.get(schema);
  if (!fields) {
    fields = schema.fields.map((field) => ({
      label: `"${field.jsonName}":`,
      name: field.localName,
      oneof: field.oneof?.localName,
      message: field.message,
      isList: field.fieldKind === 'list',
      isId: field.name.endsWith('_id'),
      isKey: field.name === 'key',
    }));
    known.set(schema, fields);
  }
  return fields;
}

/** The value of a field; undefined when it is to be left out. */
function memberOf({ name, oneof, isKey }: Field, message: Members): unknown {
  if (oneof !== undefined) {
    const chosen = message[oneof] as { case?: string; value?: unknown };
    return chosen.case === name ? chosen.value : undefined;
  }
  const value = message[name];
  return isDefault(value) && !isKey ? undefined : value;
}

function isDefault(value: unknown): boolean {
  if (typeof value === 'object') return (value as ArrayLike<unknown>).length === 0;
  return !value; // undefined, '', 0, 0n, false
}

function scalarText(field: Field, value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof Uint8Array) return `"${bytesText(field, value)}"`;
  if (typeof value === 'bigint') return `"${value}"`;
  if (typeof value === 'number') return numberText(value);
  return String(value);
}

function bytesText({ isId }: Field, { buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString(isId ? 'hex' : 'base64');
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) return `"${value}"`;
  return Object.is(value, -0) ? '-0' : String(value);
}
