import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../../../localstack/paths.ts';
import { findPython } from '../../../localstack/prerequisites.ts';

/** A tenth is usual; the tests wait for what they look for, and this ends one that hangs. */
const LIMIT_MILLIS = 60_000;

describe('the execution environment of functions on LocalStack', () => {
  it('passes its own tests (localstack/host/tests)', () => {
    const args = ['-m', 'unittest', 'discover', '-s', join(REPOSITORY, 'localstack/host/tests')];
    const { status, stderr } = spawnSync(findPython().command, args, {
      encoding: 'utf8',
      timeout: LIMIT_MILLIS,
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    });
    expect(stderr).toMatch(/Ran \d{2,} tests/);
    expect(status, stderr).toBe(0);
  });
});
