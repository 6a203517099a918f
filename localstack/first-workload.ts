import { randomUUID } from 'node:crypto';
import { readJson, writeJson } from './json-file.ts';
import { type Replay, type ReplayTarget, replayWorkload } from './workload.ts';

/** What was sent, or is about to be: seed and time make a repeated replay send the same bytes. */
interface WorkloadRecord {
  readonly seed: string;
  readonly at: string;
  readonly sent?: Replay;
}

/** What was sent, and whether an earlier start sent it. */
export interface FirstReplay extends Replay {
  readonly earlier: boolean;
}

/** Sends the recorded workload once for each emulator state; an interrupted replay is repeated with equal bytes. */
export async function replayOnce(path: string, environment: ReplayTarget): Promise<FirstReplay> {
  const before = readJson<WorkloadRecord>(path);
  if (before?.sent !== undefined) return { ...before.sent, earlier: true };
  const record = before ?? { seed: randomUUID(), at: new Date().toISOString() };
  writeJson(path, record);
  const options = { now: new Date(record.at), idempotencySeed: record.seed };
  const sent = await replayWorkload(environment, options);
  writeJson(path, { ...record, sent });
  return { ...sent, earlier: false };
}
