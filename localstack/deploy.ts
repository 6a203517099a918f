import { rmSync } from 'node:fs';
import {
  CloudFormationServiceException,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { hashOf, pathOf, readStage, type StackTemplate } from './assembly.ts';
import { LOCAL_ACCOUNT, LOCAL_REGION } from './aws.ts';
import { type CdkContext, CdkError, runCdk } from './cdk.ts';
import type { Clients } from './clients.ts';
import { UserError } from './errors.ts';
import { readJson, writeJson } from './json-file.ts';
import type { LocalPaths } from './paths.ts';
import type { Progress } from './progress.ts';
import { hashSources } from './sources.ts';

/** Construct id of the stage that is deployed locally. */
const LOCAL_STAGE = 'LineageEvidence-local';

/**
 * Thirty times what each takes on an idle machine with 2 cores (10 s, 3 s, 10 s): the limits are for hangs, and a busy
 * machine is none.
 */
const SYNTH_MILLIS = 300_000;
const BOOTSTRAP_MILLIS = 90_000;
const DEPLOY_MILLIS = 300_000;

/** Outputs by name, of all stacks together. */
export type Outputs = Readonly<Record<string, string>>;

/** What a deployment left behind. `changed` is false when everything was there already. */
export interface Deployment {
  readonly stacks: readonly StackTemplate[];
  readonly outputs: Outputs;
  readonly changed: boolean;
}

/** Written after a deployment that ended well. */
interface Deployed {
  readonly hash: string;
  readonly stackNames: readonly string[];
}

/** Synthesises once, bootstraps once, and deploys unless exactly this was deployed on this emulator state before. */
export async function deploy(
  paths: LocalPaths,
  context: Omit<CdkContext, 'log' | 'record'>,
  clients: Clients,
  progress: Progress,
): Promise<Deployment> {
  const cdk = { ...context, log: paths.cdkLog, record: paths.cdkRecord };
  const stacks = await progress('Synthesising the stacks', () => synthesise(paths, cdk));
  const hash = hashOf(stacks);
  const before = readJson<Deployed>(paths.deployment);
  const isDeployed = before?.hash === hash && (await exist(clients, before.stackNames));
  if (!isDeployed) {
    await progress('Preparing the emulator for cdk', () => bootstrap(paths, cdk, clients));
    await progress('Deploying the stacks', () => deployStacks(paths, cdk, stacks));
    const deployed: Deployed = { hash, stackNames: stacks.map(({ stackName }) => stackName) };
    writeJson(paths.deployment, deployed);
  }
  return { stacks, outputs: readOutputs(paths), changed: !isDeployed };
}

async function synthesise(paths: LocalPaths, cdk: CdkContext): Promise<readonly StackTemplate[]> {
  const sources = hashSources(cdk.repository);
  if (readJson<{ sources: string }>(paths.synthesis)?.sources !== sources) {
    rmSync(paths.synthesis, { force: true });
    rmSync(paths.assembly, { recursive: true, force: true });
    // An output folder of its own: any cdk call that does not bundle rewrites cdk.out with other asset hashes.
    const args = ['synth', `${LOCAL_STAGE}/*`, '--quiet', '--output', paths.assembly];
    await runCdk(cdk, args, SYNTH_MILLIS).catch((error) => {
      throw asUserError(error, 'The stacks could not be synthesised', 'correct it', cdk.log);
    });
    writeJson(paths.synthesis, { sources });
  }
  return readStage(paths.assembly, LOCAL_STAGE);
}

async function bootstrap(paths: LocalPaths, cdk: CdkContext, clients: Clients): Promise<void> {
  if (await stackIsComplete(clients, 'CDKToolkit')) return;
  const args = ['bootstrap', `aws://${LOCAL_ACCOUNT}/${LOCAL_REGION}`, '--app', paths.assembly];
  await runCdk(cdk, args, BOOTSTRAP_MILLIS).catch((error) => {
    throw asUserError(error, 'The emulator refused cdk bootstrap', 'run npm run reset', cdk.log);
  });
}

async function deployStacks(
  paths: LocalPaths,
  cdk: CdkContext,
  stacks: readonly StackTemplate[],
): Promise<void> {
  // Until it ends well, nobody may take this state for a complete deployment.
  rmSync(paths.deployment, { force: true });
  const args = ['deploy', '--app', paths.assembly, `${LOCAL_STAGE}/*`];
  const options = ['--require-approval', 'never', '-O', paths.outputs];
  await runCdk(cdk, [...args, ...options], DEPLOY_MILLIS).catch((error) => {
    const named = error instanceof CdkError ? nameResources(error.line, stacks) : '';
    throw asUserError(error, `The deployment failed${named}`, 'run npm run reset', cdk.log);
  });
}

/** Adds the construct paths of resource types that a failure names. */
export function nameResources(line: string, stacks: readonly StackTemplate[]): string {
  const types: readonly string[] = line.match(/AWS::\w+::\w+/g) ?? [];
  const named = stacks.flatMap(({ resources }) =>
    Object.entries(resources)
      .filter(([logicalId, { Type }]) => types.includes(Type) || line.includes(logicalId))
      .map(([logicalId, resource]) => pathOf(logicalId, resource)),
  );
  return named.length === 0 ? '' : ` at ${named.slice(0, 3).join(', ')}`;
}

function asUserError(error: unknown, what: string, remedy: string, log: string): unknown {
  if (!(error instanceof CdkError)) return error;
  const reason = error.line.replace(/[.:]$/, '');
  return new UserError(
    `${what} (${reason}; all of it in ${log}): ${remedy}, then npm start again.`,
  );
}

/**
 * Whether stacks that were deployed here are gone. Streams and tables keep their names and retained data over a destroy
 * while buckets get new ones, so the only way on is a reset.
 */
export async function wasDestroyed(paths: LocalPaths, clients: Clients): Promise<boolean> {
  const before = readJson<Deployed>(paths.deployment);
  return before !== undefined && !(await exist(clients, before.stackNames));
}

/**
 * The stacks that a failed or interrupted deployment left where no other can go on from: a failed creation, or anything
 * that still says it is in progress while no cdk runs.
 */
export async function stuckStacks({
  cloudformation,
}: Pick<Clients, 'cloudformation'>): Promise<readonly string[]> {
  const { Stacks = [] } = await cloudformation.send(new DescribeStacksCommand({}));
  return Stacks.filter(({ StackStatus = '' }) => isStuck(StackStatus)).map(
    ({ StackName = '', StackStatus = '' }) => `${StackName} ${StackStatus}`,
  );
}

/** UPDATE_ROLLBACK_COMPLETE is as good as before the update. */
function isStuck(status: string): boolean {
  if (status === 'DELETE_COMPLETE' || status === 'UPDATE_ROLLBACK_COMPLETE') return false;
  return /FAILED$|IN_PROGRESS$|^ROLLBACK_/.test(status);
}

async function exist(clients: Clients, stackNames: readonly string[]): Promise<boolean> {
  const found = await Promise.all(stackNames.map((name) => stackIsComplete(clients, name)));
  return found.every(Boolean);
}

async function stackIsComplete(clients: Clients, StackName: string): Promise<boolean> {
  try {
    const answer = await clients.cloudformation.send(new DescribeStacksCommand({ StackName }));
    const status = answer.Stacks?.[0]?.StackStatus ?? '';
    return status === 'CREATE_COMPLETE' || status === 'UPDATE_COMPLETE';
  } catch (error) {
    // "does not exist"; anything else must not be taken for a destroyed stack.
    if (error instanceof CloudFormationServiceException && error.name === 'ValidationError') {
      return false;
    }
    throw error;
  }
}

function readOutputs(paths: LocalPaths): Outputs {
  const byStack = readJson<Record<string, Record<string, string>>>(paths.outputs);
  if (byStack === undefined) {
    throw new UserError(`${paths.outputs} is missing: run npm run reset, then npm start again.`);
  }
  return Object.assign({}, ...Object.values(byStack)) as Outputs;
}
