import type { DescField, DescMessage } from '@bufbuild/protobuf';
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
    for (const field of schema.fields) {
      const value = memberOf(field, message);
      if (value === undefined) continue;
      this.text += `${before}"${field.jsonName}":`;
      before = ',';
      if (field.fieldKind === 'list') this.#list(field, value as readonly unknown[]);
      else this.#value(field, value);
    }
    this.text += before === '{' ? '{}' : '}';
  }

  #list(field: DescField, items: readonly unknown[]): void {
    let before = '[';
    for (const item of items) {
      this.text += before;
      before = ',';
      this.#value(field, item);
    }
    this.text += ']';
  }

  #value(field: DescField, value: unknown): void {
    if (field.message) this.message(field.message, value as Members);
    else this.text += scalarText(field, value);
  }
}

/** The value of a field; undefined when it is to be left out. */
function memberOf(field: DescField, message: Members): unknown {
  if (field.oneof) {
    const chosen = message[field.oneof.localName] as { case?: string; value?: unknown };
    return chosen.case === field.localName ? chosen.value : undefined;
  }
  const value = message[field.localName];
  return isDefault(value) && field.name !== 'key' ? undefined : value;
}

function isDefault(value: unknown): boolean {
  if (typeof value === 'object') return (value as ArrayLike<unknown>).length === 0;
  return !value; // undefined, '', 0, 0n, false
}

function scalarText(field: DescField, value: unknown): string {
  if (value instanceof Uint8Array) return `"${bytesText(field, value)}"`;
  if (typeof value === 'bigint') return `"${value}"`;
  if (typeof value === 'number') return numberText(value);
  return JSON.stringify(value);
}

function bytesText(field: DescField, { buffer, byteOffset, byteLength }: Uint8Array): string {
  const isId = field.name.endsWith('_id');
  return Buffer.from(buffer, byteOffset, byteLength).toString(isId ? 'hex' : 'base64');
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) return `"${value}"`;
  return Object.is(value, -0) ? '-0' : String(value);
}
