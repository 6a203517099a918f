import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import fc from 'fast-check';
import { KEY } from '../../support/http.ts';
import type { Body } from './bodies.ts';
import { CANARY } from './canary.ts';

/** What reaches the function: an API Gateway event in the making. */
type Wire = Pick<
  APIGatewayProxyEvent,
  'body' | 'isBase64Encoded' | 'headers' | 'multiValueHeaders'
>;

/** How a body travels; `whole` when the receiver must get the body back from it. */
interface Encoding {
  readonly whole: boolean;
  /** Whether Content-Encoding says what was done, and nothing else. */
  readonly named: boolean;
  readonly header?: string;
  readonly encode: (bytes: Buffer) => Pick<Wire, 'body' | 'isBase64Encoded'>;
}

const base64 = (bytes: Buffer) => ({ body: bytes.toString('base64'), isBase64Encoded: true });
const inMembers = (bytes: Buffer) => {
  const half = bytes.length >> 1;
  return Buffer.concat([gzipSync(bytes.subarray(0, half)), gzipSync(bytes.subarray(half))]);
};
const flipped = (bytes: Buffer) => {
  const at = bytes.length >> 1;
  return Buffer.concat([
    bytes.subarray(0, at),
    Buffer.of((bytes[at] as number) ^ 0x5a),
    bytes.subarray(at + 1),
  ]);
};

const whole = (encode: Encoding['encode'], header?: string): Encoding => ({
  whole: true,
  named: true,
  encode,
  ...(header !== undefined && { header }),
});
const broken = (encode: Encoding['encode'], header?: string): Encoding => ({
  ...whole(encode, header),
  whole: false,
});

/** What only a route that goes by the bytes alone has to take. */
const misnamed = (encode: Encoding['encode'], header: string): Encoding => ({
  ...whole(encode, header),
  named: false,
});

const PLAIN = [whole(base64), misnamed(base64, 'identity')];
const COMPRESSED = [
  whole((bytes) => base64(gzipSync(bytes)), 'gzip'),
  misnamed((bytes) => base64(gzipSync(bytes, { level: 0 })), 'x-gzip, GZIP'),
  whole((bytes) => base64(gzipSync(bytes))),
  misnamed((bytes) => base64(gzipSync(bytes)), 'deflate'),
  whole((bytes) => base64(inMembers(bytes)), 'gzip'),
  whole((bytes) => base64(deflateSync(bytes)), 'Deflate'),
  misnamed(base64, 'gzip'),
  misnamed(base64, 'deflate;q=1'),
];
const DAMAGED = [
  broken((bytes) => ({ body: bytes.toString('utf8'), isBase64Encoded: false })),
  broken((bytes) => ({ body: bytes.toString('latin1'), isBase64Encoded: false })),
  broken((bytes) => ({ body: bytes.toString('utf8'), isBase64Encoded: true })),
  broken((bytes) => ({ body: bytes.toString('base64'), isBase64Encoded: false })),
  broken((bytes) => base64(gzipSync(gzipSync(bytes))), 'gzip, gzip'),
  broken((bytes) => base64(gzipSync(bytes).subarray(0, -5)), 'gzip'),
  broken((bytes) => base64(flipped(gzipSync(bytes))), 'gzip'),
  broken((bytes) => base64(Buffer.concat([gzipSync(bytes), bytes])), 'gzip'),
  broken((bytes) => base64(Buffer.concat([gzipSync(bytes), Buffer.of(0x1f, 0x8b)])), 'gzip'),
  broken((bytes) => base64(flipped(deflateSync(bytes))), 'deflate'),
  broken((bytes) => base64(deflateSync(bytes))),
  broken((bytes) => base64(deflateRawSync(bytes)), 'deflate'),
  broken((bytes) => base64(bytes), `br, ${CANARY}`),
  broken(() => ({ body: null, isBase64Encoded: true })),
  broken(() => ({ body: `\ud800${CANARY}`, isBase64Encoded: false })),
];

/** Compressing takes longer than all the rest of a case, so most bodies travel plain. */
const encoding = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...PLAIN) },
  { weight: 3, arbitrary: fc.constantFrom(...COMPRESSED) },
  { weight: 2, arbitrary: fc.constantFrom(...DAMAGED) },
);

/** Authorization lines, in the order sent. A gateway sends no null, a hand-made event may. */
const GOOD_LINES: ReadonlyArray<readonly (string | null)[]> = [
  [`Bearer ${KEY}`],
  [`bearer ${KEY}   `],
  [`BEARER\t ${KEY}`],
  [`Basic ${CANARY}`, `Bearer ${KEY}`],
  [`Basic ${CANARY}, Bearer ${KEY}`],
  [`Bearer ${KEY},`],
  [`Bearer ${CANARY}`, `Bearer ${KEY}`],
  [null, `Bearer ${KEY}`],
];
const BAD_LINES: ReadonlyArray<readonly (string | null)[]> = [
  [],
  [''],
  [null],
  ['Bearer'],
  ['Bearer '],
  ['Basic dTpw'],
  [KEY],
  [`Bearer${KEY}`],
  [`Bearer ${KEY.slice(0, -1)}`],
  [`Bearer ${KEY}${CANARY}`],
  [`Bearer ${KEY.toUpperCase()}`],
  [`Bearer ev_${CANARY}_x_00000000`],
  [`Bearer "${KEY}"`],
  [`Bearer ${KEY} ${CANARY}`],
  [`Bearer ${'a '.repeat(5_000)}`],
  [`Bearer ${' '.repeat(5_000)}x`, `${','.repeat(5_000)}`],
  [`Bearer \u0000${CANARY}`],
];

const lines = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...GOOD_LINES) },
  { weight: 1, arbitrary: fc.constantFrom(...BAD_LINES) },
);

const NAMES = {
  authorization: ['Authorization', 'authorization', 'AUTHORIZATION', 'aUTHORIZATION'],
  encoding: ['Content-Encoding', 'content-encoding', 'CONTENT-ENCODING'],
  type: ['Content-Type', 'content-type', 'CONTENT-type'],
};
const PARAMETERS = ['; charset=UTF-8', '; charset="latin1"', ';charset=', `; x=${CANARY}`, ''];

/** Headers that mean nothing to the receiver. */
const OTHERS: ReadonlyArray<readonly [string, string | null]> = [
  ['X-Forwarded-For', CANARY],
  ['X-Null', null],
  ['Accept-Encoding', `br;q=${CANARY}, *;q=0`],
  ['__proto__', CANARY],
  ['constructor', CANARY],
  ['Content-Length', '-1'],
  ['x-large', CANARY.repeat(300)],
  ['x-evidence-key', `${CANARY}`],
];

const spelling = fc.record({
  authorization: fc.constantFrom(...NAMES.authorization),
  encoding: fc.constantFrom(...NAMES.encoding),
  type: fc.constantFrom(...NAMES.type),
});

const dressing = fc.record({
  lines,
  spelling,
  parameters: fc.constantFrom(...PARAMETERS),
  others: fc.subarray([...OTHERS], { maxLength: 3 }),
  // A REST API fills both; an HTTP API or a hand-made event may leave either out.
  place: fc.constantFrom('both', 'both', 'single', 'multiple'),
});

/** A request, and what is known of it beforehand. */
export interface Case {
  readonly wire: Wire;
  /** The body as sent, when it arrives undamaged. */
  readonly body?: Body;
  /** Whether the body is compressed as its header says. */
  readonly named: boolean;
  /** Whether the key is one that the registry knows. */
  readonly authenticates: boolean;
}

/** Sends a body in any encoding under any headers. */
export function requests(bodies: fc.Arbitrary<Body>): fc.Arbitrary<Case> {
  return fc.tuple(bodies, encoding, dressing).map(([body, sent, dressed]) => {
    const { spelling, place } = dressed;
    const headers = Object.create(null) as Record<string, string>;
    const multiple = Object.create(null) as Record<string, string[]>;
    const set = (name: string, values: readonly (string | null)[]) => {
      if (values.length === 0) return;
      headers[name] = values.at(-1) as string;
      multiple[name] = values as string[];
    };
    set(spelling.authorization, dressed.lines);
    set(spelling.type, [body.contentType + dressed.parameters]);
    if (sent.header !== undefined) set(spelling.encoding, [sent.header]);
    for (const [name, value] of dressed.others) set(name, [value]);

    return {
      wire: {
        ...sent.encode(body.bytes),
        headers: place === 'multiple' ? (null as never) : headers,
        multiValueHeaders: place === 'single' ? (null as never) : multiple,
      },
      ...(sent.whole && { body }),
      named: sent.named,
      authenticates: GOOD_LINES.includes(dressed.lines),
    };
  });
}
