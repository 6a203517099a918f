import { IAMClient } from '@aws-sdk/client-iam';
import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { clientConfig } from '../../localstack/aws.ts';
import { createClients } from '../../localstack/clients.ts';
import type { Environment } from '../../localstack/environment.ts';
import { StoreClient } from '../support/store-client.ts';
import { type IamGateway, startIamGateway } from './iam-gateway.ts';
import { keysByResource } from './keys.ts';
import { type FunctionName, FunctionRole } from './roles.ts';

type Variables = Readonly<Record<string, string>>;

/** A deployment that asks IAM, whose functions reach AWS through the gateway. */
export class Bench {
  readonly store: StoreClient;
  readonly gateway: IamGateway;
  readonly iam: IAMClient;
  readonly roles: ReadonlyMap<FunctionName, FunctionRole>;
  readonly #variables: ReadonlyMap<FunctionName, Variables>;
  #restarts = 0;

  private constructor(
    store: StoreClient,
    gateway: IamGateway,
    iam: IAMClient,
    roles: ReadonlyMap<FunctionName, FunctionRole>,
    variables: ReadonlyMap<FunctionName, Variables>,
  ) {
    this.store = store;
    this.gateway = gateway;
    this.iam = iam;
    this.roles = roles;
    this.#variables = variables;
  }

  static async open(environment: Environment): Promise<Bench> {
    const clients = createClients(environment.endpointUrl);
    const iam = new IAMClient(clientConfig(environment.endpointUrl));
    const names = Object.keys(environment.functions) as FunctionName[];
    const roles = await Promise.all(
      names.map((name) => FunctionRole.of(name, environment, { iam, lambda: clients.lambda })),
    );
    const callers = roles.map((role) => ({ name: role.fn, policies: () => [role.standing] }));
    const keyOf = await keysByResource(environment, clients);
    const gateway = await startIamGateway(environment.endpointUrl, callers, keyOf);
    const variables = new Map<FunctionName, Variables>();
    for (const name of names) {
      const { Environment } = await clients.lambda.send(
        new GetFunctionConfigurationCommand({ FunctionName: environment.functions[name] }),
      );
      const AWS_ENDPOINT_URL = gateway.origins.get(name) as string;
      variables.set(name, { ...Environment?.Variables, AWS_ENDPOINT_URL });
    }
    const byName = new Map(roles.map((role) => [role.fn, role]));
    const bench = new Bench(new StoreClient(environment), gateway, iam, byName, variables);
    for (const name of names) await bench.restart(name);
    return bench;
  }

  get environment(): Environment {
    return this.store.environment;
  }

  roleOf(fn: FunctionName): FunctionRole {
    return this.roles.get(fn) as FunctionRole;
  }

  /** Starts a function anew, so that it has nothing in its caches. */
  async restart(fn: FunctionName, variables: Variables = {}): Promise<void> {
    const Variables = {
      ...this.#variables.get(fn),
      ...variables,
      RESTARTS: String(++this.#restarts),
    };
    await this.store.clients.lambda.send(
      new UpdateFunctionConfigurationCommand({
        FunctionName: this.environment.functions[fn],
        Environment: { Variables },
      }),
    );
  }

  /** What a function answers. @throws Error when it throws */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers by path
  async invoke(fn: FunctionName, event: unknown = {}): Promise<any> {
    const { FunctionError, Payload } = await this.store.clients.lambda.send(
      new InvokeCommand({
        FunctionName: this.environment.functions[fn],
        Payload: JSON.stringify(event),
      }),
    );
    const answer = Buffer.from(Payload ?? []).toString();
    if (FunctionError) throw new Error(`${fn} failed: ${answer.slice(0, 200)}`);
    return JSON.parse(answer);
  }
}
