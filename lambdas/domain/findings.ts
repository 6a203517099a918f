import { canonicalJson } from './json/canonical.ts';
import { storeKey } from './store-key.ts';

export type Severity = 'critical' | 'high' | 'medium' | 'low';
/** The two ways in, each with a stream, an archive function and a failure queue of its own. */
export type StreamPlane = 'lineage' | 'traces';
export type Plane = StreamPlane | 'store';

/** Every kind of finding: how grave, what opens it, what resolves it. One table, printed in docs/findings.md. */
export const FINDING_KINDS = {
  stored_reduced: {
    severity: 'medium',
    opens: 'the redactor could not finish an accepted record, which was stored as a skeleton',
    resolves: 'never: what was reduced cannot be restored; explain it with a note',
  },
  accepted_not_readable: {
    severity: 'high',
    opens: 'an accepted record could not be parsed and stands in quarantine without its payload',
    resolves: 'never: explain it with a note',
  },
  accepted_not_stored: {
    severity: 'critical',
    opens:
      'a record crashed the archive function on every retry and was named in quarantine, left the stream before it was archived, or is found on the stream and not in any bucket by the recount an hour later; or the last digest that speaks of it still says so when the vault is verified',
    resolves:
      'a later recount or verification that finds the record stored; one of quarantine or redrive never: explain it with a note',
  },
  conflicting_duplicate: {
    severity: 'medium',
    opens: 'a group sent two events of one run, type and time with different bytes; both are kept',
    resolves: 'never: explain it with a note',
  },
  acceptance_clock_skew: {
    severity: 'low',
    opens: 'acceptedAt and the arrival in the stream differ by more than 60 s',
    resolves: 'never: the later time decided the retention',
  },
  staged_trace_expired: {
    severity: 'high',
    opens: 'a trace turned out governed after a staged delivery of it was gone',
    resolves: 'never: explain it with a note',
  },
  staged_trace_altered: {
    severity: 'critical',
    opens: 'a staged delivery of a governed trace is not what was staged, and was not promoted',
    resolves: 'never: explain it with a note',
  },
  version_missing: {
    severity: 'critical',
    opens: 'the index names an object version that the bucket does not hold',
    resolves: 'an audit that finds the version',
  },
  not_locked: {
    severity: 'critical',
    opens: 'an evidence version has no retention',
    resolves: 'an audit that finds it locked as promised',
  },
  lock_mode_differs: {
    severity: 'high',
    opens: 'an evidence version is locked in another mode than promised',
    resolves: 'an audit that finds the promised mode',
  },
  retention_short: {
    severity: 'critical',
    opens: 'an evidence version is locked for a shorter time than promised',
    resolves: 'an extension of the lock, seen by an audit',
  },
  trace_shorter_than_run: {
    severity: 'high',
    opens:
      'a trace of a run is not locked for the period from the last event of the run, and was not extended',
    resolves: 'an extension or a promotion of the trace, seen by an audit',
  },
  extension_failed: {
    severity: 'high',
    opens:
      'S3 refused to lock a version for longer, as a run that goes on or a record in use needs it',
    resolves: 'an extension of the lock, seen by an audit',
  },
  replication_failed: {
    severity: 'high',
    opens:
      'S3 did not copy an evidence version to the replica of the vault, or not within two hours',
    resolves: 'an audit that finds it copied',
  },
  delete_marker_present: {
    severity: 'high',
    opens: 'a delete marker hides an evidence object from readers that pin no version',
    resolves: 'never: the marker is to be removed; later audits report it no more',
  },
  second_version: {
    severity: 'critical',
    opens: 'a key of the vault, which is written once, has more than one version',
    resolves: 'never: both versions are sealed; explain it with a note',
  },
  evidence_unreadable: {
    severity: 'critical',
    opens:
      'an object in the folders of evidence holds no lines of ours and is sealed by its bytes alone; or an object of the vault is gone, archived or encrypted under a key that is not the vault’s, and is sealed by its name, size and ETag until it can be read',
    resolves: 'never: explain it with a note',
  },
  foreign_digest: {
    severity: 'critical',
    opens:
      'something below `digests/` that no sealer of this store wrote, or a digest that cannot be read; the chain goes on without it',
    resolves: 'never: explain it with a note',
  },
  digest_gone: {
    severity: 'critical',
    opens:
      'the document of a digest is gone: its signature or its leaves stand alone (`left`), or a later digest names it; where it was the last, the next stands beside its place and says so (`displacedBy`)',
    resolves: 'never: nothing brings it back; explain it with a note',
  },
  sealing_failed: {
    severity: 'high',
    opens:
      'the digest of an interval could not be written, most often because the signing key is disabled',
    resolves: 'never: the digest of the interval says how late it was written, and ends the matter',
  },
  anchor_failed: {
    severity: 'medium',
    opens: 'the head of the digest chain could not be sent to the anchor outside the account',
    resolves:
      'never: a later head at the anchor covers every digest before it, and ends the matter',
  },
  version_not_indexed: {
    severity: 'medium',
    opens: 'the vault holds an evidence version that no index row points at',
    resolves: 'an audit that finds it indexed, as after a redrive or a rebuild of the index',
  },
  events_refused: {
    severity: 'low',
    opens: 'events, exports or spans of a producer were refused for good within an hour',
    resolves: 'never: the producer was told; the rejection report of the hour counts them',
  },
  guard_changed: {
    severity: 'critical',
    opens:
      'a setting that protects the vault, its key, a signing key or a key of HMAC keys is not as deployed',
    resolves: 'a check that finds the setting as deployed',
  },
  integrity_broken: {
    severity: 'critical',
    opens:
      'the scheduled verification found that the vault is not what its digests say; `damage` names what, as `evidence verify` does',
    resolves: 'never: nothing repairs it; explain it with a note',
  },
  report_missing: {
    severity: 'high',
    opens: 'a scheduled control left no report for longer than its reports reach back',
    resolves: 'a verification that finds the reports of the time',
  },
  hold_incomplete: {
    severity: 'high',
    opens:
      'the legal hold of a version could not be set or lifted, or was not got to; or the index had lost a row of a hold, or a document of one is none of ours',
    resolves: 'never: a report of the daily look at the holds that is complete ends the matter',
  },
  audit_incomplete: {
    severity: 'high',
    opens: 'an audit could not look at everything it had to look at',
    resolves:
      'a count that gets through, or a complete verification; one of an audit never: a complete audit of the same interval ends the matter',
  },
} as const satisfies Record<string, { severity: Severity; opens: string; resolves: string }>;

export type FindingKind = keyof typeof FINDING_KINDS;

/** One observation. Its id is the same for every rerun over the same subject. */
export interface Finding {
  readonly finding: 1;
  readonly id: string;
  readonly kind: FindingKind;
  readonly severity: Severity;
  readonly plane: Plane;
  /** What it is about: a receipt, an object version, an interval. Never a payload. */
  readonly subject: string;
  readonly status: 'provisional' | 'confirmed' | 'resolved';
  /** RFC 3339 UTC: of the record or of the audit's `asOf`, so that a replay yields the same document. */
  readonly at: string;
  readonly runKeys: readonly string[];
  readonly detail: Readonly<Record<string, string | number | boolean>>;
}

/** Opens a finding, confirmed at once: for facts that no later event can take back. */
export function openFinding(
  kind: FindingKind,
  about: Pick<Finding, 'plane' | 'subject' | 'at' | 'runKeys' | 'detail'>,
): Finding {
  return {
    finding: 1,
    id: storeKey('finding', kind, about.subject, about.plane).slice(0, 32),
    kind,
    severity: FINDING_KINDS[kind].severity,
    status: 'confirmed',
    ...about,
  };
}

/**
 * A finding as it stands: what says the same as the last step before it is no step of its own, and keeps the time of
 * that step. Its members keep their order, since a step is named by its bytes.
 */
export function standingStep(finding: Finding, last: Finding | undefined): Finding {
  if (!last || last.at > finding.at) return finding;
  const same = { ...finding, at: last.at };
  return canonicalJson(last) === canonicalJson(same) ? same : finding;
}
