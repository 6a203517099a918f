import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { TooLargeError } from '../../../lambdas/domain/errors.ts';
import { MAX_DECODED_BYTES, MAX_WIRE_BYTES, readBody } from '../../../lambdas/shared/http/body.ts';
import { HttpProblem } from '../../../lambdas/shared/http/problem.ts';
import { binary, request } from '../../support/http.ts';

const TEXT = '{"name":"Zürich \u{1F600}"}';
const read = (overrides: Parameters<typeof request>[0]) => readBody(request(overrides));
const ruleOf = (overrides: Parameters<typeof request>[0]) => {
  try {
    read(overrides);
  } catch (error) {
    if (error instanceof HttpProblem) return `${error.status} ${error.errors[0]?.rule}`;
    if (error instanceof TooLargeError) return `413 ${error.limitBytes}`;
    throw error;
  }
  return 'read';
};
const gzip = { 'content-encoding': 'gzip' };

describe('reading a request body', () => {
  it.each([
    ['as text', { body: TEXT }],
    ['as base64', binary(Buffer.from(TEXT))],
    ['gzipped with a header', binary(gzipSync(TEXT), gzip)],
    ['gzipped without a header', binary(gzipSync(TEXT))],
    ['gzipped with a header in capitals', binary(gzipSync(TEXT), { 'Content-Encoding': 'GZIP' })],
    ['inflated by a gateway that kept the header', binary(Buffer.from(TEXT), gzip)],
    [
      'gzipped in two members',
      binary(Buffer.concat([gzipSync(TEXT.slice(0, 5)), gzipSync(TEXT.slice(5))]), gzip),
    ],
    ['deflated', binary(deflateSync(TEXT), { 'content-encoding': 'deflate' })],
    ['deflated without a header', binary(deflateSync(TEXT))],
    ['deflated without a frame', binary(deflateRawSync(TEXT), { 'content-encoding': 'deflate' })],
    [
      'plain under the name of another coding',
      binary(Buffer.from(TEXT), { 'content-encoding': 'br' }),
    ],
    [
      'inflated with a deflate header kept',
      binary(Buffer.from(TEXT), { 'content-encoding': 'deflate' }),
    ],
  ])('gives the text sent %s', (_how, overrides) => {
    expect(read(overrides)).toMatchObject({ text: TEXT, deviations: [] });
  });

  it('drops a byte order mark and says so, while the bytes stay what was received', () => {
    const { text, bytes, deviations } = read(binary(Buffer.from(`\uFEFF${TEXT}`)));
    expect({ text, deviations }).toEqual({ text: TEXT, deviations: ['byte_order_mark'] });
    expect(Buffer.from(bytes).toString()).toBe(`\uFEFF${TEXT}`);
  });

  it('drops only one byte order mark', () => {
    expect(read(binary(Buffer.from('\uFEFF\uFEFF{}'))).text).toBe('\uFEFF{}');
  });

  it('takes no body for an empty one', () => {
    expect(read({ body: null }).text).toBe('');
  });

  it.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80]],
    ['Latin-1', [0x22, 0xfc, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00]],
    ['a character cut off', [0xf0, 0x9f, 0x98]],
  ])('refuses %s as no UTF-8', (_what, bytes) => {
    expect(ruleOf(binary(Uint8Array.from(bytes)))).toBe('400 not_utf8');
  });

  it.each([
    ['cut off', gzipSync(TEXT).subarray(0, 20)],
    ['with a wrong checksum', Buffer.concat([gzipSync(TEXT).subarray(0, -8), Buffer.alloc(8)])],
    ['a header alone', Buffer.from([0x1f, 0x8b])],
    ['followed by zeros', Buffer.concat([gzipSync(TEXT), Buffer.alloc(4)])],
    ['followed by text', Buffer.concat([gzipSync(TEXT), Buffer.from(TEXT)])],
  ])('refuses gzip that is %s', (_what, bytes) => {
    expect(ruleOf(binary(bytes, gzip))).toBe('400 damaged_compression');
  });

  it('refuses text behind a deflate stream, which would be lost', () => {
    const bytes = Buffer.concat([deflateSync(TEXT), Buffer.from(TEXT)]);
    expect(ruleOf(binary(bytes))).toBe('400 damaged_compression');
  });

  it('refuses a coding that it cannot read with 415, and names those it can', () => {
    const body = binary(brotliCompressSync(TEXT), { 'content-encoding': 'br' });
    expect(() => read(body)).toThrow(
      expect.objectContaining({ status: 415, headers: { 'accept-encoding': 'gzip, deflate' } }),
    );
  });

  it('takes the documented number of bytes on the wire and not one more', () => {
    expect(ruleOf({ body: ' '.repeat(MAX_WIRE_BYTES) })).toBe('read');
    expect(ruleOf({ body: ' '.repeat(MAX_WIRE_BYTES + 1) })).toBe(`413 ${MAX_WIRE_BYTES}`);
  });

  it('counts bytes, not characters', () => {
    expect(ruleOf({ body: 'é'.repeat(MAX_WIRE_BYTES / 2 + 1) })).toBe(`413 ${MAX_WIRE_BYTES}`);
  });

  it.each([
    ['one member', (size: number) => gzipSync(Buffer.alloc(size, 0x20))],
    [
      'many members',
      (size: number) =>
        Buffer.concat(
          Array.from({ length: 10 }, (_, n) =>
            gzipSync(Buffer.alloc(Math.floor((size + n) / 10), 0x20)),
          ),
        ),
    ],
  ])('stops a bomb of %s at the limit', (_what, bomb) => {
    expect(ruleOf(binary(bomb(MAX_DECODED_BYTES)))).toBe('read');
    expect(ruleOf(binary(bomb(MAX_DECODED_BYTES + 10)))).toBe(`413 ${MAX_DECODED_BYTES}`);
  });

  it('stops a deflate bomb as well', () => {
    const bomb = deflateSync(Buffer.alloc(MAX_DECODED_BYTES + 1));
    expect(ruleOf(binary(bomb, { 'content-encoding': 'deflate' }))).toBe(
      `413 ${MAX_DECODED_BYTES}`,
    );
  });
});
