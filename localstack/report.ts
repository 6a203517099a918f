import { setTimeout as sleep } from 'node:timers/promises';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { renderRun } from '../bin/evidence/render-run.ts';
import { renderTrace } from '../bin/evidence/render-trace.ts';
import type { AuditAnswer } from '../lambdas/audit-retention/handler.ts';
import type { SealAnswer } from '../lambdas/seal/handler.ts';
import type { VerifyAnswer } from '../lambdas/verify/handler.ts';
import { createClients } from './clients.ts';
import type { Environment } from './environment.ts';
import { UserError } from './errors.ts';
import type { FirstReplay } from './first-workload.ts';

/** Archive windows are 1 s locally; after this long something is broken, and saying so beats waiting. */
const READABLE_WITHIN_MILLIS = 60_000;
const POLL_MILLIS = 250;

/** Reads one resource of the query API. Undefined while it is not there yet. */
async function read(
  environment: Pick<Environment, 'apiUrl' | 'keys'>,
  path: string,
): Promise<unknown> {
  const response = await fetch(environment.apiUrl + path, {
    headers: { authorization: `Bearer ${environment.keys.read}` },
    signal: AbortSignal.timeout(10_000),
  });
  return response.status === 200 ? response.json() : undefined;
}

/** Waits until every event that was sent can be read. Throws a UserError that says where to look when one cannot. */
export async function waitUntilStored(
  environment: Pick<Environment, 'apiUrl' | 'keys'>,
  { receipts, earlier }: Pick<FirstReplay, 'receipts' | 'earlier'>,
  limitMillis = READABLE_WITHIN_MILLIS,
): Promise<void> {
  const deadline = Date.now() + limitMillis;
  for (const { receiptId } of receipts) {
    while (!(await read(environment, `/api/v1/events/${receiptId}`))) {
      if (Date.now() > deadline) {
        throw new UserError(
          earlier
            ? `The event ${receiptId} of an earlier start is not readable: the local data is probably from an older version of this repository; run npm run reset, then npm start again.`
            : `The event ${receiptId} was accepted but is not readable after ${limitMillis / 1000} s: look into the logs of the archive function and the event source runner in the local folder.`,
        );
      }
      await sleep(POLL_MILLIS);
    }
  }
}

/** Runs the retention audit once, now, through the deployed function. */
export function runAudits(environment: Environment): Promise<AuditAnswer> {
  return invoke(environment, 'auditRetention', {});
}

/** A start waits for no more digests than this; the schedule makes the rest after a long stop. */
const DIGESTS_OF_A_START = 30;

/** Seals what landed until a minute ago. */
export function runSeal(environment: Environment): Promise<SealAnswer> {
  return invoke(environment, 'seal', { maxDigests: DIGESTS_OF_A_START });
}

/** Verifies what was sealed, through the deployed function. */
export function runVerify(environment: Environment): Promise<VerifyAnswer> {
  return invoke(environment, 'verify', {});
}

async function invoke<Answer>(
  { endpointUrl, functions }: Environment,
  name: 'auditRetention' | 'seal' | 'verify',
  request: object,
): Promise<Answer> {
  const { Payload, FunctionError } = await createClients(endpointUrl).lambda.send(
    new InvokeCommand({ FunctionName: functions[name], Payload: JSON.stringify(request) }),
  );
  if (FunctionError) {
    throw new UserError(`The function ${functions[name]} failed: look into its log.`);
  }
  return JSON.parse(Buffer.from(Payload ?? []).toString()) as Answer;
}

/** What the store can say about one run, and where to go from here. */
export async function describeEvidence(environment: Environment, runId: string): Promise<string> {
  const run = (await read(environment, `/api/v1/runs/${runId}`)) as
    | Parameters<typeof renderRun>[0]
    | undefined;
  if (!run) throw new UserError(`The run ${runId} is not readable: run npm start again.`);
  const traceId = run.traces[0]?.traceId;
  const trace =
    traceId === undefined ? undefined : await read(environment, `/api/v1/traces/${traceId}`);
  return [renderRun(run), ...(trace ? [renderTrace(trace as never)] : [])].join('\n\n');
}

/** One line on what the audit saw. */
export function describeAudit({ report, location }: AuditAnswer): string {
  const { checked, findings, status, population } = report;
  return `Retention audit: ${status}, ${population.deliveries} deliveries in ${checked.versions} object versions, ${checked.traces} traces, ${findings.length} findings\n  report s3://${location.bucket}/${location.key}`;
}

/** Where the digest chain stands. */
export function describeSeal({ head, anchor, isCaughtUp }: SealAnswer): string {
  if (!head) return 'Digest chain: nothing is sealed yet, the first interval has not closed';
  const behind = isCaughtUp ? '' : ', catching up';
  return `Digest chain: sealed up to ${head.to}${behind}, anchor: ${anchor}\n  head ${head.key}\n  sha256 ${head.sha256}`;
}

/** One line on what the verification saw. */
export function describeVerify({ report, location }: VerifyAnswer): string {
  const { checked, findings, chain, status } = report;
  return `Verification: ${status}, ${chain.listed} digests, ${checked.objects} objects and ${checked.records} records read again, ${findings.length} findings\n  report s3://${location.bucket}/${location.key}`;
}

/** URLs, keys and the next three commands. */
export function describeAccess(
  environment: Environment,
  runId: string,
  environmentPath: string,
): string {
  const { clientUrls, keys, endpointUrl } = environment;
  // The commands must find the same folder again.
  const prefix = process.env.LOCAL_DIR ? `LOCAL_DIR=${process.env.LOCAL_DIR} ` : '';
  return [
    `Running at ${endpointUrl}.`,
    '',
    'Point a client at it',
    `  OpenLineage Python  OPENLINEAGE_URL=${clientUrls.python} OPENLINEAGE_API_KEY=${keys.lineage}`,
    `  OpenLineage Java    url: ${clientUrls.java}`,
    `  OpenLineage Spark   spark.openlineage.transport.url ${clientUrls.spark.url}`,
    `                      spark.openlineage.transport.endpoint ${clientUrls.spark.endpoint}`,
    `  OpenTelemetry       OTEL_EXPORTER_OTLP_ENDPOINT=${clientUrls.otel}`,
    `                      OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20${keys.traces}"`,
    '                      OTEL_METRICS_EXPORTER=none OTEL_LOGS_EXPORTER=none',
    `  Everything else     ${environmentPath}`,
    '',
    'Next',
    `  ${prefix}npx evidence run ${runId}`,
    `  ${prefix}npx evidence run ${runId} --json`,
    `  ${prefix}npm stop`,
  ].join('\n');
}
