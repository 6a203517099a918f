import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { TraceRefusal } from '../../domain/traces/departures.ts';
import { badBody, HttpProblem } from './problem.ts';

/** How a body is compressed; HTTP calls a zlib stream `deflate`, and some senders leave its frame out. */
export type Coding = 'none' | 'gzip' | 'zlib' | 'rawDeflate';

export const INFLATERS = { gzip: gunzipSync, zlib: inflateSync, rawDeflate: inflateRawSync };

/** Names in Content-Encoding, and what they may stand for. */
const NAMED: ReadonlyMap<string, readonly Coding[]> = new Map([
  ['gzip', ['gzip']],
  ['x-gzip', ['gzip']],
  ['deflate', ['zlib', 'rawDeflate']],
]);

/**
 * By the bytes where they tell, whatever the header says.
 * @param named Content-Encoding in lower case, empty when there is none
 * @throws HttpProblem 415 for a body that is neither text nor in a known coding
 */
export function sniffCoding(wire: Uint8Array, named: string): Coding {
  const coding = codingByBytes(wire, named);
  const isOther = coding === 'none' && named !== '' && named !== 'identity' && !NAMED.has(named);
  if (!isOther || wire.length === 0 || BEGINS_TEXT.has(wire[0] as number)) return coding;
  throw new HttpProblem(
    415,
    'Unsupported Media Type',
    'the body is compressed in a way this store does not read; send it as gzip, deflate or uncompressed',
    { headers: { 'accept-encoding': 'gzip, deflate' } },
  );
}

/**
 * As {@link sniffCoding}, where a coding that is named has to be known and the one that was used.
 * @throws HttpProblem 400
 */
export function requireNamedCoding(wire: Uint8Array, named: string): Coding {
  const coding = codingByBytes(wire, named);
  if (named === '') return coding;
  const wanted = NAMED.get(named);
  if (!wanted) {
    throw badBody<TraceRefusal>(
      'content_encoding_unknown',
      'compress with gzip, or send no Content-Encoding',
    );
  }
  if (wanted.includes(coding)) return coding;
  throw badBody<TraceRefusal>(
    'content_encoding_not_applied',
    'the body is not compressed as its Content-Encoding says; compress it, or send no such header',
  );
}

/** First bytes of JSON text or of an export in protobuf: space, quote, bracket, brace, BOM, field 1. */
const BEGINS_TEXT = new Set([0x09, 0x0a, 0x0d, 0x20, 0x22, 0x5b, 0x7b, 0xef]);

function codingByBytes(wire: Uint8Array, named: string): Coding {
  const [first = 0, second = 0] = wire;
  if (first === 0x1f && second === 0x8b) return 'gzip';
  if (named.includes('deflate')) {
    if (isZlibHeader(first, second)) return 'zlib';
    return wire.length === 0 || BEGINS_TEXT.has(first) ? 'none' : 'rawDeflate';
  }
  // Unnamed, only the header that every default gives: no JSON text begins with this byte.
  return first === 0x78 && isZlibHeader(first, second) ? 'zlib' : 'none';
}

/** RFC 1950, 2.2: method 8, a window of at most 32 KiB, and a check that makes both bytes a multiple of 31. */
function isZlibHeader(first: number, second: number): boolean {
  return (first & 0x0f) === 8 && first >> 4 <= 7 && (first * 256 + second) % 31 === 0;
}
