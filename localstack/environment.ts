import { clientUrlsOf, type DeploymentRecord, resourcesFrom } from '../bin/evidence/deployment.ts';
import { LOCAL_REGION } from './aws.ts';
import type { Outputs } from './deploy.ts';
import type { Emulator } from './emulator-record.ts';
import { emulatorOf } from './emulators/emulators.ts';
import type { EmulatorName } from './emulators/kind.ts';
import { UserError } from './errors.ts';
import { readJson, writeJson } from './json-file.ts';
import { localPaths } from './paths.ts';

/** Bearer keys of the demo producers and readers. */
export interface Keys {
  readonly lineage: string;
  readonly traces: string;
  /** Scopes read and audit. */
  readonly read: string;
  /** All scopes. */
  readonly admin: string;
}

/** Where everything of a deployment is: the content of environment.json. Paths are appended to `apiUrl`, which has no trailing slash. */
export interface Environment extends DeploymentRecord {
  readonly endpointUrl: string;
  readonly keys: Keys;
  readonly queues: { readonly lineageFailures: string; readonly tracesFailures: string };
  readonly emulator: {
    readonly name: EmulatorName;
    readonly version: string;
    readonly pid: number;
    readonly gaps: readonly string[];
  };
}

/** Everything but the keys, which the seeding step makes. */
export type EnvironmentWithoutKeys = Omit<Environment, 'keys'>;

/** Registers the demo producers and returns their keys; also makes HMAC key epoch 0. */
export type Seed = (environment: EnvironmentWithoutKeys) => Promise<Keys>;

/** Describes the deployment on an emulator. Throws a UserError when a stack does not publish a value. */
export function describeEnvironment(emulator: Emulator, outputs: Outputs): EnvironmentWithoutKeys {
  const output = (name: string): string => {
    const value = outputs[name];
    if (!value) {
      throw new UserError(
        `The stacks publish no ${name}: run npm run reset, then npm start again.`,
      );
    }
    return value;
  };
  const { endpoint } = emulator;
  // This form of the address works on MiniStack and on LocalStack.
  const apiUrl = `${endpoint}/restapis/${output('ApiId')}/${output('ApiStageName')}/_user_request_`;
  return {
    stage: 'local',
    endpointUrl: endpoint,
    region: LOCAL_REGION,
    apiUrl,
    clientUrls: clientUrlsOf(apiUrl),
    ...resourcesFrom(output),
    queues: {
      lineageFailures: queueUrl(endpoint, output('LineageFailureQueueUrl')),
      tracesFailures: queueUrl(endpoint, output('TracesFailureQueueUrl')),
    },
    emulator: {
      name: emulator.name,
      version: emulator.version,
      pid: emulator.process.pid,
      gaps: emulatorOf(emulator.name).gaps,
    },
  };
}

/** Reads `$LOCAL_DIR/environment.json`. Throws a UserError when nothing was started there. */
export function readEnvironment(localDir: string): Environment {
  const path = localPaths(localDir).environment;
  const environment = readJson<Environment>(path);
  if (environment === undefined) {
    throw new UserError(
      `There is no ${path}: run npm start first, or name the folder in LOCAL_DIR.`,
    );
  }
  return environment;
}

/** Writes environment.json so that only its owner can read it: it holds keys. */
export function writeEnvironment(path: string, environment: Environment): void {
  writeJson(path, environment, 0o600);
}

/** Queue URLs of the emulator say `localhost`, where it does not listen for every client. */
function queueUrl(endpoint: string, url: string): string {
  return new URL(new URL(url).pathname, endpoint).href;
}
