import { readFileSync, writeFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { startEmulator } from '../localstack/emulator.ts';
import { emulatorOf } from '../localstack/emulators/emulators.ts';
import type { Environment } from '../localstack/environment.ts';
import { runEntryPoint } from '../localstack/errors.ts';
import type { RunnerConfig } from '../localstack/event-source/runner.ts';
import { runnerFiles, startEventSource } from '../localstack/event-source.ts';
import { readJson } from '../localstack/json-file.ts';
import { stopLocal } from '../localstack/local-end.ts';
import { localPaths } from '../localstack/paths.ts';
import { createProgress } from '../localstack/progress.ts';
import { describeEmulator } from '../localstack/report.ts';
import { startTemporary, type Temporary } from '../localstack/temporary.ts';
import { findEverywhere } from '../test/support/everything-stored.ts';
import { StoreClient } from '../test/support/store-client.ts';
import { type Figures, figuresOf, tableOf, withFigures } from './figures.ts';
import { VaultReader } from './read-back.ts';
import { runScenario } from './run-scenario.ts';
import type { Outcome, Size } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';
import { newCanary } from './traffic.ts';

const DOCUMENT = new URL('../docs/reliability.md', import.meta.url);

interface Options {
  readonly json?: true;
  readonly write?: true;
  readonly events: number;
  readonly senders: number;
  readonly faultSeconds: number;
}

const program = new Command('reliability')
  .usage('[options] [scenario ...]')
  .description('Sends events while something fails, reads all of them back, and says what was lost')
  .argument('[scenario...]', 'which ones to run; all of them when none is named', toNames)
  .option('--json', 'print one JSON document')
  .option('--write', 'write each row of figures into docs/reliability.md, as soon as it is known')
  .option('--events <number>', 'events of each scenario', toCount, 10_000)
  .option('--senders <number>', 'requests at a time', toCount, 20)
  .option('--fault-seconds <number>', 'how long a fault lasts', toCount, 60)
  .addHelpText(
    'after',
    `\nScenarios:\n${Object.entries(SCENARIOS)
      .map(([name, { summary }]) => `  ${name.padEnd(18)} ${summary}`)
      .join('\n')}`,
  )
  .action((names: string[], options: Options) => runEntryPoint(() => run(names, options)));

await program.parseAsync();

async function run(names: readonly string[], options: Options): Promise<void> {
  const { events, senders, faultSeconds } = options;
  const progress = createProgress();
  const temporary = await startTemporary('reliability', progress);
  const all: Figures[] = [];
  try {
    for await (const figures of measure(names, { events, senders, faultSeconds }, temporary)) {
      all.push(figures);
      process.stderr.write(`${tableOf([figures]).join('\n')}\n`);
      // At once: what comes later may fail, or be interrupted.
      if (options.write) {
        writeFileSync(DOCUMENT, withFigures(readFileSync(DOCUMENT, 'utf8'), figures));
      }
    }
  } finally {
    await progress('Removing the environment', temporary.remove);
  }
  const printed = options.json ? JSON.stringify(all, null, 2) : tableOf(all).join('\n');
  process.stdout.write(`${printed}\n`);
  // Idle keep-alive connections of the SDK would hold the process for seconds.
  process.exit(all.every(({ problems }) => problems.length === 0) ? 0 : 1);
}

/** Runs scenarios one after the other, each with its search for payloads. */
async function* measure(
  names: readonly string[],
  size: Size,
  { environment, localDir }: Temporary,
): AsyncGenerator<Figures> {
  process.stderr.write(`${describeEmulator(environment)}\n`);
  const store = new StoreClient(environment);
  const emulator = emulatorOf(environment.emulator.name);
  const place = {
    store,
    reader: new VaultReader(store),
    restartEmulator: () => restart(localDir, environment),
  };
  const { emulatorLog, eventSourceLog } = localPaths(localDir);
  const logs = emulator.pollsKinesis ? [emulatorLog] : [emulatorLog, eventSourceLog];
  const chosen = Object.entries(SCENARIOS).filter(([name, { needsKeptData }]) =>
    names.length > 0 ? names.includes(name) : emulator.keepsData || !needsKeptData,
  );
  const progress = createProgress();
  for (const [name, scenario] of chosen) {
    const canary = newCanary();
    const outcome = await progress(name, () => outcomeOf(name, scenario, size, canary, place));
    const leaks = await progress('Looking for payloads', () => leaksOf(environment, canary, logs));
    const problems = [...outcome.problems, ...leaks];
    yield figuresOf(environment, size, { ...outcome, problems });
  }
}

/** Not as `npm start` does, which asks that the store is as its template says: a scenario has changed it. */
async function restart(localDir: string, { emulator, endpointUrl }: Environment): Promise<void> {
  const paths = localPaths(localDir);
  const mappings = readJson<RunnerConfig>(runnerFiles(paths.eventSource).config)?.mappings ?? [];
  await stopLocal(localDir);
  const kind = emulatorOf(emulator.name);
  const port = Number(new URL(endpointUrl).port);
  await startEmulator(kind, await kind.install(), paths, port);
  await startEventSource(paths, endpointUrl, mappings);
}

/** Where a payload is that must be nowhere. */
async function leaksOf(
  environment: Environment,
  canary: string,
  logs: readonly string[],
): Promise<string[]> {
  const { hits } = await findEverywhere(environment, [canary], logs);
  const leaks = hits
    .filter(({ kind }) => kind !== 'stream')
    .map((hit) => `a payload in a ${hit.kind}`);
  // The streams hold bodies as they came: that they are found there tells that the search works.
  return hits.length > leaks.length ? leaks : [...leaks, 'the search for payloads found no stream'];
}

/** A scenario that cannot go on has failed; those behind it are run all the same. */
async function outcomeOf(...args: Parameters<typeof runScenario>): Promise<Outcome> {
  try {
    return await runScenario(...args);
  } catch (error) {
    const problems = [`it did not end: ${error instanceof Error ? error.message : 'unknown'}`];
    return {
      ...{ scenario: args[0], problems, accepted: 0, refused: {}, stored: 0, quarantined: 0 },
      ...{ duplicates: 0, copies: 0, faults: 0, drainSeconds: 0, totalSeconds: 0 },
    };
  }
}

function toNames(name: string, before: readonly string[] = []): string[] {
  if (!(name in SCENARIOS)) {
    throw new InvalidArgumentError(`Choose from ${Object.keys(SCENARIOS).join(', ')}.`);
  }
  return [...before, name];
}

function toCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('A number from 1 on.');
  return count;
}
