import {
  DescribeStackDriftDetectionStatusCommand,
  DetectStackDriftCommand,
} from '@aws-sdk/client-cloudformation';
import { ListMetricsCommand } from '@aws-sdk/client-cloudwatch';
import { DescribeStreamSummaryCommand } from '@aws-sdk/client-kinesis';
import {
  GetFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  ListEventSourceMappingsCommand,
} from '@aws-sdk/client-lambda';
import { Metric, metricNamespace } from '../../../lambdas/shared/metric-names.ts';
import { type AccountCheck, type Step, type Subject, settingStep, unasked } from '../check.ts';

const eventSources: AccountCheck = {
  name: 'event-source-mappings',
  does: 'reads how Lambda polls both streams: tries, bisecting, partial failures, and a queue for what fails',
  leaves: 'nothing',
  costs: '2 requests to Lambda',
  run: async (subject) => {
    const { archive, archiveTraces } = subject.deployment.functions;
    return [
      ...(await mappingSteps(subject, archive)),
      ...(await mappingSteps(subject, archiveTraces)),
    ];
  },
};

async function mappingSteps(
  { clients: { lambda }, config: { archive } }: Subject,
  FunctionName: string,
): Promise<Step[]> {
  const { EventSourceMappings = [] } = await lambda.send(
    new ListEventSourceMappingsCommand({ FunctionName }),
  );
  const found = EventSourceMappings.map((mapping) => ({
    State: mapping.State,
    BatchSize: mapping.BatchSize,
    BisectBatchOnFunctionError: mapping.BisectBatchOnFunctionError,
    FunctionResponseTypes: mapping.FunctionResponseTypes,
    MaximumBatchingWindowInSeconds: mapping.MaximumBatchingWindowInSeconds,
    MaximumRecordAgeInSeconds: mapping.MaximumRecordAgeInSeconds,
    MaximumRetryAttempts: mapping.MaximumRetryAttempts,
    destination: mapping.DestinationConfig?.OnFailure?.Destination?.split(':')[2],
  }));
  const wanted = {
    State: 'Enabled',
    BatchSize: archive.batchSize,
    BisectBatchOnFunctionError: true,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    MaximumBatchingWindowInSeconds: archive.windowSeconds,
    MaximumRecordAgeInSeconds: -1, // no record ages out of its tries
    MaximumRetryAttempts: archive.retryAttempts,
    destination: 'sqs',
  };
  return [settingStep(`mappings of ${FunctionName}`, [wanted], found)];
}

const recordSize: AccountCheck = {
  name: 'stream-record-size',
  does: 'reads the largest record that each stream takes',
  leaves: 'nothing',
  costs: '2 requests to Kinesis',
  run: async ({ clients: { kinesis }, config, deployment: { streams } }) => {
    const steps: Step[] = [];
    for (const StreamName of [streams.lineage, streams.traces]) {
      const { StreamDescriptionSummary } = await kinesis.send(
        new DescribeStreamSummaryCommand({ StreamName }),
      );
      const wanted = config.streams.maxRecordBytes / 1_024;
      const found = StreamDescriptionSummary?.MaxRecordSizeInKiB;
      steps.push(settingStep(`KiB a record of ${StreamName}`, wanted, found));
    }
    return steps;
  },
};

const concurrency: AccountCheck = {
  name: 'reserved-concurrency',
  does: 'reads what is reserved for the functions that strangers can flood',
  leaves: 'nothing',
  costs: '7 requests to Lambda',
  run: async ({ clients: { lambda }, config, deployment: { functions } }) => {
    const reserved = config.reservedConcurrency;
    if (!reserved) return [unasked('reserved concurrency', 'the config reserves none', 'none')];
    const wanted: ReadonlyArray<readonly [string, number]> = [
      [functions.ingest, reserved.ingest],
      [functions.ingestTraces, reserved.ingest],
      [functions.archive, reserved.archive],
      [functions.archiveTraces, reserved.archive],
      [functions.query, reserved.query],
      [functions.producers, reserved.producers],
      [functions.holds, reserved.holds],
    ];
    const steps: Step[] = [];
    for (const [FunctionName, count] of wanted) {
      const { ReservedConcurrentExecutions } = await lambda.send(
        new GetFunctionConcurrencyCommand({ FunctionName }),
      );
      steps.push(settingStep(`reserved for ${FunctionName}`, count, ReservedConcurrentExecutions));
    }
    return steps;
  },
};

const runtime: AccountCheck = {
  name: 'function-runtime',
  does: 'reads runtime and architecture of each function, and asks /health',
  leaves: 'nothing',
  costs: '1 request to Lambda a function, 1 to API Gateway',
  run: async ({ clients: { lambda }, deployment: { apiUrl, functions } }) => {
    const steps: Step[] = [];
    for (const FunctionName of Object.values(functions)) {
      const { Architectures, Runtime } = await lambda.send(
        new GetFunctionConfigurationCommand({ FunctionName }),
      );
      steps.push(settingStep(FunctionName, ['nodejs24.x', 'arm64'], [Runtime, Architectures?.[0]]));
    }
    const { status } = await fetch(`${apiUrl}/health`);
    return [...steps, settingStep('GET /health', 200, status)];
  },
};

const metrics: AccountCheck = {
  name: 'metrics-arrive',
  does: 'lists the metrics that came of the log lines of the functions',
  leaves: 'nothing',
  costs: '1 request to CloudWatch',
  run: async ({ clients: { cloudWatch }, deployment: { stage } }) => {
    const asked = `metric ${Metric.storedRecords}`;
    const { Metrics = [] } = await cloudWatch.send(
      new ListMetricsCommand({
        Namespace: metricNamespace(stage),
        MetricName: Metric.storedRecords,
      }),
    );
    return Metrics.length > 0
      ? [settingStep(asked, true, true)]
      : [
          unasked(
            asked,
            'none in two weeks: post an event, and ask again 15 minutes later',
            'unknown',
          ),
        ];
  },
};

const DRIFT_POLL_MILLIS = 5_000;
/** Half an hour: far beyond what three stacks take. */
const DRIFT_POLLS = 360;

const drift: AccountCheck = {
  name: 'stack-drift',
  does: 'has CloudFormation compare the three stacks with what stands',
  leaves: 'the result of the detection, beside each stack',
  costs: '3 detections (free), and a request every 5 s until they end',
  run: async (subject) => {
    const steps: Step[] = [];
    for (const stack of ['Data', 'Pipeline', 'Monitoring']) {
      const status = await driftOf(subject, `LineageEvidence-${subject.deployment.stage}-${stack}`);
      steps.push(settingStep(`drift of ${stack}`, 'IN_SYNC', status));
    }
    return steps;
  },
};

async function driftOf({ clients, sleep }: Subject, StackName: string) {
  const { cloudFormation } = clients;
  const { StackDriftDetectionId } = await cloudFormation.send(
    new DetectStackDriftCommand({ StackName }),
  );
  for (let poll = 0; poll < DRIFT_POLLS; poll++) {
    const { DetectionStatus, StackDriftStatus } = await cloudFormation.send(
      new DescribeStackDriftDetectionStatusCommand({ StackDriftDetectionId }),
    );
    if (DetectionStatus !== 'DETECTION_IN_PROGRESS') return StackDriftStatus ?? DetectionStatus;
    await sleep(DRIFT_POLL_MILLIS);
  }
  return 'DETECTION_IN_PROGRESS';
}

/** Settings of the pipeline that emulators drop or ignore. */
export const pipelineChecks: readonly AccountCheck[] = [
  eventSources,
  recordSize,
  concurrency,
  runtime,
  metrics,
  drift,
];
