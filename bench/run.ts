import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { runEntryPoint } from '../localstack/errors.ts';
import { createProgress } from '../localstack/progress.ts';
import { archive } from './archive.ts';
import type { Benchmark, Result } from './benchmark.ts';
import { bundle } from './bundle.ts';
import { corpus } from './corpus.ts';
import { cost } from './cost.ts';
import { ingest } from './ingest.ts';
import { json } from './json.ts';
import { path } from './path.ts';
import { rebuild } from './rebuild.ts';
import { event } from './redact-event.ts';
import { redaction } from './redaction.ts';
import { seal } from './seal.ts';
import { steps } from './steps.ts';
import { renderResult } from './table.ts';
import { verify } from './verify.ts';

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  ingest,
  archive,
  seal,
  steps,
  json,
  redaction,
  event,
  corpus,
  bundle,
  cost,
  path,
  verify,
  rebuild,
};
/** Needs an emulator, so it runs only when it is named. */
const ON_REQUEST = 'path';

const program = new Command('bench')
  .usage('[--json] [name ...]')
  .description('Benchmarks: every figure is a ratio to a floor that is measured in the same run')
  .argument('[name...]', `which ones to run; all but ${ON_REQUEST} when none is named`, toNames)
  .option('--json', 'print one JSON document')
  .addHelpText(
    'after',
    `\nBenchmarks:\n${Object.entries(BENCHMARKS)
      .map(([name, { summary }]) => `  ${name.padEnd(9)} ${summary}`)
      .join('\n')}`,
  )
  .action((names: string[], options: { json?: true }) =>
    runEntryPoint(() => run(names, options.json === true)),
  );

await program.parseAsync();

async function run(names: readonly string[], asJson: boolean): Promise<void> {
  const chosen = names.length > 0 ? names : Object.keys(BENCHMARKS).filter(isDefault);
  const progress = createProgress();
  const benchmarks: Record<string, Result> = {};
  for (const name of chosen) {
    const { run: measure } = BENCHMARKS[name] as Benchmark;
    const result = await progress(`Measuring ${name}`, measure);
    benchmarks[name] = result;
    if (!asJson) process.stdout.write(`${renderResult(name, result)}\n\n`);
  }
  const machine = { cores: availableParallelism(), node: process.version };
  const at = new Date().toISOString();
  if (asJson) process.stdout.write(`${JSON.stringify({ at, machine, benchmarks }, null, 2)}\n`);
  // Idle keep-alive connections of the SDK would hold the process for seconds.
  process.exit(0);
}

function isDefault(name: string): boolean {
  return name !== ON_REQUEST;
}

function toNames(name: string, before: readonly string[] = []): string[] {
  if (!(name in BENCHMARKS)) {
    throw new InvalidArgumentError(`Choose from ${Object.keys(BENCHMARKS).join(', ')}.`);
  }
  return [...before, name];
}
