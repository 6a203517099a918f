import {
  AccessLogFormat,
  LogGroupLogDestination,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import type { Construct } from 'constructs';
import type { EnvironmentConfig } from '../config/environment-config.ts';
import { logGroup } from './log-group.ts';

/** Route and outcome only: a path holds run ids, a query string dataset names. */
const FORMAT = AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.requestId',
    time: '$context.requestTimeEpoch',
    method: '$context.httpMethod',
    route: '$context.resourcePath',
    status: '$context.status',
    errorType: '$context.error.responseType',
    responseBytes: '$context.responseLength',
    latencyMillis: '$context.responseLatency',
    integrationStatus: '$context.integrationStatus',
    sourceIp: '$context.identity.sourceIp',
  }),
);

/** Stage options that write access logs, or none where the account has no role for them. */
export function accessLogOptions(scope: Construct, config: EnvironmentConfig): StageOptions {
  if (config.gatewayAccountRole === 'none') return {};
  return {
    accessLogDestination: new LogGroupLogDestination(logGroup(scope, 'AccessLogs', config)),
    accessLogFormat: FORMAT,
  };
}
