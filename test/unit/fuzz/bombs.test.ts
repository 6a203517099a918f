import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const READER = fileURLToPath(new URL('bomb-reader.ts', import.meta.url));
const MEGABYTE = 1_000_000;
/** What inflating all of it would take at the least, and a fraction of that, well above the 6 MB of the limit. */
const BOMB_BYTES = 200 * MEGABYTE;
const MAX_RISE_KIB = (40 * MEGABYTE) / 1_024;

function read(wire: Buffer, encoding: string): { outcome: string; roseKib: number } {
  const args = ['--import', 'tsx', READER, encoding];
  const { stdout, stderr } = spawnSync(process.execPath, args, { input: wire });
  expect(stderr.toString()).toBe('');
  return JSON.parse(stdout.toString());
}

const spaces = (bytes: number) => Buffer.alloc(bytes, ' ');
const member = gzipSync(spaces(MEGABYTE));

describe('a decompression bomb', () => {
  it.each([
    ['gzip', gzipSync(spaces(BOMB_BYTES)), 'gzip'],
    ['gzip without the header', gzipSync(spaces(BOMB_BYTES)), 'identity'],
    ['gzip in many members', Buffer.concat(Array(BOMB_BYTES / MEGABYTE).fill(member)), 'gzip'],
    ['deflate', deflateSync(spaces(BOMB_BYTES)), 'deflate'],
  ])('of %s is refused at the limit, without its memory', (_what, wire, encoding) => {
    const { outcome, roseKib } = read(wire, encoding);
    expect(outcome).toBe('TooLargeError');
    expect(roseKib).toBeLessThan(MAX_RISE_KIB);
  });

  it('of gzip in gzip is never inflated a second time', () => {
    const { outcome, roseKib } = read(gzipSync(gzipSync(spaces(BOMB_BYTES))), 'gzip, gzip');
    expect(outcome).toBe('HttpProblem');
    expect(roseKib).toBeLessThan(MAX_RISE_KIB);
  });
});
