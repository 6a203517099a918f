import { groupBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { HOUR_MILLIS, hourFolder, hourOf } from '../evidence/hour-shard.ts';
import type { ListedVersion } from '../evidence/ports.ts';
import {
  findingKey,
  type RecordDependencies,
  recordNewFinding,
} from '../evidence/record-finding.ts';
import { versionName } from '../evidence/version-name.ts';
import { type Finding, type FindingKind, openFinding } from '../findings.ts';
import type { SealedObject } from './digest.ts';
import type { VaultListing } from './seal-listing.ts';
import type { GoneDigest } from './seal-strays.ts';

export interface ReportDependencies extends RecordDependencies {
  /** Called for each finding that nobody had recorded yet. */
  readonly onFound?: () => void;
}

/** Findings recorded at the same time: small puts. */
const REPORTS_AT_ONCE = 8;

/** A finding that stands for an hour has its row as well: the runs of that hour saw to it. */
const REPEAT_MILLIS = HOUR_MILLIS;

/** Reports versions that should not be: a second one of a key, or a delete marker. */
export async function reportIrregular(
  versions: readonly ListedVersion[],
  listing: VaultListing,
  dependencies: ReportDependencies,
  most?: number,
): Promise<void> {
  const findings: Finding[] = [];
  for (const ofKey of groupBy(versions, ({ key }) => key).values()) {
    for (const marker of ofKey.filter(({ deleteMarker }) => deleteMarker)) {
      findings.push(findingOf('delete_marker_present', versionName(marker), marker));
    }
    const objects = ofKey.filter(({ deleteMarker }) => !deleteMarker);
    if (objects.length < 2) continue;
    const last = objects.reduce((a, b) => (b.lastModified > a.lastModified ? b : a));
    const detail = { versions: objects.length };
    findings.push(findingOf('second_version', `${last.bucket}/${last.key}`, last, detail));
  }
  await reportAll(findings, listing, dependencies, most);
}

/** Reports what lies among the digests and is none of ours. */
export async function reportForeign(
  versions: readonly ListedVersion[],
  listing: VaultListing,
  dependencies: ReportDependencies,
  most?: number,
): Promise<void> {
  const findings = versions.map((version) =>
    findingOf('foreign_digest', versionName(version), version),
  );
  await reportAll(findings, listing, dependencies, most);
}

/** Reports digests that are gone. */
export async function reportGone(
  gone: readonly GoneDigest[],
  bucket: string,
  listing: VaultListing,
  dependencies: ReportDependencies,
): Promise<void> {
  const findings = gone.map(({ document, left, at }) => {
    const parts = new Set(left.map(({ key }) => key.split('.').at(-1)));
    const detail = { left: [...parts].sort().join(' ') };
    return findingOf('digest_gone', `${bucket}/${document}`, { lastModified: at }, detail);
  });
  await reportAll(findings, listing, dependencies);
}

/** Those that nobody recorded yet come first: what lies in the vault for long must not cost every run. */
async function reportAll(
  findings: readonly Finding[],
  listing: VaultListing,
  dependencies: ReportDependencies,
  most = Number.POSITIVE_INFINITY,
): Promise<void> {
  const hours = [...new Set(findings.map(({ at }) => hourFolder(hourOf(at))))];
  const listed = await mapConcurrently(hours, REPORTS_AT_ONCE, (hour) =>
    listing.all(EvidencePrefix.findings + hour),
  );
  const standing = new Map(listed.flat().map((version) => [version.key, version]));
  const isNew = (finding: Finding) => !standing.has(findingKey(finding));
  const since = dependencies.clock() - REPEAT_MILLIS;
  const repeated = findings.filter((finding) => {
    const version = standing.get(findingKey(finding));
    return version !== undefined && Date.parse(version.lastModified) >= since;
  });
  const due = [...findings.filter(isNew), ...repeated].slice(0, most);
  await mapConcurrently(due, REPORTS_AT_ONCE, (finding) => reportFinding(finding, dependencies));
}

/** Reports an object that no digest could take for what its folder says. */
export function reportUnreadable(
  sealed: SealedObject,
  dependencies: ReportDependencies,
): Promise<void> {
  return reportFinding(findingOf('evidence_unreadable', versionName(sealed), sealed), dependencies);
}

/** Dated by what it is about, so that a run which sees the same again writes nothing. */
function findingOf(
  kind: FindingKind,
  subject: string,
  { lastModified: at }: { readonly lastModified: string },
  detail: Readonly<Record<string, string | number>> = {},
): Finding {
  return openFinding(kind, { plane: 'store', subject, at, runKeys: [], detail });
}

/** Records a finding of a run, and counts it where it is new. */
export async function reportFinding(
  finding: Finding,
  dependencies: ReportDependencies,
): Promise<void> {
  if (await recordNewFinding(finding, dependencies)) dependencies.onFound?.();
}
