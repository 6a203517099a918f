import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const FLOOD = fileURLToPath(new URL('archive-flood.ts', import.meta.url));
/** Half of what the function has. Stored as one batch, the traces took 1.5 GB and more. */
const HEAP_MIB = 512;
const MAX_RISE_KIB = 400 * 1_024;
const RECORDS = 10;

describe('archiving records that inflate stays far below the memory of the function', () => {
  it.each([
    ['traces of a large resource', 255],
    ['traces of a large resource of escapes', 255],
    ['traces of a large resource of secrets', 255],
    ['large events', 1],
  ])(
    '%s',
    (shape, lines) => {
      const args = [
        `--max-old-space-size=${HEAP_MIB}`,
        '--import',
        'tsx',
        FLOOD,
        shape,
        `${RECORDS}`,
      ];
      const { stdout, stderr } = spawnSync(process.execPath, args);
      expect(stderr.toString()).toBe('');
      const { stored, failed, roseKib } = JSON.parse(stdout.toString());
      expect([stored, failed]).toEqual([RECORDS * lines, 0]);
      expect(roseKib).toBeLessThan(MAX_RISE_KIB);
    },
    60_000,
  );
});
