import {
  type EventSourceMappingConfiguration,
  GetEventSourceMappingCommand,
  GetFunctionConcurrencyCommand,
  PutFunctionConcurrencyCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import type { Properties, Setting } from './setting.ts';

const mapping = 'AWS::Lambda::EventSourceMapping';

/** Settings of a mapping that the runner honours; compared as they stand in the template. */
const MAPPING_SETTINGS = [
  'BatchSize',
  'BisectBatchOnFunctionError',
  'DestinationConfig',
  'EventSourceArn',
  'FunctionResponseTypes',
  'MaximumBatchingWindowInSeconds',
  'MaximumRecordAgeInSeconds',
  'MaximumRetryAttempts',
  'ParallelizationFactor',
  'StartingPosition',
] as const;

/** Settings of functions and of event source mappings. */
export const functionSettings: readonly Setting[] = [
  {
    type: 'AWS::Lambda::Function',
    name: 'reserved concurrency',
    expected: ({ ReservedConcurrentExecutions }) => ReservedConcurrentExecutions,
    apply: ({ lambda }, FunctionName, { ReservedConcurrentExecutions }) =>
      lambda.send(
        new PutFunctionConcurrencyCommand({
          FunctionName,
          ReservedConcurrentExecutions: Number(ReservedConcurrentExecutions),
        }),
      ),
    read: async ({ lambda }, FunctionName) =>
      (await lambda.send(new GetFunctionConcurrencyCommand({ FunctionName })))
        .ReservedConcurrentExecutions,
  },
  ...MAPPING_SETTINGS.map(
    (name): Setting => ({
      type: mapping,
      name,
      expected: (properties) => properties[name],
      read: async ({ lambda }, UUID) => {
        const answer = await lambda.send(new GetEventSourceMappingCommand({ UUID }));
        return answer[name as keyof EventSourceMappingConfiguration];
      },
    }),
  ),
];

/** Whether the emulator polls a mapping: where it does not poll Kinesis well enough, our runner does instead. */
export function polledByEmulator(pollsKinesis: boolean): Setting {
  const isOurs = (properties: Properties) => !pollsKinesis && isKinesis(properties);
  return {
    type: mapping,
    name: 'polled by the emulator',
    expected: (properties) => !isOurs(properties) && properties.Enabled !== false,
    apply: ({ lambda }, UUID, properties) =>
      isOurs(properties)
        ? lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: false }))
        : Promise.resolve(),
    read: async ({ lambda }, UUID) =>
      (await lambda.send(new GetEventSourceMappingCommand({ UUID }))).State === 'Enabled',
  };
}

/** Whether a mapping reads a Kinesis stream. */
export function isKinesis({ EventSourceArn }: Properties): boolean {
  return String(EventSourceArn).includes(':kinesis:');
}
