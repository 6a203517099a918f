import { runEntryPoint } from './errors.ts';
import { readKnobs } from './knobs.ts';
import { resetLocal } from './local-end.ts';
import { createProgress } from './progress.ts';

await runEntryPoint(async () => {
  const { localDir } = readKnobs();
  await createProgress()('Resetting', () => resetLocal(localDir));
  process.stderr.write(
    `Stopped, and what was stored is removed with its keys; the logs and the synthesised stacks stay in ${localDir}.\n`,
  );
});
