import { runEntryPoint } from './errors.ts';
import { readKnobs } from './knobs.ts';
import { stopLocal } from './local-end.ts';
import { createProgress } from './progress.ts';

await runEntryPoint(async () => {
  const { localDir } = readKnobs();
  const stopped = await createProgress()('Stopping', () => stopLocal(localDir));
  process.stderr.write(stopped ? 'Stopped; the data is kept.\n' : 'Nothing was running.\n');
});
