import { isDeepStrictEqual } from 'node:util';
import { pathOf, type StackTemplate } from './assembly.ts';
import type { Clients } from './clients.ts';
import type { EmulatorKind } from './emulators/kind.ts';
import { UserError } from './errors.ts';
import { requireCreated } from './reconcile/created.ts';
import { tableSettings } from './reconcile/dynamodb.ts';
import { streamSettings } from './reconcile/kinesis.ts';
import { functionSettings, isKinesis, polledByEmulator } from './reconcile/lambda.ts';
import { queueAndKeySettings } from './reconcile/queues-and-keys.ts';
import { createResolve, exportedValues, physicalIds } from './reconcile/resolve.ts';
import { bucketSettings } from './reconcile/s3.ts';
import type { Properties, Setting } from './reconcile/setting.ts';

/** A setting as the template wants it and as the emulator has it. */
export interface Readback {
  /** Construct path of the resource. */
  readonly resource: string;
  readonly setting: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

interface Deployed {
  readonly path: string;
  readonly type: string;
  readonly id: string;
  readonly properties: Properties;
}

/** What the emulator polls itself decides about its event source mappings; all else is wanted of every emulator. */
type Polling = Pick<EmulatorKind, 'pollsKinesis'>;

const settingsOf = ({ pollsKinesis }: Polling): readonly Setting[] => [
  ...bucketSettings,
  ...tableSettings,
  ...streamSettings,
  ...functionSettings,
  polledByEmulator(pollsKinesis),
  ...queueAndKeySettings,
];

/** Sets what the emulator's CloudFormation dropped, then reads everything back. Throws a UserError listing what differs. */
export async function reconcile(
  clients: Clients,
  stacks: readonly StackTemplate[],
  emulator: Pick<EmulatorKind, 'pollsKinesis' | 'pretendedTypes'>,
): Promise<readonly Readback[]> {
  await requireCreated(clients, stacks, emulator.pretendedTypes);
  const wanted = pairs(await deployedResources(clients, stacks), settingsOf(emulator));
  for (const { resource, setting } of wanted) {
    await setting.apply?.(clients, resource.id, resource.properties);
  }
  const readbacks = await readAll(clients, wanted);
  const wrong = mismatches(readbacks);
  if (wrong.length > 0) {
    const list = wrong.map(
      ({ resource, setting, expected, actual }) =>
        `${resource} ${setting} is ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`,
    );
    throw new UserError(
      `The emulator does not hold what the templates say (${list.join('; ')}): run npm run reset, then npm start again.`,
    );
  }
  return readbacks;
}

/** Every setting of every deployed resource that the templates speak of, as wanted and as found. */
export async function readBack(
  clients: Clients,
  stacks: readonly StackTemplate[],
  polling: Polling,
): Promise<readonly Readback[]> {
  return readAll(clients, pairs(await deployedResources(clients, stacks), settingsOf(polling)));
}

async function readAll(
  clients: Clients,
  wanted: ReturnType<typeof pairs>,
): Promise<readonly Readback[]> {
  const found: Readback[] = [];
  for (const { resource, setting } of wanted) {
    found.push({
      resource: resource.path,
      setting: setting.name,
      expected: setting.expected(resource.properties),
      actual: await setting.read(clients, resource.id).catch(() => undefined),
    });
  }
  return found;
}

/** Those that differ. */
export function mismatches(readbacks: readonly Readback[]): readonly Readback[] {
  return readbacks.filter(
    ({ expected, actual }) => !isDeepStrictEqual(plain(expected), plain(actual)),
  );
}

/** Ids of the Kinesis event source mappings that the templates enable: those the runner has to run. */
export async function kinesisMappings(
  clients: Clients,
  stacks: readonly StackTemplate[],
): Promise<readonly string[]> {
  return (await deployedResources(clients, stacks))
    .filter(
      ({ type, properties }) =>
        type === 'AWS::Lambda::EventSourceMapping' &&
        isKinesis(properties) &&
        properties.Enabled !== false,
    )
    .map(({ id }) => id);
}

function pairs(resources: readonly Deployed[], settings: readonly Setting[]) {
  return resources.flatMap((resource) =>
    settings
      .filter(
        (setting) =>
          setting.type === resource.type && setting.expected(resource.properties) !== undefined,
      )
      .map((setting) => ({ resource, setting })),
  );
}

async function deployedResources(
  clients: Clients,
  stacks: readonly StackTemplate[],
): Promise<readonly Deployed[]> {
  const types = new Set(settingsOf({ pollsKinesis: false }).map((setting) => setting.type));
  const exports = await exportedValues(clients);
  const perStack = stacks.map(async (stack) => {
    const ids = await physicalIds(clients, stack.stackName);
    const resolve = createResolve(stack, ids, exports);
    return Object.entries(stack.resources).flatMap(([logicalId, resource]): Deployed[] => {
      if (!types.has(resource.Type)) return [];
      const path = pathOf(logicalId, resource);
      const id = ids.get(logicalId);
      if (id === undefined) throw new UserError(`${path} was not deployed: run npm run reset.`);
      const relevant = withoutUnused(resource.Type, resource.Properties ?? {});
      const properties = resolve(relevant) as Properties;
      return [{ path, type: resource.Type, id, properties }];
    });
  });
  return (await Promise.all(perStack)).flat();
}

/** Only what a setting looks at is resolved: code, policies and environments use intrinsics nobody needs here. */
function withoutUnused(type: string, properties: Properties): Properties {
  const unused =
    type === 'AWS::Lambda::Function'
      ? ['Code', 'Environment', 'Role', 'LoggingConfig', 'DeadLetterConfig', 'Layers', 'VpcConfig']
      : ['KeyPolicy', 'FunctionName'];
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !unused.includes(name)));
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
