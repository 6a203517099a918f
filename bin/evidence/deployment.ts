import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { localDir } from '../../localstack/paths.ts';
import { type CliContext, CliError, ExitCode, type GlobalOptions } from './cli.ts';

/** The parts of a deployment that tools address by name, from the outputs of its stacks. */
export interface DeployedResources {
  readonly buckets: { readonly vault: string; readonly staging: string };
  readonly tables: {
    readonly index: string;
    readonly producers: string;
    readonly usage: string;
    readonly subjects: string;
  };
  readonly streams: { readonly lineage: string; readonly traces: string };
  readonly functions: {
    readonly ingest: string;
    readonly ingestTraces: string;
    readonly archive: string;
    readonly archiveTraces: string;
    readonly redrive: string;
    readonly query: string;
    readonly producers: string;
    readonly auditRetention: string;
    readonly reportRejections: string;
    readonly holds: string;
    readonly reconcileHolds: string;
    readonly seal: string;
    readonly verify: string;
    readonly rebuildIndex: string;
  };
  readonly stateMachines: { readonly rebuildIndex: string };
  readonly hmacKeyArn: string;
  /** The key that signs digests. */
  readonly signingKeyId: string;
}

/** @param output answers the value of a stack output, or throws what the caller wants thrown */
export function resourcesFrom(output: (name: string) => string): DeployedResources {
  return {
    buckets: { vault: output('VaultBucketName'), staging: output('StagingBucketName') },
    tables: {
      index: output('IndexTableName'),
      producers: output('ProducersTableName'),
      usage: output('UsageTableName'),
      subjects: output('SubjectsTableName'),
    },
    streams: { lineage: output('LineageStreamName'), traces: output('TracesStreamName') },
    functions: {
      ingest: output('IngestFunctionName'),
      ingestTraces: output('IngestTracesFunctionName'),
      archive: output('ArchiveFunctionName'),
      archiveTraces: output('ArchiveTracesFunctionName'),
      redrive: output('RedriveFunctionName'),
      query: output('QueryFunctionName'),
      producers: output('ProducersFunctionName'),
      auditRetention: output('AuditRetentionFunctionName'),
      reportRejections: output('ReportRejectionsFunctionName'),
      holds: output('HoldsFunctionName'),
      reconcileHolds: output('ReconcileHoldsFunctionName'),
      seal: output('SealFunctionName'),
      verify: output('VerifyFunctionName'),
      rebuildIndex: output('RebuildIndexFunctionName'),
    },
    stateMachines: { rebuildIndex: output('RebuildIndexStateMachineArn') },
    hmacKeyArn: output('HmacKeyArn'),
    signingKeyId: output('SigningKeyId'),
  };
}

interface ClientUrls {
  readonly python: string;
  readonly java: string;
  /** `spark.openlineage.transport.url` and `….endpoint`: from Spark's settings the listener drops the path of a URL. */
  readonly spark: { readonly url: string; readonly endpoint: string };
  readonly otel: string;
}

/** What each OpenLineage or OTLP client must be given: each has its own idea of what a URL is. */
export function clientUrlsOf(apiUrl: string): ClientUrls {
  const java = `${apiUrl}/api/v1/lineage`;
  const { origin, pathname } = new URL(java);
  return { python: `${apiUrl}/`, java, spark: { url: origin, endpoint: pathname }, otel: apiUrl };
}

interface EmulatorOfRecord {
  readonly name: string;
  readonly version: string;
}

/** What a deployment leaves on disk: `environment.json` of a local one, `<stage>.json` of one in an account. */
export interface DeploymentRecord extends DeployedResources {
  readonly stage: string;
  readonly region: string;
  /** Only on an emulator. */
  readonly endpointUrl?: string;
  /** Only on an emulator: what it answers is no evidence of an account. */
  readonly emulator?: EmulatorOfRecord;
  readonly apiUrl: string;
  readonly clientUrls: ClientUrls;
  /** Only on an emulator: keys of an account are never written to disk. */
  readonly keys?: { readonly read: string; readonly admin: string };
}

const NO_EVIDENCE = 'evidence made here proves nothing about AWS.';

/** The first line of every report of an emulator, so that nobody takes it for one of an account. */
export function describeEmulator({ name, version }: EmulatorOfRecord): string {
  return `Local emulator ${name} ${version}: ${NO_EVIDENCE}`;
}

/** How emulators address the stage of a REST API; AWS gives each API a host of its own. */
const EMULATED_API = /\/restapis\/|\/_aws\/execute-api\//;

/** Says first that an answer is one of an emulator: above it, or beside it where it is JSON. */
export function sayWhetherEmulated(
  store: { readonly apiUrl: string; readonly emulator?: EmulatorOfRecord },
  { json }: Pick<GlobalOptions, 'json'>,
  { stderr, stdout }: Pick<CliContext, 'stderr' | 'stdout'>,
): void {
  const { apiUrl, emulator } = store;
  if (emulator === undefined && !EMULATED_API.test(apiUrl)) return;
  const sentence = emulator
    ? describeEmulator(emulator)
    : `An emulator answers at this URL: ${NO_EVIDENCE}`;
  (json ? stderr : stdout).write(`${sentence}\n`);
}

/** The deployment that a command addresses, named first when it is on an emulator; see {@link readDeployment}. */
export function openDeployment(options: GlobalOptions, context: CliContext): DeploymentRecord {
  const deployment = readDeployment(options.stage, context.env);
  sayWhetherEmulated(deployment, options, context);
  return deployment;
}

/**
 * The record of a stage; of the one in STAGE, or the local one, when none is named.
 * @throws CliError usage (2) when there is no such record
 */
export function readDeployment(
  stage: string | undefined,
  env: NodeJS.ProcessEnv,
): DeploymentRecord {
  // An empty variable STAGE names nothing.
  const named = stage ?? (env.STAGE || 'local');
  const file = join(localDir(env), named === 'local' ? 'environment.json' : `${named}.json`);
  if (!existsSync(file)) {
    throw new CliError(
      ExitCode.usage,
      named === 'local'
        ? 'No store is named: give --url or --stage, set EVIDENCE_URL, or run npm start.'
        : `No deployment of ${named} is recorded: npm run deploy -- --stage ${named} makes one.`,
    );
  }
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    const again = named === 'local' ? 'npm start' : `npm run deploy -- --stage ${named}`;
    throw new CliError(ExitCode.usage, `${file} cannot be read: ${again} writes it anew.`);
  }
}
