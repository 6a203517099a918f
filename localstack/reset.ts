import { runEntryPoint } from './errors.ts';
import { readKnobs } from './knobs.ts';
import { resetLocal } from './local.ts';
import { createProgress } from './progress.ts';

await runEntryPoint(async () => {
  const { localDir } = readKnobs();
  await createProgress()('Resetting', () => resetLocal(localDir));
  process.stderr.write('Stopped, and all local data is removed.\n');
});
