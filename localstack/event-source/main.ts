import { runEntryPoint, UserError } from '../errors.ts';
import { runnerFiles } from '../event-source.ts';
import { readJson, writeJson } from '../json-file.ts';
import { tryLock } from '../lock.ts';
import { isListening } from '../port.ts';
import { identify } from '../process-identity.ts';
import { prepareMappings, type RunnerConfig } from './runner.ts';
import { nameOf } from './shard-run.ts';

/** A restart of the emulator takes a second; after this it is gone for good and the runner ends. */
const EMULATOR_GONE_MILLIS = 15_000;
const LOOK_MILLIS = 1_000;

await runEntryPoint(async () => {
  const folder = process.argv[2] ?? '';
  const files = runnerFiles(folder);
  const config = readJson<RunnerConfig>(files.config);
  if (config === undefined) throw new UserError(`There is no ${files.config}: run npm start.`);
  if (!tryLock(files.lock)) throw new UserError('An event source runner already works here.');
  const end = new AbortController();
  process.once('SIGTERM', () => end.abort()).once('SIGINT', () => end.abort());
  void endWithEmulator(config.endpoint, end);
  const runs = await prepareMappings(config, log);
  writeJson(files.ready, identify(process.pid));
  log(`running ${runs.length} mappings`);
  await Promise.all(runs.map((run) => run(end.signal)));
  log('ended');
  process.exit(0);
});

async function endWithEmulator(endpoint: string, end: AbortController): Promise<void> {
  const port = Number(new URL(endpoint).port);
  let seen = Date.now();
  while (!end.signal.aborted) {
    if (await isListening(port)) seen = Date.now();
    else if (Date.now() - seen > EMULATOR_GONE_MILLIS) {
      log('the emulator is gone');
      // Invocations cannot end any more, so there is nothing to wait for.
      process.exit(0);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLIS));
  }
}

function log(line: string): void {
  process.stderr.write(`${new Date().toISOString()} ${line}\n`);
}

process.on('unhandledRejection', (error) => {
  log(`ended by ${nameOf(error)}`);
  process.exit(1);
});
