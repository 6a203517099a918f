import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { fixedPath, namedRule } from '../domain/audit/rejections.ts';
import { uniqueBy } from '../domain/collections.ts';
import {
  errorCode,
  LineageError,
  RateLimitedError,
  type RuleViolation,
  violationsOf,
} from '../domain/errors.ts';
import type { Acceptance } from '../domain/evidence/accept.ts';
import { bytesBucket } from '../domain/evidence/envelope.ts';
import { hourOf } from '../domain/evidence/hour-shard.ts';
import type { RejectionLedger } from '../domain/ports.ts';
import { type RateLimiter, refuseOverlongBatch } from '../domain/producers/rate-limit.ts';
import type { ApiLogger } from './http/api-handler.ts';
import { problemOf } from './http/problem.ts';
import { Metric } from './metric-names.ts';
import type { MetricSink } from './metric-sink.ts';

export interface UsageDependencies {
  readonly limiter: RateLimiter;
  readonly rejections: RejectionLedger;
  readonly metrics: MetricSink;
  readonly logger: ApiLogger;
}

/** Strangers cause no write: a request without a valid key is a number and nothing else. */
export function countUnauthenticated(dependencies: Pick<UsageDependencies, 'metrics'>): void {
  countMetric(dependencies, Metric.unauthenticatedRequests, 1);
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
    try {
      await this.#dependencies.limiter.admit(registration, events, acceptedAtMillis);
    } catch (error) {
      if (error instanceof RateLimitedError) {
        countMetric(this.#dependencies, Metric.rateLimitedRequests, 1);
      }
      throw error;
    }
  }

  /**
   * Spends a token for each accepted item of a batch; the first was spent at the door.
   * @throws InvalidEventError when no window holds so many, RateLimitedError, UnavailableError
   */
  async admitBatch(items: number): Promise<void> {
    refuseOverlongBatch(this.#acceptance.registration, items);
    await this.admit(Math.max(items - 1, 0));
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

  /** Counts what was noted, before the answer leaves. A count that is lost changes no answer. */
  async settle(): Promise<void> {
    await Promise.all([...this.#refusals].map((refusal) => this.#count(...refusal)));
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

  async #count(rule: string, { refused, path }: { refused: number; path: string }): Promise<void> {
    const { registration, acceptedAtMillis } = this.#acceptance;
    const { requestContext, resource } = this.#event;
    const { requestId } = requestContext;
    const at = new Date(acceptedAtMillis).toISOString();
    countMetric(this.#dependencies, Metric.refusals, refused);
    try {
      await this.#dependencies.rejections.count({
        hour: hourOf(acceptedAtMillis),
        producerId: registration.producerId,
        rule,
        refused,
        sample: { at, requestId, route: resource, path, bytesBucket: sentBucket(this.#event) },
      });
    } catch (error) {
      countMetric(this.#dependencies, Metric.uncountedRefusals, refused);
      this.#dependencies.logger.error('refusal not counted', {
        requestId,
        rule,
        code: errorCode(error),
      });
    }
  }
}

/** Size of the body as sent, as a power of two. */
function sentBucket({ body, isBase64Encoded }: APIGatewayProxyEvent): number {
  return bytesBucket(Buffer.byteLength(body ?? '', isBase64Encoded ? 'base64' : 'utf8'));
}

function countMetric(
  { metrics }: Pick<UsageDependencies, 'metrics'>,
  name: string,
  value: number,
): void {
  metrics.addMetric(name, MetricUnit.Count, value);
  metrics.publishStoredMetrics();
}
