import { randomUUID } from 'node:crypto';
import type { Environment } from './environment.ts';
import { readJson, writeJson } from './json-file.ts';
import { type Replay, replayWorkload } from './workload.ts';

/** What was sent, or is about to be: seed and time make a repeated replay send the same bytes. */
interface WorkloadRecord {
  readonly seed: string;
  readonly at: string;
  readonly sent?: Replay;
}

/** Sends the recorded workload once for each emulator state; an interrupted replay is repeated with equal bytes. */
export async function replayOnce(path: string, environment: Environment): Promise<Replay> {
  const before = readJson<WorkloadRecord>(path);
  if (before?.sent !== undefined) return before.sent;
  const record = before ?? { seed: randomUUID(), at: new Date().toISOString() };
  writeJson(path, record);
  const options = { now: new Date(record.at), idempotencySeed: record.seed };
  const sent = await replayWorkload(environment, options);
  writeJson(path, { ...record, sent });
  return sent;
}
