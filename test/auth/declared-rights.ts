import {
  GetFunctionConfigurationCommand,
  ListEventSourceMappingsCommand,
} from '@aws-sdk/client-lambda';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../../localstack/aws.ts';
import type { Bench } from './bench.ts';
import type { FunctionName, Right } from './roles.ts';

/** What a mapping does in the name of the function that it feeds, by the service of its source. */
const POLLS: Readonly<Record<string, readonly string[]>> = {
  kinesis: [
    'kinesis:DescribeStream',
    'kinesis:DescribeStreamSummary',
    'kinesis:GetRecords',
    'kinesis:GetShardIterator',
    'kinesis:ListShards',
  ],
  sqs: ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
};

/**
 * The rights that Lambda itself uses in the name of a function, by how it is deployed: to write its log, and to read
 * the sources of its mappings. The emulator does both without asking.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-intro-execution-role.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-kinesis.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 */
export async function declaredRights(
  fn: FunctionName,
  { environment, gateway, store }: Bench,
): Promise<readonly Right[]> {
  const { lambda } = store.clients;
  const FunctionName = environment.functions[fn];
  const { LoggingConfig } = await lambda.send(
    new GetFunctionConfigurationCommand({ FunctionName }),
  );
  const log = `arn:aws:logs:${LOCAL_REGION}:${LOCAL_ACCOUNT}:log-group:${LoggingConfig?.LogGroup}:*`;
  const { EventSourceMappings = [] } = await lambda.send(
    new ListEventSourceMappingsCommand({ FunctionName }),
  );
  const ofMappings = EventSourceMappings.flatMap(({ DestinationConfig, EventSourceArn = '' }) => {
    const failures = DestinationConfig?.OnFailure?.Destination;
    const key = gateway.keyOf.get(EventSourceArn);
    return [
      ...(POLLS[EventSourceArn.split(':')[2] ?? ''] ?? []).map((action) => ({
        ...{ action, pattern: EventSourceArn },
      })),
      ...(key === undefined ? [] : [{ action: 'kms:Decrypt', pattern: key }]),
      ...(failures === undefined ? [] : [{ action: 'sqs:SendMessage', pattern: failures }]),
    ];
  });
  return [
    { action: 'logs:CreateLogStream', pattern: log },
    { action: 'logs:PutLogEvents', pattern: log },
    ...ofMappings,
  ];
}
