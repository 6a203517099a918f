import { ListEventSourceMappingsCommand } from '@aws-sdk/client-lambda';
import { GetObjectLockConfigurationCommand } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { readStage } from '../../localstack/assembly.ts';
import { emulatorOf } from '../../localstack/emulators/emulators.ts';
import { localPaths } from '../../localstack/paths.ts';
import { mismatches, type Readback, readBack } from '../../localstack/reconcile.ts';
import { StoreClient } from '../support/store-client.ts';

describe('settings of the deployment', () => {
  const store = new StoreClient(inject('environment'));
  let readbacks: readonly Readback[];

  beforeAll(async () => {
    const stacks = readStage(localPaths(inject('localDir')).assembly, 'LineageEvidence-local');
    const { name } = store.environment.emulator;
    readbacks = await readBack(store.clients, stacks, emulatorOf(name));
  });

  it('are what was synthesised', () => {
    expect(mismatches(readbacks)).toEqual([]);
  });

  it.each([
    [/Vault\/Bucket/, /lock/i],
    [/Vault\/Bucket/, /encryption/i],
    [/Staging\/Bucket/, /lifecycle/i],
    [/Tables\/Index/, /ttl|time to live/i],
    [/Tables\/Index/, /recovery/i],
    [/Lineage\/Stream/, /encryption/i],
    [/Lineage\/Stream/, /retention/i],
    [/LineageFailures/, /dead-letter/i],
  ])('were read back for %s: %s', (resource, setting) => {
    const read = readbacks.filter(
      (item) => resource.test(item.resource) && setting.test(item.setting),
    );
    expect(read).not.toEqual([]);
    expect(read.map(({ actual }) => actual)).not.toContain(undefined);
  });

  it('lock the vault at the floor by default', async () => {
    const { ObjectLockConfiguration } = await store.clients.s3.send(
      new GetObjectLockConfigurationCommand({ Bucket: store.environment.buckets.vault }),
    );
    expect(ObjectLockConfiguration).toEqual({
      ObjectLockEnabled: 'Enabled',
      Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: 1 } },
    });
  });

  it('hold for the event source mappings', async () => {
    const stacks = readStage(localPaths(inject('localDir')).assembly, 'LineageEvidence-local');
    const wanted = stacks
      .flatMap(({ resources }) => Object.values(resources))
      .filter(
        ({ Type, Properties }) =>
          Type === 'AWS::Lambda::EventSourceMapping' && Properties?.StartingPosition,
      );
    const { EventSourceMappings = [] } = await store.clients.lambda.send(
      new ListEventSourceMappingsCommand({}),
    );
    const deployed = EventSourceMappings.filter(({ EventSourceArn }) =>
      EventSourceArn?.includes(':kinesis:'),
    );

    const settings = (mapping: Readonly<Record<string, unknown>>) => ({
      BatchSize: mapping.BatchSize,
      BisectBatchOnFunctionError: mapping.BisectBatchOnFunctionError,
      FunctionResponseTypes: mapping.FunctionResponseTypes,
      MaximumBatchingWindowInSeconds: mapping.MaximumBatchingWindowInSeconds,
      MaximumRetryAttempts: mapping.MaximumRetryAttempts,
      StartingPosition: mapping.StartingPosition,
    });
    expect(wanted).toHaveLength(2);
    expect(deployed.map((mapping) => settings({ ...mapping }))).toEqual(
      wanted.map(({ Properties = {} }) => settings(Properties)),
    );
    for (const { DestinationConfig } of deployed)
      expect(DestinationConfig?.OnFailure?.Destination).toContain(':sqs:');
  });
});
