import { printable, table } from './table.ts';

interface Version {
  readonly key: string;
  readonly versionId: string;
}

interface HoldView {
  readonly runId: string;
  readonly group?: string;
  readonly reference: string;
  readonly reason: string;
  readonly by: string;
  readonly at: string;
  readonly status: 'active' | 'released';
  readonly released: { readonly reason: string; readonly by: string; readonly at: string } | null;
}

interface Outcome {
  readonly hold: HoldView;
  /** That the reason is not kept as it was given now: the step was taken before, or something in it was replaced. */
  readonly note?: string;
  readonly status: 'complete' | 'partial';
  readonly missing: readonly Version[];
  readonly failed: ReadonlyArray<Version & { readonly code: string }>;
  readonly unsealed: number;
  readonly pending: number;
}

/** Answer to `PUT /api/v1/hold`. */
export interface HoldAnswer extends Outcome {
  readonly held: number;
}

/** Answer to `DELETE /api/v1/hold`. */
export interface ReleaseAnswer extends Outcome {
  readonly deletable: ReadonlyArray<Version & { readonly at: string }>;
  readonly stillHeld: ReadonlyArray<Version & { readonly by: readonly string[] }>;
}

export function renderSet(answer: HoldAnswer): string {
  const { hold, held } = answer;
  return [
    `Run ${printable(hold.runId)} is held under ${printable(hold.reference)}: ${held} versions`,
    `Reason as stored: ${printable(hold.reason)}`,
    ...renderOutcome(answer),
    ...(answer.unsealed > 0
      ? [`${answer.unsealed} versions are in no digest yet: the daily run holds it`]
      : []),
  ].join('\n');
}

export function renderRelease(answer: ReleaseAnswer): string {
  const { hold, deletable, stillHeld } = answer;
  return [
    `Run ${printable(hold.runId)} is released from ${printable(hold.reference)}`,
    ...(hold.released ? [`Reason as stored: ${printable(hold.released.reason)}`] : []),
    ...deletable.map((version) => `deletable from ${version.at}  ${nameOf(version)}`),
    ...stillHeld.map(
      (version) => `still held by ${version.by.map(printable).join(', ')}  ${nameOf(version)}`,
    ),
    ...renderOutcome(answer),
  ].join('\n');
}

function renderOutcome({ failed, missing, note, pending }: Outcome): string[] {
  return [
    ...(note === undefined ? [] : [`Note: ${printable(note)}`]),
    ...missing.map((version) => `missing  ${nameOf(version)}`),
    ...failed.map((version) => `failed (${printable(version.code)})  ${nameOf(version)}`),
    ...(pending > 0 ? [`${pending} versions were not got to: the daily run goes on`] : []),
  ];
}

export function renderHolds(page: {
  readonly items: readonly HoldView[];
  readonly cursor: string | null;
}): string {
  const rows = page.items.map(({ runId, reference, status, at, by, reason, released }) => [
    ...[runId, reference, status, at, by, released?.at ?? '-', reason],
  ]);
  return [
    table(['run', 'reference', 'status', 'set', 'by', 'released', 'reason'], rows),
    ...(page.cursor === null ? [] : [`more: --cursor ${page.cursor}`]),
  ].join('\n');
}

function nameOf({ key, versionId }: Version): string {
  return `${printable(key)} version ${printable(versionId)}`;
}
