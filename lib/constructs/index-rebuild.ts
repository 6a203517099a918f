import { type CfnElement, Duration, Stack } from 'aws-cdk-lib';
import {
  Choice,
  Condition,
  DefinitionBody,
  DistributedMap,
  Errors,
  JsonPath,
  S3JsonItemReader,
  StateMachine,
  Succeed,
  TaskInput,
} from 'aws-cdk-lib/aws-stepfunctions';
import { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import { retentionSetting } from '../config/retention-setting.ts';
import { acknowledge, nagWord } from './acknowledge.ts';
import type { ControlProps } from './scheduled-control.ts';
import { ServiceFunction } from './service-function.ts';

/** The longest that Lambda runs; a partition that takes longer goes on in the next invocation. */
const WORKER_TIMEOUT = Duration.minutes(15);

/** Partitions at once: with 64 writes in flight each, some 20,000 writes a second, half of what a new table takes. */
const CONCURRENT_PARTITIONS = 10;

/** Tries of a step, 2, 4, 8 … seconds apart: throttling passes within a minute. */
const MAX_ATTEMPTS = 6;

/**
 * Rebuilds the run index of a large vault: one step lists the partitions, a Distributed Map rebuilds them, one step
 * adds up and locks the report. Producers, HMAC epochs and holds are no business of it: the command line writes them.
 */
export class IndexRebuild extends Construct {
  readonly worker: ServiceFunction;
  readonly stateMachine: StateMachine;

  constructor(scope: Construct, id: string, { config, resources }: ControlProps) {
    super(scope, id);
    const { staging, tables, vault } = resources;
    this.worker = new ServiceFunction(this, 'Worker', {
      config,
      folder: 'rebuild-index',
      memorySize: 2048,
      timeout: WORKER_TIMEOUT,
      environment: {
        VAULT_BUCKET_NAME: vault.bucket.bucketName,
        STAGING_BUCKET_NAME: staging.bucket.bucketName,
        INDEX_TABLE_NAME: tables.index.table.tableName,
        RETENTION: JSON.stringify(retentionSetting(config)),
        RUN_ID_ATTRIBUTES: config.join.runIdAttributes.join(','),
        TRACE_CONTEXT_FACETS: config.join.traceContextFacets.join(','),
      },
    });
    vault.grantList(this.worker);
    // rows say how long a line is locked
    vault.grantReadLocked(this.worker, 'lineage', 'traces', 'quarantine');
    vault.grantReadVersions(this.worker, 'findings', 'digests', 'publicKeys');
    // a run that was archived while its trace had no row is joined with it: promotion, as archive does it
    vault.grantFindOrWrite(this.worker, 'traces', 'findings', 'reports');
    staging.grantList(this.worker);
    staging.grantReadVersions(this.worker);
    staging.grantNotes(this.worker);
    tables.index.grantGet(this.worker);
    tables.index.grantQuery(this.worker);
    tables.index.grantPut(this.worker);

    this.stateMachine = new StateMachine(this, 'StateMachine', {
      definitionBody: DefinitionBody.fromChainable(this.#definition()),
    });
    staging.grantReadPlan(this.stateMachine);
    acknowledge(
      this.stateMachine,
      'An execution keeps its history for 90 days, and what it did is a report in the vault.',
      'AwsSolutions-SF1',
    );
    acknowledge(this.stateMachine, 'Nothing here is traced with X-Ray.', 'AwsSolutions-SF2');
    acknowledge(
      this.stateMachine,
      'A Distributed Map starts executions of its own, whose names nobody knows before; a function is invoked in any version.',
      ...this.#wildcards(),
    );
  }

  /** The step `plan` takes what the execution was given: `{step: 'plan', from?, to?}`. */
  #definition() {
    const partitions = new DistributedMap(this, 'Partitions', {
      itemReader: new S3JsonItemReader({
        bucketNamePath: JsonPath.stringAt('$.bucket'),
        key: JsonPath.stringAt('$.itemsKey'),
      }),
      maxConcurrency: CONCURRENT_PARTITIONS,
      resultPath: JsonPath.DISCARD,
    });
    const rebuild = this.#invoke('Rebuild', {
      step: 'partition',
      partition: JsonPath.entirePayload,
    });
    const goOn = this.#invoke('GoOn');
    const isDone = new Choice(this, 'IsDone')
      .when(Condition.stringEquals('$.step', 'done'), new Succeed(this, 'Done'))
      .otherwise(goOn);
    goOn.next(isDone);
    partitions.itemProcessor(rebuild.next(isDone));
    return this.#invoke('Plan')
      .next(partitions)
      .next(this.#invoke('Report', { step: 'report', plan: JsonPath.stringAt('$.plan') }));
  }

  /** Invokes the worker with a payload, or with the state as it is. Named errors never match on the emulator. */
  #invoke(id: string, payload?: Record<string, unknown>): LambdaInvoke {
    const task = new LambdaInvoke(this, id, {
      lambdaFunction: this.worker.fn,
      payloadResponseOnly: true,
      retryOnServiceExceptions: false,
      ...(payload && { payload: TaskInput.fromObject(payload) }),
    });
    task.addRetry({
      errors: [Errors.ALL],
      interval: Duration.seconds(2),
      backoffRate: 2,
      maxAttempts: MAX_ATTEMPTS,
    });
    return task;
  }

  /** Resources of the statements that CDK adds, in the words of cdk-nag. */
  #wildcards(): string[] {
    const stack = Stack.of(this);
    const idOf = (resource: Construct) =>
      stack.getLogicalId(resource.node.defaultChild as CfnElement);
    const place = [stack.partition, 'states', stack.region, stack.account];
    const name = { 'Fn::Split': [':', { Ref: idOf(this.stateMachine) }] };
    const executions = [
      ...['arn', ...place.map((part) => nagWord(this, part))],
      ...['execution', JSON.stringify({ 'Fn::Select': [6, name] })],
    ].join(':');
    return [`<${idOf(this.worker.fn)}.Arn>:*`, `${executions}:*`, `${executions}/*:*`].map(
      (resource) => `AwsSolutions-IAM5[Resource::${resource}]`,
    );
  }
}
