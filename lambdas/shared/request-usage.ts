import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { RejectionLedger } from '../domain/audit/ports.ts';
import { fixedPath, namedRule } from '../domain/audit/rejections.ts';
import { sum, uniqueBy } from '../domain/collections.ts';
import {
  errorCode,
  LineageError,
  RateLimitedError,
  type RuleViolation,
  UnavailableError,
  violationsOf,
} from '../domain/errors.ts';
import type { Acceptance } from '../domain/evidence/accept.ts';
import { bytesBucket } from '../domain/evidence/envelope.ts';
import { hourOf } from '../domain/evidence/hour-shard.ts';
import type { Clock } from '../domain/evidence/ports.ts';
import { type RateLimiter, refuseOverlongBatch } from '../domain/producers/rate-limit.ts';
import { type ApiLogger, PRODUCER_WAITS_MILLIS, tooLate } from './http/api-handler.ts';
import { problemOf } from './http/problem.ts';
import { Metric } from './metric-names.ts';
import type { MetricSink } from './metric-sink.ts';
import { within } from './within.ts';

/** A lease is one small update. Without an answer by then the limit is away, while the producer still waits. */
const ADMIT_MILLIS = 1_000;

/** The counts of a request are small updates at once, some ten times as fast: the answer waits no longer for them. */
const SETTLE_MILLIS = 300;

/** Of the time that a producer waits, what is kept to write the answer in. */
const ANSWER_MILLIS = 50;

export interface UsageDependencies {
  readonly limiter: RateLimiter;
  readonly rejections: RejectionLedger;
  readonly metrics: MetricSink;
  readonly clock: Clock;
  readonly logger: ApiLogger;
}

/** Strangers cause no write: a request without a valid key is a number and nothing else. */
export function countUnauthenticated(dependencies: Pick<UsageDependencies, 'metrics'>): void {
  countMetrics(dependencies, { [Metric.unauthenticatedRequests]: 1 });
}

/** What one request of a known producer uses of its limit, and what of it is refused for good. */
export class RequestUsage {
  readonly #event: APIGatewayProxyEvent;
  readonly #acceptance: Acceptance;
  readonly #dependencies: UsageDependencies;
  readonly #refusals = new Map<string, { refused: number; path: string }>();

  constructor(
    event: APIGatewayProxyEvent,
    acceptance: Acceptance,
    dependencies: UsageDependencies,
  ) {
    this.#event = event;
    this.#acceptance = acceptance;
    this.#dependencies = dependencies;
  }

  /** Spends tokens of the producer's limit. @throws RateLimitedError, UnavailableError */
  async admit(events: number): Promise<void> {
    const { registration, acceptedAtMillis } = this.#acceptance;
    const { limiter } = this.#dependencies;
    try {
      // A lease that comes late was taken for nothing: the window gives less, never more.
      await within(
        ADMIT_MILLIS,
        limiter.admit(registration, events, acceptedAtMillis),
        () => new UnavailableError('rate_limit'),
      );
    } catch (error) {
      if (error instanceof RateLimitedError) {
        countMetrics(this.#dependencies, { [Metric.rateLimitedRequests]: 1 });
      }
      throw error;
    }
  }

  /**
   * Spends a token for each accepted item of a batch, or trace of an export; the first was spent at the door.
   * @throws InvalidEventError when it has more than the limit lets through at once, RateLimitedError, UnavailableError
   */
  async admitBatch(items: number): Promise<void> {
    refuseOverlongBatch(this.#acceptance.registration, items);
    await this.admit(Math.max(items - 1, 0));
  }

  /**
   * To be called before anything is published: what is late already is answered with 503 and comes again, so
   * publishing it would only store it twice. A timer alone does not see this behind work that kept the processor.
   * @throws LineageError when the producer no longer waits
   */
  refuseLate(): void {
    if (this.#spentMillis() >= PRODUCER_WAITS_MILLIS) throw tooLate();
  }

  /** Notes what is refused for good while the request as a whole is answered with success. */
  refuse(violations: readonly RuleViolation[], count = 1): void {
    // An event that breaks one rule in many places is refused once.
    for (const { path, rule } of uniqueBy(violations, (violation) => violation.rule)) {
      const name = namedRule(rule);
      const refused = (this.#refusals.get(name)?.refused ?? 0) + count;
      this.#refusals.set(name, { path: fixedPath(path), ...this.#refusals.get(name), refused });
    }
  }

  /** Counts what was noted, before the answer leaves. A count that is lost or slow changes no answer and delays none. */
  async settle(): Promise<void> {
    if (this.#refusals.size === 0) return;
    const refusals = [...this.#refusals];
    const uncounted = await Promise.all(refusals.map((refusal) => this.#count(...refusal)));
    countMetrics(this.#dependencies, {
      [Metric.refusals]: sum(refusals.map(([, { refused }]) => refused)),
      [Metric.uncountedRefusals]: sum(uncounted),
    });
  }

  /** Counts a request that is refused as a whole; nothing when it may be sent again. */
  async settleRefusal(error: unknown): Promise<void> {
    const problem = problemOf(error);
    if (problem.status >= 500) return;
    this.#refusals.clear();
    if (error instanceof LineageError) this.refuse(violationsOf(error));
    else if (problem.errors.length > 0) this.refuse(problem.errors);
    else this.refuse([{ path: '$', rule: problem.title.toLowerCase().replaceAll(' ', '_') }]);
    await this.settle();
  }

  /** Counts the refusals under one rule, and answers how many of them may not have been. */
  async #count(
    rule: string,
    { refused, path }: { refused: number; path: string },
  ): Promise<number> {
    const { registration, acceptedAtMillis } = this.#acceptance;
    const { requestContext, resource } = this.#event;
    const { requestId } = requestContext;
    const at = new Date(acceptedAtMillis).toISOString();
    const rejection = {
      hour: hourOf(acceptedAtMillis),
      producerId: registration.producerId,
      rule,
      refused,
      sample: { at, requestId, route: resource, path, bytesBucket: sentBucket(this.#event) },
    };
    try {
      await within(
        this.#settleMillis(),
        this.#dependencies.rejections.count(rejection),
        () => new LineageError('count_too_late', 'the count took too long'),
      );
      return 0;
    } catch (error) {
      const code = errorCode(error);
      this.#dependencies.logger.error('refusal not counted', { requestId, rule, code });
      return refused;
    }
  }

  #settleMillis(): number {
    const left = PRODUCER_WAITS_MILLIS - ANSWER_MILLIS - this.#spentMillis();
    return Math.max(0, Math.min(SETTLE_MILLIS, left));
  }

  #spentMillis(): number {
    return this.#dependencies.clock() - this.#acceptance.acceptedAtMillis;
  }
}

/** Size of the body as sent, as a power of two. */
function sentBucket({ body, isBase64Encoded }: APIGatewayProxyEvent): number {
  return bytesBucket(Buffer.byteLength(body ?? '', isBase64Encoded ? 'base64' : 'utf8'));
}

/** Publishing writes a line to the log, so what belongs together is published at once. */
function countMetrics(
  { metrics }: Pick<UsageDependencies, 'metrics'>,
  counts: Readonly<Record<string, number>>,
): void {
  for (const [name, value] of Object.entries(counts)) {
    if (value > 0) metrics.addMetric(name, MetricUnit.Count, value);
  }
  metrics.publishStoredMetrics();
}
