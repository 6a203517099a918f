import { readFileSync, writeFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { describeEmulator } from '../bin/evidence/deployment.ts';
import { emulatorOf } from '../localstack/emulators/emulators.ts';
import { runEntryPoint } from '../localstack/errors.ts';
import { startLocal } from '../localstack/local.ts';
import { stopLocal } from '../localstack/local-end.ts';
import { localPaths } from '../localstack/paths.ts';
import { createProgress } from '../localstack/progress.ts';
import { seed } from '../localstack/seed.ts';
import { startTemporary } from '../localstack/temporary.ts';
import { findEverywhere } from '../test/support/everything-stored.ts';
import { StoreClient } from '../test/support/store-client.ts';
import { describeRun, type Figures, figuresOf, tableOf, withFigures } from './figures.ts';
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
  .option('--write', 'write the table of figures into docs/reliability.md')
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
  const figures = await measure(names, { events, senders, faultSeconds });
  if (options.json) process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
  else process.stdout.write(`${describeRun(figures)}\n\n${tableOf(figures.outcomes).join('\n')}\n`);
  if (options.write) writeFileSync(DOCUMENT, withFigures(readFileSync(DOCUMENT, 'utf8'), figures));
  const problems = figures.outcomes.flatMap((outcome) =>
    outcome.problems.map((what) => `${outcome.scenario}: ${what}`),
  );
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  // Idle keep-alive connections of the SDK would hold the process for seconds.
  process.exit(problems.length === 0 ? 0 : 1);
}

/** Runs scenarios one after the other in an environment of their own, which ends with them. */
async function measure(names: readonly string[], size: Size): Promise<Figures> {
  const progress = createProgress();
  const { environment, localDir, remove } = await startTemporary('reliability', progress);
  try {
    process.stderr.write(`${describeEmulator(environment.emulator)}\n`);
    const store = new StoreClient(environment);
    const emulator = emulatorOf(environment.emulator.name);
    const place = {
      store,
      reader: new VaultReader(store),
      restartEmulator: async () => {
        await stopLocal(localDir);
        const port = Number(new URL(environment.endpointUrl).port);
        await startLocal({ localDir, emulator, port, seed });
      },
    };
    const chosen = Object.entries(SCENARIOS).filter(([name, { needsKeptData }]) =>
      names.length > 0 ? names.includes(name) : emulator.keepsData || !needsKeptData,
    );
    const canaries = new Map<string, string>();
    const outcomes: Outcome[] = [];
    for (const [name, scenario] of chosen) {
      const canary = newCanary();
      canaries.set(name, canary);
      const outcome = await progress(name, () => outcomeOf(name, scenario, size, canary, place));
      outcomes.push(outcome);
      process.stderr.write(`${tableOf([outcome]).join('\n')}\n`);
    }
    const paths = localPaths(localDir);
    const logs = emulator.pollsKinesis
      ? [paths.emulatorLog]
      : [paths.emulatorLog, paths.eventSourceLog];
    const { hits } = await progress('Looking for payloads', () =>
      findEverywhere(environment, [...canaries.values()], logs),
    );
    // The streams hold bodies as they came: that they are found there tells that the search works.
    const searched = outcomes.map((outcome): Outcome => {
      const found = hits.filter(({ needle }) => needle === canaries.get(outcome.scenario));
      const leaks = found.filter(({ kind }) => kind !== 'stream');
      const problems = [...outcome.problems, ...leaks.map((hit) => `a payload in a ${hit.kind}`)];
      if (found.length === leaks.length) problems.push('the search for payloads found no stream');
      return { ...outcome, problems };
    });
    return figuresOf(environment, size, searched);
  } finally {
    await progress('Removing the environment', remove);
  }
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
