import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CloudFormationClient,
  DeleteStackCommand,
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { administrationOf, OPERATOR } from '../../bin/evidence/administration.ts';
import { resourcesFrom } from '../../bin/evidence/deployment.ts';
import { rebuildingOf } from '../../bin/evidence/rebuild-dependencies.ts';
import type { Digest } from '../../lambdas/domain/integrity/digest.ts';
import { rotateKey } from '../../lambdas/domain/producers/change-producer.ts';
import {
  plannedPartitions,
  planRebuild,
  rebuildPlanned,
} from '../../lambdas/domain/rebuild/rebuild-index.ts';
import { rebuildRegisters } from '../../lambdas/domain/rebuild/rebuild-registers.ts';
import type { SealAnswer } from '../../lambdas/seal/handler.ts';
import type { AdoptedResources } from '../../lib/config/environment-config.ts';
import { runCdk } from '../../localstack/cdk.ts';
import type { Environment } from '../../localstack/environment.ts';
import { REPOSITORY } from '../../localstack/paths.ts';
import { waitUntil } from '../../localstack/process.ts';
import { startTemporary, type Temporary } from '../../localstack/temporary.ts';
import { runEvent, span, spanExport } from '../support/events.ts';
import { StoreClient } from '../support/store-client.ts';

/** An emulator of its own and two deployments: a minute on an idle machine. */
const LONG_MILLIS = 600_000;

describe('a deployment anew over what another one left', () => {
  let temporary: Temporary;
  beforeAll(async () => {
    temporary = await startTemporary('adopt');
  }, LONG_MILLIS);
  afterAll(() => temporary?.remove(), LONG_MILLIS);

  it(
    'answers as the first one did',
    async () => {
      const first = temporary.environment;
      const store = new StoreClient(first);
      const paths = await fill(store);
      const before = await Promise.all(paths.map((path) => store.get(path)));
      const sealed = await headAfter(store, -1);
      const adopt = await retainedOf(first, store.clients.cloudformation);
      await deleteStacks(store.clients.cloudformation);

      const second = await deployAdopting(adopt, first, temporary.localDir);
      expect(second.buckets.vault).toBe(first.buckets.vault);
      expect(second.tables.index).not.toBe(first.tables.index);
      const { index, registers } = rebuildingOf(second);
      await rebuildRegisters(registers);
      const plan = await planRebuild('adopted', {}, index);
      for (const partition of plannedPartitions(plan)) await rebuildPlanned(partition, index);

      const refused = await new StoreClient(second).get(paths[0] as string);
      expect(refused.status).toBe(401);
      const { producers } = administrationOf(second);
      const { key } = await rotateKey('demo-read', 0, OPERATOR, producers);
      const again = new StoreClient({ ...second, keys: { ...first.keys, read: key as string } });
      for (const [at, path] of paths.entries()) {
        const { status, json } = await again.get(path);
        expect([path, status, json]).toEqual([path, 200, before[at]?.json]);
      }
      const digest = await headAfter(again, sealed.number);
      expect(digest.signer).toEqual(sealed.signer);
      expect(digest).not.toHaveProperty('nextSigner');
    },
    LONG_MILLIS,
  );
});

async function fill(store: StoreClient): Promise<string[]> {
  const runId = randomUUID();
  const linked = span({}, runId);
  await store.post('/v1/traces', JSON.stringify(spanExport(linked)), 'traces');
  const context = { traceId: linked.traceId, spanId: linked.spanId };
  const run = { runId, facets: { bearingnode_traceContext: context } };
  const { json } = await store.store(runEvent({ run }));
  const trace = `/api/v1/traces/${linked.traceId}`;
  await store.until(trace, (answer) => answer.json.deliveries.length === 1);
  return [`/api/v1/runs/${runId}`, `/api/v1/events/${json.receiptId}`, trace];
}

/** Seals until the chain in the vault is longer than it was, and reads its head. */
async function headAfter(store: StoreClient, number: number): Promise<Digest> {
  const { buckets, functions } = store.environment;
  let head: SealAnswer['head'];
  const grows = async () => {
    const { Payload } = await store.clients.lambda.send(
      new InvokeCommand({ FunctionName: functions.seal, Payload: '{}' }),
    );
    head = (JSON.parse(Buffer.from(Payload ?? []).toString()) as SealAnswer).head;
    return (head?.number ?? -1) > number;
  };
  expect(await waitUntil(grows, 150_000, 2_000)).toBe(true);
  const document = await store.object({ bucket: buckets.vault, key: head?.key as string });
  return JSON.parse(document.toString()) as Digest;
}

/** What an operator looks up before the stacks go (docs/upgrade.md, Adopt). */
async function retainedOf(
  { buckets, streams, hmacKeyArn, region }: Environment,
  client: CloudFormationClient,
): Promise<AdoptedResources> {
  const { StackResources = [] } = await client.send(
    new DescribeStackResourcesCommand({ StackName: 'LineageEvidence-local-Data' }),
  );
  const physicalId = (logicalId: RegExp) =>
    StackResources.find(({ LogicalResourceId = '' }) => logicalId.test(LogicalResourceId))
      ?.PhysicalResourceId as string;
  const arnOf = (keyId: string) => `arn:aws:kms:${region}:000000000000:key/${keyId}`;
  const keyArn = (construct: string) =>
    arnOf(physicalId(new RegExp(`^${construct}Key[0-9A-F]{8}$`)));
  const streamArn = (name: string) => `arn:aws:kinesis:${region}:000000000000:stream/${name}`;
  return {
    vault: { bucketName: buckets.vault, keyArn: keyArn('Vault') },
    staging: { bucketName: buckets.staging, keyArn: keyArn('Staging') },
    lineage: { streamArn: streamArn(streams.lineage), keyArn: keyArn('Lineage') },
    traces: { streamArn: streamArn(streams.traces), keyArn: keyArn('Traces') },
    hmacKeyArn,
    signing: {
      roleName: physicalId(/^SigningRole[0-9A-F]{8}$/),
      keyArns: [arnOf(physicalId(/^SigningKey0[0-9A-F]{8}$/))],
    },
  };
}

async function deleteStacks(client: CloudFormationClient): Promise<void> {
  for (const stack of ['Monitoring', 'Pipeline', 'Data']) {
    const StackName = `LineageEvidence-local-${stack}`;
    await client.send(new DeleteStackCommand({ StackName }));
    const isGone = async () => {
      const found = await client.send(new DescribeStacksCommand({ StackName })).catch(() => null);
      const status = found?.Stacks?.[0]?.StackStatus ?? 'DELETE_COMPLETE';
      expect(status).not.toBe('DELETE_FAILED');
      return status === 'DELETE_COMPLETE';
    };
    expect(await waitUntil(isGone, 60_000)).toBe(true);
  }
}

async function deployAdopting(
  adopt: AdoptedResources,
  first: Environment,
  localDir: string,
): Promise<Environment> {
  const outputs = join(localDir, 'adopted-outputs.json');
  const assembly = join(localDir, 'adopted-assembly');
  const cdk = {
    ...{ repository: REPOSITORY, endpoint: first.endpointUrl, abortWhen: () => undefined },
    ...{ log: join(localDir, 'adopted.log'), record: join(localDir, 'adopted-cdk.json') },
  };
  const stacks = 'LineageEvidence-adopted/*';
  const app = ['--app', 'node --import tsx test/support/adopting-app.ts'];
  const context = ['--context', `adopt=${JSON.stringify(adopt)}`];
  const synth = ['synth', stacks, '--quiet', '--output', assembly, ...app, ...context];
  await runCdk(cdk, synth, LONG_MILLIS);
  const deploy = ['deploy', stacks, '--app', assembly, '--require-approval', 'never'];
  await runCdk(cdk, [...deploy, '-O', outputs], LONG_MILLIS);
  const byStack = JSON.parse(readFileSync(outputs, 'utf8')) as Record<string, object>;
  const all: Record<string, string> = Object.assign({}, ...Object.values(byStack));
  const { ApiId, ApiStageName } = all;
  return {
    ...first,
    ...resourcesFrom((name) => all[name] as string),
    apiUrl: `${first.endpointUrl}/restapis/${ApiId}/${ApiStageName}/_user_request_`,
  };
}
