import { beforeAll, inject } from 'vitest';
import { KNOWN_DEFECTS } from '../local/known-defects.ts';
import { expectDefects } from './known-defects.ts';

// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are wanted
beforeAll(({}, file) => {
  const { emulator } = inject('environment');
  const unknown = expectDefects(file, KNOWN_DEFECTS[emulator.name]);
  const names = unknown.map(({ test }) => test);
  if (names.length > 0) {
    throw new Error(`no test is named as test/local/known-defects.ts says: ${names.join('; ')}`);
  }
});
