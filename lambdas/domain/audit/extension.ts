import { groupBy, uniqueBy } from '../collections.ts';
import type { Clock, ObjectReader, ObjectVersion, VersionInspector } from '../evidence/ports.ts';
import type { RetentionPolicy } from '../evidence/retention.ts';
import type { RunIndex } from '../evidence/run-index.ts';
import { versionName } from '../evidence/version-name.ts';
import { type Finding, openFinding, type Plane } from '../findings.ts';
import { extendRecords, recordsInUse, recordsOf } from './extend-records.ts';
import {
  extendVersions,
  findShortEvidence,
  promiseExtended,
  type ShortEvidence,
} from './extend-runs.ts';
import type { Inspection } from './inspection.ts';
import { type Covered, LockExtension } from './lock-extension.ts';
import type { AuditInterval } from './population.ts';
import type { RetentionExtender } from './ports.ts';

export interface ExtensionDependencies {
  readonly index: RunIndex;
  readonly inspector: VersionInspector;
  readonly reader: ObjectReader;
  readonly extender: RetentionExtender;
  readonly vaultBucket: string;
  readonly retention: RetentionPolicy;
  readonly clock: Clock;
  /** @default - what one invocation has time for */
  readonly maxExtensions?: number;
}

/** Locks made longer by an audit. */
export interface Extension {
  /** Versions of lineage and traces. */
  readonly evidence: number;
  /** Versions of what proves evidence and of what is in use. */
  readonly records: number;
  /** Versions that another run of the same audit has to extend. */
  readonly left: number;
}

/**
 * Extends the locks of what the active runs need for longer than it was promised, and of what proves it. Safe to run
 * twice: what is extended is looked at and left alone.
 * @param needs until when (milliseconds) each run that was active is to be held
 */
export async function extendLocks(
  needs: ReadonlyMap<string, number>,
  { asOf }: AuditInterval,
  inspection: Inspection,
  dependencies: ExtensionDependencies,
) {
  const { index, clock } = dependencies;
  const extension = new LockExtension({ ...dependencies, inspection, now: clock() });
  const denied: string[] = [];

  const short = await findShortEvidence(needs, index);
  const covered = await extendVersions(short, extension);
  const evidence = extension.extended;
  const looked = [...covered].flatMap(([name, state]) => {
    const known = short.versions.get(name);
    return known ? [{ version: known.version, covered: state }] : [];
  });
  const records = [
    ...(await extendRecords(await recordsOf(looked, dependencies, denied), extension)),
    ...(await extendRecords(await recordsInUse(Date.parse(asOf), dependencies, denied), extension)),
  ];
  await promiseExtended(short, covered, index);

  const failures = [
    ...[...short.versions].flatMap(([name, { version, rows, runKeys, neededMillis }]) =>
      [...rows.values()].every((row) => 'traceId' in row)
        ? []
        : failure(version, covered.get(name), 'lineage', asOf, [...runKeys].sort(), neededMillis),
    ),
    ...records.flatMap(({ version, covered: state }) => failure(version, state, 'store', asOf, [])),
  ];
  return {
    findings: uniqueBy(
      [...failures, ...(await shortTraces(short, asOf, inspection))],
      ({ id }) => id,
    ),
    extension: { evidence, records: extension.extended - evidence, left: extension.left },
    checkedTraces: short.checkedTraces,
    /** Names of the versions beside evidence that were looked at. */
    records: records.map(({ version }) => versionName(version)),
    denied,
  };
}

/** What is found of a version whose lock could not be extended; one that may not be looked at is told elsewhere. */
function failure(
  version: ObjectVersion,
  covered: Covered | undefined,
  plane: Plane,
  at: string,
  runKeys: readonly string[],
  neededMillis?: number,
): Finding[] {
  if (!covered || 'until' in covered || covered.short === 'denied' || covered.short === 'left')
    return [];
  const kinds = {
    missing: 'version_missing',
    not_locked: 'not_locked',
    refused: 'extension_failed',
  } as const;
  return [
    openFinding(kinds[covered.short], {
      ...{ plane, subject: versionName(version), at, runKeys },
      detail:
        neededMillis === undefined ? {} : { neededUntil: new Date(neededMillis).toISOString() },
    }),
  ];
}

/** Traces that still go before their run (a link into what expired first is none): one finding a trace. */
async function shortTraces(
  { traces }: ShortEvidence,
  at: string,
  inspection: Inspection,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const byTrace = groupBy(traces, ({ runKey, delivery }) => `${runKey}/${delivery.traceId}`);
  for (const [subject, deliveries] of byTrace) {
    const shorter: Array<{ receiptId: string; traceUntil: string }> = [];
    const [{ runKey, neededMillis }] = deliveries as [ShortEvidence['traces'][number]];
    for (const { delivery } of deliveries) {
      const { governed, location, receiptId } = delivery;
      const state = governed ? await inspection.of(location) : undefined;
      if (state?.status === 'denied') continue;
      const traceUntil = state?.status === 'present' ? (state.retainUntil ?? '') : '';
      if (traceUntil === '' || Date.parse(traceUntil) < neededMillis)
        shorter.push({ receiptId, traceUntil });
    }
    // The delivery that goes first.
    const [first] = shorter.sort((a, b) => (a.traceUntil < b.traceUntil ? -1 : 1));
    if (!first) continue;
    const { receiptId, traceUntil } = first;
    const detail = {
      receiptId,
      runUntil: new Date(neededMillis).toISOString(),
      traceUntil: traceUntil || 'not locked',
      deliveries: shorter.length,
    };
    findings.push(
      openFinding('trace_shorter_than_run', {
        ...{ plane: 'traces', subject, at, runKeys: [runKey], detail },
      }),
    );
  }
  return findings;
}
