import type { MetricUnit } from '@aws-lambda-powertools/metrics';

/** Where a handler counts: Powertools metrics in a function, a list in a test. */
export interface MetricSink {
  addMetric(
    name: string,
    unit: (typeof MetricUnit)[keyof typeof MetricUnit],
    value: number,
  ): unknown;
  publishStoredMetrics(): unknown;
}
