import {
  type EventSourceMappingConfiguration,
  GetEventSourceMappingCommand,
  type LambdaClient,
} from '@aws-sdk/client-lambda';
import { UserError } from '../errors.ts';
import type { Mapping, StartingPosition } from './model.ts';

/** Reads a mapping and its settings. Throws a UserError for a setting that the runner does not honour. */
export async function readMapping(lambda: LambdaClient, uuid: string): Promise<Mapping> {
  return toMapping(await lambda.send(new GetEventSourceMappingCommand({ UUID: uuid })));
}

/** A mapping as the runner needs it, absent settings filled with AWS's defaults. */
export function toMapping(source: EventSourceMappingConfiguration): Mapping {
  const { UUID, EventSourceArn, FunctionArn } = source;
  if (!UUID || !EventSourceArn?.includes(':kinesis:') || !FunctionArn) {
    throw new UserError(`The event source mapping ${UUID} is not one of a Kinesis stream.`);
  }
  refuseUnknown(source);
  const onFailureArn = source.DestinationConfig?.OnFailure?.Destination;
  return {
    uuid: UUID,
    streamArn: EventSourceArn,
    functionArn: FunctionArn,
    startingPosition: startingPosition(source),
    ...(onFailureArn !== undefined && { onFailureArn }),
    settings: {
      batchSize: source.BatchSize ?? 100,
      windowMillis: (source.MaximumBatchingWindowInSeconds ?? 0) * 1_000,
      maximumRetryAttempts: source.MaximumRetryAttempts ?? -1,
      maximumRecordAgeSeconds: source.MaximumRecordAgeInSeconds ?? -1,
      bisectOnError: source.BisectBatchOnFunctionError ?? false,
      reportsItemFailures:
        source.FunctionResponseTypes?.includes('ReportBatchItemFailures') ?? false,
      parallelizationFactor: source.ParallelizationFactor ?? 1,
    },
  };
}

/** Ignoring a setting would let a local run pass that fails on AWS. */
function refuseUnknown(source: EventSourceMappingConfiguration): void {
  const unknown = [
    source.FilterCriteria?.Filters?.length ? 'FilterCriteria' : undefined,
    source.TumblingWindowInSeconds ? 'TumblingWindowInSeconds' : undefined,
    source.DestinationConfig?.OnSuccess?.Destination ? 'OnSuccess' : undefined,
  ].filter((name) => name !== undefined);
  if (unknown.length > 0) {
    throw new UserError(
      `The local event source runner does not know ${unknown.join(', ')}: remove it from the mapping of ${source.FunctionArn} or add it to localstack/event-source.`,
    );
  }
}

function startingPosition(source: EventSourceMappingConfiguration): StartingPosition {
  const timestamp = source.StartingPositionTimestamp;
  if (source.StartingPosition === 'AT_TIMESTAMP' && timestamp) {
    return { kind: 'AT_TIMESTAMP', timestamp: new Date(timestamp).getTime() };
  }
  return { kind: source.StartingPosition === 'LATEST' ? 'LATEST' : 'TRIM_HORIZON' };
}
