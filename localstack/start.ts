import { describeEmulator } from '../bin/evidence/deployment.ts';
import { recordedEmulator, whileEmulatorLives } from './emulator-life.ts';
import type { Environment } from './environment.ts';
import { runEntryPoint, UserError } from './errors.ts';
import { replayOnce } from './first-workload.ts';
import { explainInterruption } from './interruption.ts';
import { readKnobs } from './knobs.ts';
import { startLocal } from './local.ts';
import { type LocalPaths, localPaths } from './paths.ts';
import { createProgress } from './progress.ts';
import {
  describeAccess,
  describeAudit,
  describeEvidence,
  describeSeal,
  describeVerify,
  runAudits,
  runSeal,
  runVerify,
  waitUntilStored,
} from './report.ts';
import { seed } from './seed.ts';

const progress = createProgress();

await runEntryPoint(async () => {
  const knobs = readKnobs();
  explainInterruption(knobs.localDir);
  const paths = localPaths(knobs.localDir);
  const notify = (sentence: string) => void process.stderr.write(`${sentence}\n`);
  const environment = await startLocal({ ...knobs, progress, seed, notify });
  const emulator = recordedEmulator(knobs.localDir);
  const text = await whileEmulatorLives(emulator, () => demonstrate(paths, environment));
  process.stdout.write(`${text}\n`);
  // Idle keep-alive connections of the SDK would hold the process for seconds.
  process.exit(0);
});

/** Sends the workload once, runs the audits, and says what the store now knows of one run. */
async function demonstrate(paths: LocalPaths, environment: Environment): Promise<string> {
  const sent = await progress('Sending the workload', () =>
    replayOnce(paths.workload, environment),
  );
  const shown = sent.runs.find((run) => run.traceId !== undefined) ?? sent.runs[0];
  if (shown === undefined) throw new UserError('The recorded workload holds no run.');
  await progress('Waiting until it is stored', () => waitUntilStored(environment, sent));
  const audit = await progress('Running the audits', () => runAudits(environment));
  const sealed = await progress('Sealing', () => runSeal(environment));
  const verified = await progress('Verifying', () => runVerify(environment));
  return [
    describeEmulator(environment.emulator),
    await describeEvidence(environment, shown.runId),
    describeAudit(audit),
    describeSeal(sealed),
    describeVerify(verified),
    describeAccess(environment, shown.runId, paths.environment),
  ].join('\n\n');
}
