import type { APIGatewayProxyEvent } from 'aws-lambda';
import { TooLargeError } from '../../domain/errors.ts';
import type { Deviation, Refusal } from '../../domain/openlineage/departures.ts';
import type { TraceDeviation, TraceRefusal } from '../../domain/traces/departures.ts';
import { type Coding, INFLATERS, requireNamedCoding, sniffCoding } from './content-coding.ts';
import { badBody } from './problem.ts';

/** Lambda takes 6 MB with base64, so this much fits in any encoding. */
export const MAX_WIRE_BYTES = 4_500_000;
export const MAX_DECODED_BYTES = 6_000_000;

/** Rules that stand in the tables of events and of exports. */
type AnyRoute = Refusal & TraceRefusal;

const BYTE_ORDER_MARK = '\uFEFF';

/** A request body: the bytes after transport decoding, and their text. */
export interface RequestBody {
  readonly bytes: Uint8Array;
  /** Without a byte order mark. */
  readonly text: string;
  readonly deviations: ReadonlyArray<Deviation & TraceDeviation>;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** How much Content-Encoding counts beside what the bytes are. */
export interface ReadOptions {
  /**
   * Refuses a body that is not what the header says, as OTLP's own receiver does (clients.md 4.1).
   * @default false - the bytes decide: gateways inflate and keep the header, proxies drop it
   */
  readonly believesHeader?: boolean;
}

/**
 * Undoes base64 and compression.
 * @throws TooLargeError over a limit, HttpProblem 400 when the bytes are broken, 415 for another coding
 */
export function readBytes(event: APIGatewayProxyEvent, options: ReadOptions = {}): Uint8Array {
  const wire = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (wire.length > MAX_WIRE_BYTES) throw new TooLargeError('the request body', MAX_WIRE_BYTES);
  const named = headerValues(event, 'content-encoding').join(',').trim().toLowerCase();
  const codingOf = options.believesHeader ? requireNamedCoding : sniffCoding;
  const bytes = inflate(wire, codingOf(wire, named));
  if (bytes.length > MAX_DECODED_BYTES)
    throw new TooLargeError('the decoded body', MAX_DECODED_BYTES);
  return bytes;
}

/**
 * The body as text, its bytes as {@link readBytes} gives them.
 * @throws as readBytes, and HttpProblem 400 when the bytes are no UTF-8
 */
export function readBody(event: APIGatewayProxyEvent, options?: ReadOptions): RequestBody {
  const bytes = readBytes(event, options);
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw badBody<AnyRoute>('not_utf8', 'the body is not UTF-8 text');
  }
  if (!text.startsWith(BYTE_ORDER_MARK)) return { bytes, text, deviations: [] };
  return { bytes, text: text.slice(1), deviations: ['byte_order_mark'] };
}

/** What `info: true` makes of a zlib call; its types do not say. */
interface Inflated {
  readonly buffer: Uint8Array;
  readonly engine: { readonly bytesWritten: number };
}

function inflate(wire: Buffer, coding: Coding): Uint8Array {
  if (coding === 'none') return wire;
  try {
    const options = { maxOutputLength: MAX_DECODED_BYTES, info: true } as object;
    const { buffer, engine } = INFLATERS[coding](wire, options) as unknown as Inflated;
    // Bytes behind the end of the stream would be accepted and never stored.
    if (engine.bytesWritten === wire.length) return buffer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new TooLargeError('the decoded body', MAX_DECODED_BYTES);
    }
  }
  const detail =
    'the compressed body is damaged, or more bytes follow it; compress it anew or send it as it is';
  throw badBody<AnyRoute>('damaged_compression', detail);
}

/** Last value of a header, whatever its case; undefined when it was not sent. */
export function header(event: APIGatewayProxyEvent, name: string): string | undefined {
  return headerValues(event, name).at(-1);
}

/** Every value of a header in the order sent; a null, as hand-made events have it, is none. */
export function headerValues(event: APIGatewayProxyEvent, name: string): string[] {
  const isNamed = (key: string) => key.length === name.length && key.toLowerCase() === name;
  const found: string[] = [];
  for (const [key, values] of Object.entries(event.multiValueHeaders ?? {})) {
    if (isNamed(key)) found.push(...(values ?? []).filter((value) => typeof value === 'string'));
  }
  if (found.length > 0) return found;
  for (const [key, value] of Object.entries(event.headers ?? {})) {
    if (isNamed(key) && typeof value === 'string') found.push(value);
  }
  return found;
}
