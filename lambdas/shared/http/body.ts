import { gunzipSync, inflateSync } from 'node:zlib';
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

/**
 * Undoes base64 and compression. What the bytes are decides, not what a header says: gateways
 * inflate and keep the header, proxies drop it.
 * @throws TooLargeError over a limit, HttpProblem 400 when the bytes are broken or no UTF-8
 */
export function readBody(event: APIGatewayProxyEvent): RequestBody {
  const wire = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (wire.length > MAX_WIRE_BYTES) throw new TooLargeError('the request body', MAX_WIRE_BYTES);
  const bytes = inflate(wire, header(event, 'content-encoding'));
  if (bytes.length > MAX_DECODED_BYTES)
    throw new TooLargeError('the decoded body', MAX_DECODED_BYTES);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new HttpProblem(400, 'Bad Request', 'the body is not UTF-8 text', {
      errors: [{ path: '$', rule: 'not_utf8' }],
    });
  }
  if (!text.startsWith(BYTE_ORDER_MARK)) return { bytes, text, deviations: [] };
  return { bytes, text: text.slice(1), deviations: ['byte_order_mark'] };
}

function inflate(wire: Buffer, encoding: string | undefined): Uint8Array {
  try {
    if (wire[0] === 0x1f && wire[1] === 0x8b) {
      return gunzipSync(wire, { maxOutputLength: MAX_DECODED_BYTES });
    }
    // A zlib stream starts with 0x78 and no JSON text does.
    if (encoding?.toLowerCase().includes('deflate') && wire[0] === 0x78) {
      return inflateSync(wire, { maxOutputLength: MAX_DECODED_BYTES });
    }
    return wire;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new TooLargeError('the decoded body', MAX_DECODED_BYTES);
    }
    throw new HttpProblem(
      400,
      'Bad Request',
      'the compressed body is damaged; send it again or uncompressed',
      {
        errors: [{ path: '$', rule: 'damaged_compression' }],
      },
    );
  }
}

/** Last value of a header, whatever its case; undefined when it was not sent. */
export function header(event: APIGatewayProxyEvent, name: string): string | undefined {
  return headerValues(event, name).at(-1);
}

/** Every value of a header in the order sent; a null, as hand-made events have it, is none. */
export function headerValues(event: APIGatewayProxyEvent, name: string): string[] {
  const named = <T>(headers: Record<string, T> | null) =>
    Object.entries(headers ?? {}).flatMap(([key, value]) =>
      key.toLowerCase() === name ? [value] : [],
    );
  const isText = (value: unknown) => typeof value === 'string';
  const found = named(event.multiValueHeaders)
    .flatMap((values) => values ?? [])
    .filter(isText);
  return found.length > 0 ? found : named(event.headers).filter(isText);
}
