import type { RunEventEntry } from '../evidence/index-entries.ts';
import type { VersionState } from '../evidence/ports.ts';
import { versionName } from '../evidence/version-name.ts';
import type { LogicalEvent } from './run-fold.ts';

/** The weakest lock among the versions that hold the run: what the bucket says, else what was promised. */
export function viewRetention(
  events: readonly LogicalEvent[],
  versions: ReadonlyMap<string, VersionState>,
) {
  const locks = events.map(({ entry }) => lockOf(entry, versions.get(versionName(entry.location))));
  const [weakest] = locks.toSorted((a, b) =>
    (a.retainUntil ?? '') < (b.retainUntil ?? '') ? -1 : 1,
  );
  return { class: events[0]?.entry.retentionClass ?? null, ...weakest };
}

/** What the bucket says of the version; what was promised where it was not asked or may not be. */
function lockOf({ lock }: RunEventEntry, state: VersionState | undefined) {
  switch (state?.status) {
    case 'present':
      return {
        mode: state.mode ?? null,
        retainUntil: state.retainUntil ?? null,
        legalHold: state.legalHold,
        from: 'bucket',
      };
    case 'missing':
      return { mode: null, retainUntil: null, legalHold: false, from: 'bucket' };
    default:
      return { mode: lock.mode, retainUntil: lock.retainUntil, legalHold: false, from: 'index' };
  }
}
