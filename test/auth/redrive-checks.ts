import { DeleteRolePolicyCommand, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import { PutRecordsCommand } from '@aws-sdk/client-kinesis';
import { expect } from 'vitest';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../../localstack/aws.ts';
import { deployCrashingFunction } from '../support/crashing-function.ts';
import { runEvent, span, spanExport } from '../support/events.ts';
import type { Bench } from './bench.ts';
import type { Check } from './check.ts';
import { recordOf } from './deliveries.ts';

interface Position {
  readonly shardId: string;
  readonly sequenceNumber: string;
}

type Plane = 'lineage' | 'traces';

/** What redrive gets when the consumer of a stream gives a record up. */
export function failureOf(
  { environment }: Bench,
  { shardId, sequenceNumber }: Position,
  plane: Plane = 'lineage',
) {
  const streamArn = `arn:aws:kinesis:${LOCAL_REGION}:${LOCAL_ACCOUNT}:stream/${environment.streams[plane]}`;
  const KinesisBatchInfo = {
    ...{ shardId, streamArn },
    ...{ startSequenceNumber: sequenceNumber, endSequenceNumber: sequenceNumber },
    approximateArrivalOfFirstRecord: new Date().toISOString(),
  };
  return { Records: [{ messageId: sequenceNumber, body: JSON.stringify({ KinesisBatchInfo }) }] };
}

/** An archive function that dies of any record, which redrive may call. */
export async function deployCrashingArchive(bench: Bench) {
  const { iam, store } = bench;
  const { roleName: RoleName } = bench.roleOf('redrive');
  const arn = (service: string, region: string, resource: string) =>
    `arn:aws:${service}:${region}:${LOCAL_ACCOUNT}:${resource}`;
  const { name, remove } = await deployCrashingFunction(
    store.clients.lambda,
    arn('iam', '', `role/${RoleName}`),
  );
  const statement = {
    ...{ Effect: 'Allow', Action: 'lambda:InvokeFunction' },
    Resource: arn('lambda', LOCAL_REGION, `function:${name}`),
  };
  const policy = { RoleName, PolicyName: 'TheCrashingFunction' };
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
  await iam.send(new PutRolePolicyCommand({ ...policy, PolicyDocument }));
  return {
    name,
    remove: async () => {
      await iam.send(new DeleteRolePolicyCommand(policy));
      await remove();
    },
  };
}

/** @param crashing name of a function that dies of any record */
export function redriveChecks(bench: Bench, crashing: string): readonly Check[] {
  const { environment, store } = bench;
  const put = async (plane: Plane): Promise<Position> => {
    const body = plane === 'lineage' ? runEvent() : spanExport(span());
    const { Records = [] } = await store.clients.kinesis.send(
      new PutRecordsCommand({
        StreamName: environment.streams[plane],
        Records: [{ PartitionKey: 'test', Data: recordOf(body, plane) }],
      }),
    );
    const { SequenceNumber = '', ShardId = '' } = Records[0] ?? {};
    return { shardId: ShardId, sequenceNumber: SequenceNumber };
  };
  const redrive = async (position: Position, plane: Plane) => {
    const answer = await bench.invoke('redrive', failureOf(bench, position, plane));
    expect(answer.batchItemFailures).toEqual([]);
  };
  const redrives = (plane: Plane): Check => {
    let position: Position;
    return {
      fn: 'redrive',
      name: `archives a record of the ${plane} stream`,
      prepare: async () => {
        position = await put(plane);
      },
      run: () => redrive(position, plane),
    };
  };
  let position: Position;
  return [
    redrives('lineage'),
    redrives('traces'),
    {
      fn: 'redrive',
      name: 'names a record that the archive dies of, once',
      variables: { ARCHIVE_FUNCTION_NAME: crashing },
      prepare: async () => {
        position = await put('lineage');
        await redrive(position, 'lineage');
      },
      run: () => redrive(position, 'lineage'),
    },
  ];
}
