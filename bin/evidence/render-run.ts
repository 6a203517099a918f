import { groupBy } from '../../lambdas/domain/collections.ts';
import type { RowLimit } from '../../lambdas/domain/openlineage/row-limits.ts';
import type { Statement, viewRun } from '../../lambdas/domain/openlineage/run-view.ts';
import { printable, table } from './table.ts';

type RunView = ReturnType<typeof viewRun>;
type HeldRun = Extract<RunView, { retention: unknown }>;

/** A run for people: what happened, what it touched, where it lies, until when, and what is not known. */
export function renderRun(run: RunView): string {
  const sections = [`Run ${printable(run.runId)}: ${run.state}`];
  if ('retention' in run) sections.push(...renderHeld(run));
  sections.push(
    section(
      'Referred to by',
      run.referredToBy.map(({ by, from }) => `${by} of ${printable(from)}`),
    ),
    section('Spans', renderTraces(run)),
    section('Row limits', 'limits' in run ? run.limits.map(renderLimit) : []),
    section(
      'Legal holds',
      run.holds.map(
        ({ reference, status, at }) => `${printable(reference)}: ${status} since ${at}`,
      ),
    ),
    section(
      'Findings',
      run.findings.map(({ kind, severity, id }) => `${severity} ${kind} ${id}`),
    ),
    section(
      'Qualifications',
      run.qualifications.map(({ text, from }) => `${printable(text)} (${from})`),
    ),
    section('Not established', [run.notEstablished.join(', ')]),
  );
  return sections.filter(Boolean).join('\n\n');
}

function renderHeld(run: HeldRun): string[] {
  const { retention } = run;
  const statements: ReadonlyArray<Statement & { group?: string; state?: string }> = run.groups ?? [
    run,
  ];
  return [
    [
      `Submitter  ${run.submitter.map(({ producerId }) => producerId).join(', ')}`,
      `Locked     ${retention.mode ?? 'not locked'} until ${retention.retainUntil ?? '-'}, legal hold ${retention.legalHold ? 'on' : 'off'} (class ${retention.class})`,
      `Sealed     ${renderIntegrity(run.integrity)}`,
    ].join('\n'),
    ...statements.map(renderStatement),
    section('Timeline', [
      table(
        ['event time', 'type', 'accepted', 'deliveries', 'receipt'],
        run.events.map((event) => [
          event.eventTime ?? '-',
          event.eventType ?? '-',
          event.acceptedAt,
          String(event.deliveries),
          event.receiptId,
        ]),
      ),
    ]),
    section('Stored at', renderObjects(run)),
  ];
}

function renderIntegrity({ status, digestKey, from }: HeldRun['integrity']): string {
  if (status === 'sealed')
    return `by ${digestKey}${from === 'listing' ? ' (by its interval)' : ''}`;
  return status === 'late' ? 'late: not by the digest of its interval' : 'not yet';
}

/** What one group says of the run; the group is named where there are several. */
function renderStatement(said: Statement & { group?: string; state?: string }): string {
  const { job, parent, basis } = said;
  const datasets = [
    ...said.inputs.map((dataset) => `read   ${nameOf(dataset)}`),
    ...said.outputs.map((dataset) => `write  ${nameOf(dataset)}`),
  ];
  return [
    ...(said.group === undefined ? [] : [`Group      ${said.group}: ${said.state}`]),
    `Job        ${job ? nameOf(job) : '-'}`,
    `Parent     ${parent ? `${printable(parent.runId)} (${parent.held ? 'held' : 'not held'}, asserted by the caller)` : 'none named'}`,
    ...(basis
      ? [
          `Basis      derivation ${printable(basis.derivation)}, completeness ${printable(basis.completeness)}, parentage ${printable(basis.parentage)}`,
        ]
      : []),
    ...(datasets.length > 0 ? ['', section('Datasets', datasets)] : []),
  ].join('\n');
}

/** Each object once, with the lines of it that belong to the run. */
function renderObjects({ events }: HeldRun): string[] {
  const objects = groupBy(
    events,
    ({ location: { bucket, key, versionId } }) => `s3://${bucket}/${key}\n  version ${versionId}`,
  );
  return [...objects].map(([object, lines]) => {
    const numbers = lines.map(({ location }) => location.line).sort((a, b) => a - b);
    const redacted = lines.reduce((sum, { redaction }) => sum + redaction.fieldCount, 0);
    return `${object}, line ${numbers.join(', ')}, redacted fields ${redacted}`;
  });
}

function renderLimit({ by, bound, rows, percent, path }: RowLimit): string {
  const size = rows === undefined ? bound : `${rows}${percent ? ' percent' : ' rows'}`;
  return `${by} ${size} (${printable(path)})`;
}

function renderTraces({ traces }: RunView): string[] {
  return traces.map(
    ({ traceId, spanIds, basis, retention }) =>
      `trace ${traceId} span ${spanIds.join(', ') || '-'}: ${basis}, ${retention ? `${retention.mode} until ${retention.retainUntil}` : 'not locked'}`,
  );
}

function nameOf({ namespace, name }: { namespace: string; name: string }): string {
  return `${printable(namespace)} / ${printable(name)}`;
}

function section(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const indented = lines.flatMap((line) => line.split('\n')).map((line) => `  ${line}`);
  return [title, ...indented].join('\n');
}
