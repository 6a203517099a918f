import { FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DescribeStreamSummaryCommand } from '@aws-sdk/client-kinesis';
import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  ListEventSourceMappingsCommand,
} from '@aws-sdk/client-lambda';
import { GetObjectRetentionCommand } from '@aws-sdk/client-s3';
import { GetQueueUrlCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { AuditAnswer } from '../../../lambdas/audit-retention/handler.ts';
import { runEvent } from '../../support/events.ts';
import { type AccountCheck, type Step, type Subject, settingStep, unasked } from '../check.ts';

const POLL_MILLIS = 2_000;
/** Batch window, archive and logs of CloudWatch together stay below a minute. */
const POLLS = 60;
const HOUR_MILLIS = 3_600_000;

const NO_KEY = 'no key to post with: set EVIDENCE_KEY, with the scopes ingest:lineage and read';

/** The stored envelope of an event that was posted for a check. */
interface Stored {
  readonly receiptId: string;
  readonly stream: { readonly shardId: string; readonly sequenceNumber: string };
  readonly location: { readonly bucket: string; readonly key: string; readonly versionId: string };
}

/** Posts an event of the job `account-check`. Undefined when it could not be read back. */
async function storeEvent(subject: Subject): Promise<Stored | undefined> {
  const { apiUrl } = subject.deployment;
  const headers = {
    authorization: `Bearer ${subject.bearerKey}`,
    'content-type': 'application/json',
  };
  const event = runEvent({
    eventTime: new Date(subject.now()).toISOString(),
    job: { namespace: 'account-check', name: 'account-check' },
    inputs: [],
    outputs: [],
  });
  const body = JSON.stringify(event);
  const posted = await fetch(`${apiUrl}/api/v1/lineage`, { method: 'POST', headers, body });
  if (posted.status !== 201) return undefined;
  const { receiptId } = (await posted.json()) as { receiptId: string };
  return until(subject, async () => {
    const read = await fetch(`${apiUrl}/api/v1/events/${receiptId}`, { headers });
    return read.status === 200 ? ((await read.json()) as Stored) : undefined;
  });
}

async function until<T>(
  { sleep }: Pick<Subject, 'sleep'>,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  for (let poll = 0; poll < POLLS; poll++) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(POLL_MILLIS);
  }
  return undefined;
}

/** Lines of a function's log since a time that hold a term. */
async function logLines(
  { clients: { lambda, logs } }: Subject,
  FunctionName: string,
  startTime: number,
  term: string,
): Promise<readonly string[]> {
  const { LoggingConfig } = await lambda.send(
    new GetFunctionConfigurationCommand({ FunctionName }),
  );
  const logGroupName = LoggingConfig?.LogGroup ?? `/aws/lambda/${FunctionName}`;
  const { events = [] } = await logs.send(
    new FilterLogEventsCommand({ logGroupName, startTime, filterPattern: `"${term}"` }),
  );
  return events.flatMap(({ message = '' }) => (message.includes(term) ? [message] : []));
}

const firstEvidence: AccountCheck = {
  name: 'function-rights',
  does: 'posts one event, reads it back, looks at its lock, audits the hour, and looks for lost rights in the logs',
  leaves: 'one event of the job account-check and one report, locked for the periods of the stage',
  costs: '1 event and its reading, 1 audit of an hour, 4 reads of logs',
  run: async (subject) => {
    const { clients, config, deployment, now } = subject;
    const { archive, auditRetention, ingest, query } = deployment.functions;
    if (subject.bearerKey === undefined) return [unasked('one event', NO_KEY, 'unknown')];
    const startedAt = now();
    const stored = await storeEvent(subject);
    if (!stored) return [settingStep('the event is read back', true, false)];
    const { bucket, key, versionId } = stored.location;
    const { Retention } = await clients.s3.send(
      new GetObjectRetentionCommand({ Bucket: bucket, Key: key, VersionId: versionId }),
    );
    const from = new Date(Math.floor(startedAt / HOUR_MILLIS) * HOUR_MILLIS);
    const to = new Date(from.getTime() + HOUR_MILLIS);
    const { FunctionError, Payload = new Uint8Array() } = await clients.lambda.send(
      new InvokeCommand({ FunctionName: auditRetention, Payload: JSON.stringify({ from, to }) }),
    );
    const audit = FunctionError
      ? undefined
      : (JSON.parse(Buffer.from(Payload).toString()) as AuditAnswer);
    const steps: Step[] = [
      settingStep('the event is read back', true, true),
      settingStep('its lock', config.retention.mode, Retention?.Mode),
      settingStep('versions that the audit could not read', [], audit?.report.unreadable),
    ];
    for (const name of [ingest, archive, query, auditRetention]) {
      const lost = await logLines(subject, name, startedAt, '_unavailable');
      steps.push(settingStep(`lost rights in the log of ${name}`, 0, lost.length));
    }
    return steps;
  },
};

const redrive: AccountCheck = {
  name: 'redrive-reads-back',
  does: 'posts one event, then sends the failure queue the message that Lambda would send of it: redrive reads the record back and stores nothing twice',
  leaves: 'one event of the job account-check, locked for the period of the stage',
  costs: '1 event and its reading, 1 message of SQS, up to 60 reads of logs',
  run: async (subject) => {
    const { clients, deployment, now } = subject;
    const { archive, redrive: FunctionName } = deployment.functions;
    const asked = 'the record is archived again';
    if (subject.bearerKey === undefined) return [unasked(asked, NO_KEY, 'unknown')];
    const startedAt = now();
    const stored = await storeEvent(subject);
    const QueueUrl = await failureQueueOf(subject, archive);
    if (!stored || QueueUrl === undefined) return [settingStep('event and queue', true, false)];
    const message = await failureMessage(subject, stored);
    const { MessageId = '' } = await clients.sqs.send(
      new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(message) }),
    );
    const line = await until(
      subject,
      async () => (await logLines(subject, FunctionName, startedAt, MessageId))[0],
    );
    return [settingStep(asked, true, line?.includes('"batch redriven"') ?? 'no line in its log')];
  },
};

async function failureQueueOf({ clients }: Subject, FunctionName: string) {
  const { EventSourceMappings = [] } = await clients.lambda.send(
    new ListEventSourceMappingsCommand({ FunctionName }),
  );
  const arn = EventSourceMappings[0]?.DestinationConfig?.OnFailure?.Destination;
  if (arn === undefined) return undefined;
  const QueueName = arn.split(':').at(-1);
  return (await clients.sqs.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl;
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/kinesis-on-failure-destination.html */
async function failureMessage({ clients, deployment, now }: Subject, { stream }: Stored) {
  const { StreamDescriptionSummary } = await clients.kinesis.send(
    new DescribeStreamSummaryCommand({ StreamName: deployment.streams.lineage }),
  );
  return {
    KinesisBatchInfo: {
      shardId: stream.shardId,
      startSequenceNumber: stream.sequenceNumber,
      endSequenceNumber: stream.sequenceNumber,
      approximateArrivalOfFirstRecord: new Date(now()).toISOString(),
      streamArn: StreamDescriptionSummary?.StreamARN,
    },
  };
}

const errorText: AccountCheck = {
  name: 'function-error-text',
  does: 'invokes the archive function with what is no batch: neither its answer nor its log quotes it',
  leaves: "one error in the function's metrics, which may raise an alarm",
  costs: '1 invocation, up to 60 reads of logs',
  run: async (subject) => {
    const { clients, deployment, now, runId } = subject;
    const FunctionName = deployment.functions.archive;
    const canary = `canary-${runId}`;
    const startedAt = now();
    const { Payload = new Uint8Array() } = await clients.lambda.send(
      new InvokeCommand({ FunctionName, Payload: JSON.stringify({ Records: canary }) }),
    );
    const answer = Buffer.from(Payload).toString();
    const { errorType } = JSON.parse(answer) as { errorType?: string };
    // Only when the failure is in the log can it be said that the canary is not.
    const line = await until(
      subject,
      async () => (await logLines(subject, FunctionName, startedAt, 'FunctionFailedError'))[0],
    );
    const quoted = await logLines(subject, FunctionName, startedAt, canary);
    return [
      settingStep('the error it answers with', 'FunctionFailedError', errorType),
      settingStep('the answer quotes the request', false, answer.includes(canary)),
      line === undefined
        ? unasked('the log quotes the request', 'the failure is not in the log yet', 'unknown')
        : settingStep('the log quotes the request', false, quoted.length > 0),
    ];
  },
};

/** What is seen only when something goes through the store. */
export const liveChecks: readonly AccountCheck[] = [firstEvidence, redrive, errorText];
