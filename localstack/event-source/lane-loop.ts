import type { LastAnswer } from './failure-message.ts';
import { type Decision, decide, discard, EMPTY_LANE, settle } from './lane.ts';
import { IDLE_MILLIS, nameOf, RETRY_MILLIS, type ShardRun } from './shard-run.ts';

/** Carries out what `decide` says for one lane, one step at a time, and writes the checkpoint after each. */
export async function laneLoop(run: ShardRun, index: number): Promise<void> {
  let answer: LastAnswer | undefined;
  while (!run.isDone()) {
    const now = run.ports.now();
    const decision = decide(run.lanes[index] ?? EMPTY_LANE, run.mapping.settings, now);
    if (decision.kind === 'idle') {
      await run.wake.sleep(IDLE_MILLIS);
      continue;
    }
    if (decision.kind === 'wait') {
      await run.wake.sleep(Math.max(decision.until - now, 1));
      continue;
    }
    run.lanes[index] = decision.lane;
    if (decision.kind === 'invoke') answer = (await invoke(run, index, decision)) ?? answer;
    else if (!(await giveUp(run, index, decision, answer))) continue;
    run.save();
    // The reader may have room again, and at the end of a closed shard the other loops must look up.
    run.wake.nudge();
  }
}

async function invoke(
  run: ShardRun,
  index: number,
  decision: Decision & { kind: 'invoke' },
): Promise<LastAnswer | undefined> {
  const { ports, mapping, shardId } = run;
  const result = await ports.invoke(mapping, shardId, decision.batch.records);
  // Records may have been added while the function ran: settle what the lane is now.
  const lane = run.lanes[index] ?? EMPTY_LANE;
  run.lanes[index] = settle(lane, result.outcome, mapping.settings, ports.now());
  return result.answer;
}

/** The checkpoint moves only after the destination has the sequence numbers: a discarded record is never lost silently. */
async function giveUp(
  run: ShardRun,
  index: number,
  { batch, condition }: Decision & { kind: 'discard' },
  answer: LastAnswer | undefined,
): Promise<boolean> {
  const { ports, mapping, shardId } = run;
  const lastAnswer = batch.invocations > 0 ? answer : undefined;
  const discarded = { mapping, shardId, batch, condition, ...(lastAnswer && { lastAnswer }) };
  try {
    await ports.sendDiscarded(discarded);
  } catch (error) {
    ports.log(`${shardId}: the on-failure destination refused: ${nameOf(error)}`);
    await run.wake.pause(RETRY_MILLIS);
    return false;
  }
  run.lanes[index] = discard(run.lanes[index] ?? EMPTY_LANE, batch.records.length);
  return true;
}
