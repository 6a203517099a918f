import { fileURLToPath } from 'node:url';
import type { Duration } from 'aws-cdk-lib';
import { type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, LoggingFormat, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Construct } from 'constructs';
import { metricNamespace } from '../../lambdas/shared/metric-names.ts';
import type { EnvironmentConfig } from '../config/environment-config.ts';
import { FUNCTION_BUNDLING } from './function-bundling.ts';
import { logGroup } from './log-group.ts';

export interface ServiceFunctionProps {
  readonly config: EnvironmentConfig;
  /** Folder under lambdas/ whose index.ts exports `handler`. */
  readonly folder: string;
  readonly environment: Record<string, string>;
  readonly timeout: Duration;
  /** @default 512 MiB */
  readonly memorySize?: number;
  /** @default - none */
  readonly reservedConcurrency?: number;
  /**
   * A role of another stack to run as, which gets its rights here.
   * @default - a role of its own
   */
  readonly roleName?: string;
  /** Of a role of its own, where a policy names roles by their path. @default '/' */
  readonly rolePath?: string;
}

const REPOSITORY = new URL('../../', import.meta.url);

/** A bundled Node.js function with its own log group and a role that holds explicit statements only. */
export class ServiceFunction extends Construct {
  readonly fn: NodejsFunction;
  readonly role: IRole;
  /** Folder under lambdas/, which is also the function's name in logs and metrics. */
  readonly folder: string;
  readonly stage: string;
  readonly #rights = new Set<string>();

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const { config, folder } = props;
    this.folder = folder;
    this.stage = config.name;
    const logs = logGroup(this, 'Logs', config);
    this.role =
      props.roleName === undefined
        ? new Role(this, 'Role', {
            assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
            path: props.rolePath,
          })
        : Role.fromRoleName(this, 'Role', props.roleName);
    this.allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logs.logGroupArn]);

    this.fn = new NodejsFunction(this, 'Function', {
      architecture: Architecture.ARM_64,
      bundling: FUNCTION_BUNDLING,
      depsLockFilePath: fileURLToPath(new URL('package-lock.json', REPOSITORY)),
      entry: fileURLToPath(new URL(`lambdas/${folder}/index.ts`, REPOSITORY)),
      environment: {
        POWERTOOLS_SERVICE_NAME: folder,
        POWERTOOLS_METRICS_NAMESPACE: metricNamespace(config.name),
        ...props.environment,
      },
      loggingFormat: LoggingFormat.JSON,
      logGroup: logs,
      memorySize: props.memorySize ?? 512,
      reservedConcurrentExecutions: props.reservedConcurrency,
      role: this.role,
      runtime: Runtime.NODEJS_24_X,
      timeout: props.timeout,
      tracing: Tracing.DISABLED,
    });
  }

  /** The only way rights are given: named actions on named resources. One that was given already is not repeated. */
  allow(
    actions: readonly string[],
    resources: readonly string[],
    conditions?: Record<string, Record<string, readonly string[]>>,
  ): void {
    for (const action of actions) {
      const right = (resource: string) => JSON.stringify([action, resource, conditions]);
      const missing = resources.filter((resource) => !this.#rights.has(right(resource)));
      for (const resource of missing) this.#rights.add(right(resource));
      if (missing.length === 0) continue;
      // cdk puts together what differs in the action alone
      this.role.addToPrincipalPolicy(
        new PolicyStatement({
          ...{ actions: [action], resources: missing },
          ...(conditions && { conditions }),
        }),
      );
    }
  }
}
