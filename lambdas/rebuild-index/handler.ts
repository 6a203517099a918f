import type { Context } from 'aws-lambda';
import { errorCode, LineageError } from '../domain/errors.ts';
import {
  type Continuation,
  findPlan,
  itemsKey,
  type PlannedPartition,
  planName,
  planRebuild,
  type RebuildIndexDependencies,
  rebuildAnswer,
  rebuildPlanned,
  reportRebuild,
} from '../domain/rebuild/rebuild-index.ts';
import type { FunctionLog } from '../shared/function-log.ts';

export interface RebuildIndexHandlerDependencies extends RebuildIndexDependencies {
  readonly logger: Pick<FunctionLog, 'info' | 'error'>;
}

/** A step of the state machine. */
export type RebuildStep =
  | { readonly step: 'plan'; readonly from?: string; readonly to?: string }
  | {
      readonly step: 'partition';
      readonly partition: PlannedPartition;
      readonly before?: Continuation;
    }
  | { readonly step: 'report'; readonly plan: string };

/** Begun with less than this left, a window of objects might outlast the invocation. */
const WINDOW_MILLIS = 120_000;

/**
 * Plans a rebuild, rebuilds one partition of a plan, or reports a plan that is done. A partition that takes longer
 * than an invocation answers the step that goes on with it.
 */
export function createHandler({ logger, ...dependencies }: RebuildIndexHandlerDependencies) {
  return async (
    event: RebuildStep,
    context: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<object> => {
    try {
      if (event.step === 'plan') return await plan(event);
      if (event.step === 'report') return await report(event.plan);
      return await rebuild(event, () => context.getRemainingTimeInMillis() > WINDOW_MILLIS);
    } catch (error) {
      logger.error('index not rebuilt', { step: event.step, code: errorCode(error) });
      throw error;
    }
  };

  async function plan({ from, to }: Extract<RebuildStep, { step: 'plan' }>) {
    const interval = {
      ...(from !== undefined && { fromMillis: timeOf(from) }),
      ...(to !== undefined && { toMillis: timeOf(to) }),
    };
    const name = planName(dependencies.clock());
    const { partitions } = await planRebuild(name, interval, dependencies);
    logger.info('rebuild planned', { plan: name, partitions: partitions.length });
    return { plan: name, bucket: dependencies.stagingBucket, itemsKey: itemsKey(name) };
  }

  async function rebuild(
    { partition, before }: Extract<RebuildStep, { step: 'partition' }>,
    hasTime: () => boolean,
  ) {
    const next = await rebuildPlanned(partition, dependencies, before, hasTime);
    return next ? { step: 'partition', partition, before: next } : { step: 'done' };
  }

  async function report(name: string) {
    const filed = await reportRebuild(await findPlan(name, dependencies), dependencies);
    const { status, rebuilt } = filed.report;
    logger.info('index rebuilt', { plan: name, status, ...rebuilt });
    return rebuildAnswer(filed);
  }
}

function timeOf(text: string): number {
  const millis = Date.parse(text);
  if (Number.isNaN(millis)) {
    throw new LineageError('invalid_interval', 'from and to are RFC 3339 times');
  }
  return millis;
}
