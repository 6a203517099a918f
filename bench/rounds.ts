import { Bench } from 'tinybench';
import { type Spread, spreadOf } from './statistics.ts';

/** Enough rounds for quartiles; a round is short, so that a busy moment of the machine hits all tasks of it alike. */
const ROUNDS = 15;
const ROUND_MILLIS = 60;
const MINIMUM_CALLS = 5;

/** A task against its floor, over all rounds. */
export interface Comparison {
  readonly taskMillis: Spread;
  readonly floorMillis: Spread;
  /** Task over floor: above 1 the task is slower. */
  readonly ratio: Spread;
}

/** Runs a task and its floor in turns in this process; each round counts with its medians. */
export async function compare(task: () => unknown, floor: () => unknown): Promise<Comparison> {
  await round(task, floor); // compiles both
  const rounds: Array<{ task: number; floor: number }> = [];
  for (let i = 0; i < ROUNDS; i++) rounds.push(await round(task, floor));
  return {
    taskMillis: spreadOf(rounds.map((millis) => millis.task)),
    floorMillis: spreadOf(rounds.map((millis) => millis.floor)),
    ratio: spreadOf(rounds.map((millis) => millis.task / millis.floor)),
  };
}

async function round(task: () => unknown, floor: () => unknown) {
  const bench = new Bench({
    iterations: MINIMUM_CALLS,
    time: ROUND_MILLIS,
    warmup: false,
    throws: true,
  });
  bench.add('task', task).add('floor', floor);
  await bench.run();
  return { task: medianOf(bench, 'task'), floor: medianOf(bench, 'floor') };
}

function medianOf(bench: Bench, name: string): number {
  const result = bench.getTask(name)?.result;
  if (result?.state !== 'completed') throw new Error(`${name} was not measured`);
  return result.latency.p50;
}
