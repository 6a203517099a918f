import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { TooLargeError } from '../../domain/errors.ts';
import { HttpProblem } from './problem.ts';

/** Lambda takes 6 MB with base64, so this much fits in any encoding. */
export const MAX_WIRE_BYTES = 4_500_000;
export const MAX_DECODED_BYTES = 6_000_000;

const BYTE_ORDER_MARK = '\uFEFF';

/** A request body: the bytes after transport decoding, and their text. */
export interface RequestBody {
  readonly bytes: Uint8Array;
  /** Without a byte order mark. */
  readonly text: string;
  readonly deviations: readonly string[];
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Undoes base64 and compression. What the bytes are decides, not what a header says: gateways
 * inflate and keep the header, proxies drop it.
 * @throws TooLargeError over a limit, HttpProblem 400 when the bytes are broken, 415 for another coding
 */
export function readBytes(event: APIGatewayProxyEvent): Uint8Array {
  const wire = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (wire.length > MAX_WIRE_BYTES) throw new TooLargeError('the request body', MAX_WIRE_BYTES);
  const bytes = inflate(wire, header(event, 'content-encoding')?.trim().toLowerCase() ?? '');
  if (bytes.length > MAX_DECODED_BYTES)
    throw new TooLargeError('the decoded body', MAX_DECODED_BYTES);
  return bytes;
}

/**
 * The body as text, its bytes as {@link readBytes} gives them.
 * @throws as readBytes, and HttpProblem 400 when the bytes are no UTF-8
 */
export function readBody(event: APIGatewayProxyEvent): RequestBody {
  const bytes = readBytes(event);
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new HttpProblem(400, 'Bad Request', 'the body is not UTF-8 text', {
      errors: [{ path: '$', rule: 'not_utf8' }],
    });
  }
  if (!text.startsWith(BYTE_ORDER_MARK)) return { bytes, text, deviations: [] };
  return { bytes, text: text.slice(1), deviations: ['byte_order_mark'] };
}

type Inflate = (wire: Uint8Array, options: object) => unknown;

/** What `info: true` makes of a zlib call; its types do not say. */
interface Inflated {
  readonly buffer: Uint8Array;
  readonly engine: { readonly bytesWritten: number };
}

function inflate(wire: Buffer, codings: string): Uint8Array {
  const undo = codingOf(wire, codings);
  if (!undo) return wire;
  try {
    const options = { maxOutputLength: MAX_DECODED_BYTES, info: true };
    const { buffer, engine } = undo(wire, options) as Inflated;
    // Bytes behind the end of the stream would be accepted and never stored.
    if (engine.bytesWritten === wire.length) return buffer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new TooLargeError('the decoded body', MAX_DECODED_BYTES);
    }
  }
  throw new HttpProblem(
    400,
    'Bad Request',
    'the compressed body is damaged; send it again or uncompressed',
    { errors: [{ path: '$', rule: 'damaged_compression' }] },
  );
}

/** First bytes that JSON text can have and a raw deflate stream or another coding hardly has: space, quote, bracket, brace, BOM. */
const BEGINS_TEXT = new Set([0x09, 0x0a, 0x0d, 0x20, 0x22, 0x5b, 0x7b, 0xef]);
const DEFLATE_METHOD = 0x78;

/** How a body is compressed, by its bytes where they tell. Undefined when it is not. @throws HttpProblem 415 */
function codingOf(wire: Buffer, codings: string): Inflate | undefined {
  const [first = 0, second = 0] = wire;
  if (first === 0x1f && second === 0x8b) return gunzipSync;
  // The header of a zlib stream is a multiple of 31 (RFC 1950, 2.2); no JSON text begins with its first byte.
  if (first === DEFLATE_METHOD && (first * 256 + second) % 31 === 0) return inflateSync;
  if (wire.length === 0 || BEGINS_TEXT.has(first)) return undefined;
  if (codings.includes('deflate')) return inflateRawSync;
  if (/^(?:|identity|gzip|x-gzip)$/.test(codings)) return undefined;
  throw new HttpProblem(
    415,
    'Unsupported Media Type',
    'the body is compressed in a way this store does not read; send it as gzip, deflate or uncompressed',
    { headers: { 'accept-encoding': 'gzip, deflate' } },
  );
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
