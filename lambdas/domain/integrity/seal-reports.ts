import { groupBy } from '../collections.ts';
import type { ListedVersion } from '../evidence/ports.ts';
import { type RecordDependencies, recordNewFinding } from '../evidence/record-finding.ts';
import { versionName } from '../evidence/version-name.ts';
import { type Finding, type FindingKind, openFinding } from '../findings.ts';
import type { SealedObject } from './digest.ts';
import type { GoneDigest } from './seal-strays.ts';

export interface ReportDependencies extends RecordDependencies {
  /** Called for each finding that nobody had recorded yet. */
  readonly onFound?: () => void;
}

/** Reports versions that should not be: a second one of a key, or a delete marker. */
export async function reportIrregular(
  versions: readonly ListedVersion[],
  dependencies: ReportDependencies,
): Promise<void> {
  for (const ofKey of groupBy(versions, ({ key }) => key).values()) {
    for (const marker of ofKey.filter(({ deleteMarker }) => deleteMarker)) {
      await report('delete_marker_present', versionName(marker), marker, dependencies);
    }
    const objects = ofKey.filter(({ deleteMarker }) => !deleteMarker);
    if (objects.length < 2) continue;
    const last = objects.reduce((a, b) => (b.lastModified > a.lastModified ? b : a));
    const detail = { versions: objects.length };
    await report('second_version', `${last.bucket}/${last.key}`, last, dependencies, detail);
  }
}

/** Reports what lies among the digests and is none of ours. */
export async function reportForeign(
  versions: readonly ListedVersion[],
  dependencies: ReportDependencies,
): Promise<void> {
  for (const version of versions) {
    await report('foreign_digest', versionName(version), version, dependencies);
  }
}

/** Reports digests that are gone. */
export async function reportGone(
  gone: readonly GoneDigest[],
  bucket: string,
  dependencies: ReportDependencies,
): Promise<void> {
  for (const { document, left, at } of gone) {
    const parts = new Set(left.map(({ key }) => key.split('.').at(-1)));
    const detail = { left: [...parts].sort().join(' ') };
    await report(
      'digest_gone',
      `${bucket}/${document}`,
      { lastModified: at },
      dependencies,
      detail,
    );
  }
}

/** Reports an object that no digest could take for what its folder says. */
export function reportUnreadable(
  sealed: SealedObject,
  dependencies: ReportDependencies,
): Promise<void> {
  return report('evidence_unreadable', versionName(sealed), sealed, dependencies);
}

/** Dated by what it is about, so that a run which sees the same again writes nothing. */
async function report(
  kind: FindingKind,
  subject: string,
  { lastModified: at }: { readonly lastModified: string },
  dependencies: ReportDependencies,
  detail: Readonly<Record<string, string | number>> = {},
): Promise<void> {
  const finding = openFinding(kind, { plane: 'store', subject, at, runKeys: [], detail });
  await reportFinding(finding, dependencies);
}

/** Records a finding of a run, and counts it where it is new. */
export async function reportFinding(
  finding: Finding,
  dependencies: ReportDependencies,
): Promise<void> {
  if (await recordNewFinding(finding, dependencies)) dependencies.onFound?.();
}
