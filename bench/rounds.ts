import { type Spread, spreadOf } from './statistics.ts';

/** Enough rounds for quartiles; a round is short, so that a busy moment of the machine hits all tasks of it alike. */
const ROUNDS = 15;
const ROUND_MILLIS = 60;

/** A task against its floor, over all rounds. */
export interface Comparison {
  /** Processor time of a call, all threads and the collection of garbage included. */
  readonly taskMillis: Spread;
  readonly floorMillis: Spread;
  /** Task over floor: above 1 the task is slower. */
  readonly ratio: Spread;
}

/**
 * Runs a task and its floor in turns in this process. By processor time and not by the clock: on a shared machine other
 * processes take the cores in the middle of a call, and of a long call more often than of a short one.
 */
export async function compare(task: () => unknown, floor: () => unknown): Promise<Comparison> {
  await round(task); // compiles both
  await round(floor);
  const rounds: Array<{ task: number; floor: number }> = [];
  for (let i = 0; i < ROUNDS; i++) {
    rounds.push({ task: await round(task), floor: await round(floor) });
  }
  return {
    taskMillis: spreadOf(rounds.map((millis) => millis.task)),
    floorMillis: spreadOf(rounds.map((millis) => millis.floor)),
    ratio: spreadOf(rounds.map((millis) => millis.task / millis.floor)),
  };
}

/** Processor time of one call, in milliseconds: the mean over as many as fill a round. */
async function round(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  let millis = 0;
  let calls = 0;
  // The clock is read after one call, two, four and so on: reading it takes as long as a short call.
  for (let next = 1; millis < ROUND_MILLIS; next *= 2) {
    for (let call = 0; call < next; call++) {
      const result = work();
      if (result instanceof Promise) await result;
    }
    calls += next;
    const { user, system } = process.cpuUsage(before);
    millis = (user + system) / 1_000;
  }
  return millis / calls;
}
