import { randomBytes, randomUUID } from 'node:crypto';
import { type PlannedError, type Statement, statements } from './statements.ts';

/** One run as both programs are told to report it. Times are microseconds since the epoch. */
export interface PlannedRun extends Statement {
  readonly runId: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly parent?: { run: RunReference; root: RunReference };
  readonly startedAtMicros: number;
  readonly endedAtMicros: number;
  readonly error?: PlannedError;
}

interface RunReference {
  readonly runId: string;
  readonly namespace: string;
  readonly name: string;
}

/** The spans of the caller, which carry no run id: they surround the first run in its trace. */
export interface PlannedCaller {
  readonly traceId: string;
  readonly sessionSpanId: string;
  readonly ordinarySpanId: string;
  readonly callSpanId: string;
}

export interface WorkloadPlan {
  readonly jobNamespace: string;
  readonly runs: readonly PlannedRun[];
  readonly caller: PlannedCaller;
}

const MICROS_PER_MILLI = 1000;
// No run of the plan starts later than this after the first one: the plan then ends before `now`.
const PLAN_MILLIS = 5000;
const SECOND_MICROS = 1_000_000;
// The child lies within its parent.
const CHILD_MARGIN_MICROS = 20_011;

const traceId = () => randomBytes(16).toString('hex');
const spanId = () => randomBytes(8).toString('hex');

/** The five runs with fresh ids, all in the seconds before `now`. */
export function createPlan(now: Date): WorkloadPlan {
  const jobNamespace = 'mcp-lineage-demo';
  const caller = {
    traceId: traceId(),
    sessionSpanId: spanId(),
    ordinarySpanId: spanId(),
    callSpanId: spanId(),
  };
  const firstStart = (now.getTime() - PLAN_MILLIS) * MICROS_PER_MILLI;
  // Whole milliseconds never: a shortened time stamp would hide a rounding of the last digits.
  const fresh = (statement: Statement, position: number) => ({
    ...statement,
    runId: randomUUID(),
    traceId: traceId(),
    spanId: spanId(),
    startedAtMicros: firstStart + position * SECOND_MICROS + 137 * (position + 1),
    endedAtMicros: firstStart + position * SECOND_MICROS + 41_893 * (position + 1),
  });

  const complete = {
    ...fresh(statements.complete, 0),
    traceId: caller.traceId,
    parentSpanId: caller.callSpanId,
  };
  const failed = fresh(statements.failed, 1);
  const columns = fresh(statements.columnLineage, 2);
  // The parent is a run that the store holds, the root one that it only knows by reference.
  const child = {
    ...fresh(statements.child, 3),
    traceId: columns.traceId,
    parentSpanId: columns.spanId,
    startedAtMicros: columns.startedAtMicros + CHILD_MARGIN_MICROS,
    endedAtMicros: columns.endedAtMicros - CHILD_MARGIN_MICROS,
    parent: {
      run: { runId: columns.runId, namespace: jobNamespace, name: columns.jobName },
      root: { runId: randomUUID(), namespace: 'agent-sessions', name: 'month-end-review' },
    },
  };
  const killed = fresh(statements.killed, 4);
  return { jobNamespace, caller, runs: [complete, failed, columns, child, killed] };
}
