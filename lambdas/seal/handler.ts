import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Context } from 'aws-lambda';
import { errorCode } from '../domain/errors.ts';
import { UNANCHORED } from '../domain/integrity/digest.ts';
import { type RecountDependencies, recount } from '../domain/integrity/recount.ts';
import { type SealDependencies, type SealRun, seal } from '../domain/integrity/seal.ts';
import type { StandingDigest } from '../domain/integrity/seal-standing.ts';
import { type AuditRequest, auditInterval } from '../shared/audit-request.ts';
import type { FunctionLog } from '../shared/function-log.ts';
import { Metric } from '../shared/metric-names.ts';
import type { MetricSink } from '../shared/metric-sink.ts';

export interface SealHandlerDependencies extends Omit<SealDependencies, 'recount'> {
  /** What the streams are counted with. */
  readonly counting: Omit<RecountDependencies, 'asOfMillis' | 'clock' | 'hasTime'>;
  readonly logger: Pick<FunctionLog, 'info' | 'warn' | 'error'>;
  readonly metrics: MetricSink;
}

/** What may be asked for: the chain itself says where it goes on, so `to` is taken and decides nothing. */
export interface SealRequest extends AuditRequest {
  /**
   * Looks for what landed late now, and not when the next UTC day begins; with `from`, for all that landed or could not
   * be read since.
   */
  readonly sweep?: boolean;
  /** Digests to write at most. */
  readonly maxDigests?: number;
}

/** What the run did, and where the chain stands. */
export interface SealAnswer extends Omit<SealRun, 'head'> {
  readonly head?: Pick<StandingDigest, 'sha256' | 'signature'> & {
    readonly key: string;
    readonly number: number;
    readonly to: string;
  };
  /** Where heads are sent outside the account. */
  readonly anchor: string;
}

/** An interval is begun only with this left: what it holds took a second or two in every measurement. */
const RESERVE_MILLIS = 120_000;

/** Seals the closed intervals behind the head of the chain. */
export function createHandler({
  counting,
  logger,
  metrics,
  ...dependencies
}: SealHandlerDependencies) {
  return async (request: SealRequest, context: Context): Promise<SealAnswer> => {
    try {
      const { asOf, from } = auditInterval(request, dependencies.clock());
      const asOfMillis = Date.parse(asOf);
      const hasTime = () => context.getRemainingTimeInMillis() > RESERVE_MILLIS;
      const recountStreams: SealDependencies['recount'] = async (interval, previous) => {
        const { failures, ...counted } = await recount(interval, previous, {
          ...counting,
          ...{ asOfMillis, hasTime, clock: dependencies.clock },
        });
        if (failures.length > 0) {
          logger.warn('streams not counted', { codes: [...new Set(failures)] });
        }
        return counted;
      };
      const { head, ...counted } = await seal(
        {
          asOfMillis,
          sweep: request.sweep === true,
          ...(request.from !== undefined && { sweepFromMillis: Date.parse(from) }),
          ...(request.maxDigests !== undefined && { maxDigests: request.maxDigests }),
          hasTime,
        },
        { ...dependencies, recount: recountStreams },
      );
      metrics.addMetric(Metric.digestsSealed, MetricUnit.Count, counted.digests);
      metrics.addMetric(Metric.sealedRecords, MetricUnit.Count, counted.records);
      metrics.addMetric(Metric.lateObjects, MetricUnit.Count, counted.late);
      metrics.addMetric(Metric.unsentHeads, MetricUnit.Count, counted.unsent);
      metrics.addMetric(Metric.sealViolations, MetricUnit.Count, counted.found);
      if (head) {
        const age = (dependencies.clock() - Date.parse(head.digest.to)) / 1_000;
        metrics.addMetric(Metric.digestAge, MetricUnit.Seconds, age);
      }
      logger.info('sealed', { ...counted, to: head?.digest.to });
      return {
        ...counted,
        ...(head && { head: headOf(head) }),
        anchor: dependencies.anchor?.name ?? UNANCHORED,
      };
    } catch (error) {
      logger.error('not sealed', { code: errorCode(error) });
      throw error;
    } finally {
      metrics.publishStoredMetrics();
    }
  };
}

function headOf({ digest, sha256, signature }: StandingDigest): SealAnswer['head'] {
  return { key: digest.location.key, number: digest.number, to: digest.to, sha256, signature };
}
