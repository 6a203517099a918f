import {
  GetRolePolicyCommand,
  IAMClient,
  ListRolePoliciesCommand,
  PutRolePolicyCommand,
  paginateListRoles,
} from '@aws-sdk/client-iam';
import { GetBucketPolicyCommand, PutBucketPolicyCommand } from '@aws-sdk/client-s3';
import { clientConfig } from './aws.ts';
import { createClients } from './clients.ts';
import { startEmulator } from './emulator.ts';
import { recordedEmulator } from './emulator-life.ts';
import { ministack } from './emulators/ministack.ts';
import type { Environment } from './environment.ts';
import { UserError } from './errors.ts';
import { evaluableResourcePolicy, wronglyRefused } from './evaluable-policy.ts';
import type { RunnerConfig } from './event-source/runner.ts';
import { runnerFiles, startEventSource } from './event-source.ts';
import { readJson } from './json-file.ts';
import { stopLocal } from './local-end.ts';
import { localPaths } from './paths.ts';

/** What the emulator alone has to be told, so that the deployed policies decide. */
const EMULATOR_POLICY = 'WhatTheEmulatorCannotEvaluate';

/**
 * Starts the emulator of a deployed local environment again so that it asks IAM: signatures, identity policies and
 * resource policies are evaluated, and functions run with the rights of their execution roles. Its root keys still
 * bypass everything but resource policies of queues, and nothing can be deployed to it any more. What it cannot evaluate
 * it no longer asks for.
 * @param tlsEnd where requests are passed on to it as if they had come over TLS, which resource policies ask for
 */
export async function enforceIam(
  localDir: string,
  { buckets }: Environment,
  tlsEnd: string,
): Promise<void> {
  const paths = localPaths(localDir);
  const { port } = recordedEmulator(localDir);
  const runner = readJson<RunnerConfig>(runnerFiles(paths.eventSource).config);
  if (runner === undefined) throw new UserError('No event source runs: run npm start.');
  await stopLocal(localDir);
  const program = await ministack.install();
  const { emulator } = await startEmulator(ministack, program, paths, port, { AUTH: 'true' });
  await rewriteVaultPolicy(emulator.endpoint, buckets.vault);
  await allowWronglyRefused(emulator.endpoint);
  await startEventSource(paths, tlsEnd, runner.mappings);
}

async function rewriteVaultPolicy(endpoint: string, Bucket: string): Promise<void> {
  const { s3 } = createClients(endpoint);
  const { Policy = '' } = await s3.send(new GetBucketPolicyCommand({ Bucket }));
  await s3.send(
    new PutBucketPolicyCommand({
      Bucket,
      Policy: JSON.stringify(evaluableResourcePolicy(JSON.parse(Policy))),
    }),
  );
}

/** Beside the policy that was deployed, which stays as it is. */
async function allowWronglyRefused(endpoint: string): Promise<void> {
  const iam = new IAMClient(clientConfig(endpoint));
  for await (const { Roles = [] } of paginateListRoles({ client: iam }, {})) {
    for (const { RoleName } of Roles) {
      const policies = await inlinePolicies(iam, RoleName as string);
      const Statement = policies.flatMap(({ document }) => wronglyRefused(document));
      if (Statement.length === 0) continue;
      const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement });
      await iam.send(
        new PutRolePolicyCommand({ RoleName, PolicyName: EMULATOR_POLICY, PolicyDocument }),
      );
    }
  }
}

/** The inline policies of a role, without the one that is there for the emulator. */
export async function inlinePolicies(iam: IAMClient, RoleName: string) {
  const { PolicyNames = [] } = await iam.send(new ListRolePoliciesCommand({ RoleName }));
  const deployed = PolicyNames.filter((name) => name !== EMULATOR_POLICY);
  return await Promise.all(
    deployed.map(async (PolicyName) => {
      const { PolicyDocument = '' } = await iam.send(
        new GetRolePolicyCommand({ RoleName, PolicyName }),
      );
      return { name: PolicyName, document: JSON.parse(decodeURIComponent(PolicyDocument)) };
    }),
  );
}
