import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { metricNamespace } from '../../lambdas/shared/metric-names.ts';
import type { ServiceFunction } from './service-function.ts';

/** Fires when the metric stays above the threshold for all periods; a missing value is a good one, if nothing else is said. */
export interface AlarmCondition {
  readonly id: string;
  readonly metric: IMetric;
  readonly threshold: number;
  /** @default 1 */
  readonly periods?: number;
  /** @default false: no value is as good as a low one */
  readonly firesWithoutData?: boolean;
  /** What it means and what to do, in one sentence. */
  readonly advice: string;
  /** Anchor in docs/operations.md. */
  readonly runbook: string;
}

/** As fine as these alarms need, as coarse as keeps them cheap. */
const PERIOD = Duration.minutes(5);
const SUM = { period: PERIOD, statistic: Stats.SUM };
const MAXIMUM = { period: PERIOD, statistic: Stats.MAXIMUM };

/** Sum of a metric that a function writes; `service` is the dimension that Powertools adds. */
export function functionMetric(metricName: string, { folder, stage }: ServiceFunction): Metric {
  return new Metric({
    ...SUM,
    dimensionsMap: { service: folder },
    metricName,
    namespace: metricNamespace(stage),
  });
}

/** Highest value of a metric that a function writes. */
export const functionMaximum = (metricName: string, fn: ServiceFunction): IMetric =>
  functionMetric(metricName, fn).with(MAXIMUM);

/** Age in milliseconds of the last record that the function got. */
export const iteratorAge = ({ fn }: ServiceFunction): IMetric =>
  fn.metric('IteratorAge', { ...MAXIMUM });

export const errors = ({ fn }: ServiceFunction): IMetric => fn.metricErrors(SUM);

export const throttles = ({ fn }: ServiceFunction): IMetric => fn.metricThrottles(SUM);

/** Answers from 500 up of the whole stage, those of the gateway included. */
export const serverErrors = (api: RestApi): IMetric => api.deploymentStage.metricServerError(SUM);

export const requests = (api: RestApi): IMetric => api.deploymentStage.metricCount(SUM);

export const messages = (queue: Queue): IMetric =>
  queue.metricApproximateNumberOfMessagesVisible(MAXIMUM);

/** Age in seconds of the oldest message. */
export const messageAge = (queue: Queue): IMetric =>
  queue.metricApproximateAgeOfOldestMessage(MAXIMUM);
