import type { Emulator } from './emulator-record.ts';
import { emulatorOf } from './emulators/emulators.ts';
import { runEntryPoint } from './errors.ts';
import { readJson } from './json-file.ts';
import { readKnobs } from './knobs.ts';
import { stopLocal } from './local-end.ts';
import { localPaths } from './paths.ts';
import { createProgress } from './progress.ts';

await runEntryPoint(async () => {
  const { localDir } = readKnobs();
  const recorded = readJson<Emulator>(localPaths(localDir).emulatorRecord);
  const stopped = await createProgress()('Stopping', () => stopLocal(localDir));
  process.stderr.write(stopped ? `Stopped; ${whatStays(recorded)}.\n` : 'Nothing was running.\n');
});

function whatStays(recorded: Emulator | undefined): string {
  return recorded === undefined || emulatorOf(recorded.name).keepsData
    ? 'the data is kept'
    : `${recorded.name} keeps no data`;
}
