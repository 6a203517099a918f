import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readHolder, takeLock, tryLock } from '../../../localstack/lock.ts';
import { identify } from '../../../localstack/process-identity.ts';

const folder = mkdtempSync(join(tmpdir(), 'lock-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a lock file', () => {
  it('is taken once and names its holder', () => {
    const path = join(folder, 'once');
    expect(tryLock(path)).toBe(true);
    expect(tryLock(path)).toBe(false);
    expect(readHolder(path)).toEqual(identify(process.pid));
  });

  it('is taken over from a dead holder', () => {
    const path = join(folder, 'stale');
    writeFileSync(path, JSON.stringify({ pid: process.pid, startedAt: 'long ago' }));
    expect(tryLock(path)).toBe(true);
    expect(readHolder(path)).toEqual(identify(process.pid));
  });

  it('is waited for, and given free', async () => {
    const path = join(folder, 'waited');
    const release = await takeLock(path, 100);
    setTimeout(release, 200);
    const again = await takeLock(path, 5_000);
    again();
    expect(readHolder(path)).toBeUndefined();
  });

  it('ends with a sentence when it stays taken', async () => {
    const path = join(folder, 'venv.lock');
    tryLock(path);
    await expect(takeLock(path, 150)).rejects.toThrow(
      /Another command has been working on .*venv for too long/,
    );
  });
});
