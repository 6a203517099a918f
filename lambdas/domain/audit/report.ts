import { mapConcurrently } from '../concurrency.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import type { ObjectVersion } from '../evidence/ports.ts';
import { type RecordDependencies, recordFinding, recordLock } from '../evidence/record-finding.ts';
import { type Finding, openFinding } from '../findings.ts';
import { storeKey } from '../store-key.ts';
import type { AuditInterval } from './population.ts';
import type { RetentionAudit } from './retention-audit.ts';

/** A locked statement that a control ran, written also when there is nothing to say. */
export interface Report extends AuditInterval {
  readonly report: 1;
  readonly id: string;
  readonly kind: 'audit-retention' | 'holds' | 'rebuild' | 'rejections' | 'verify';
  readonly findings: readonly Finding[];
}

/** What the retention audit saw. */
export interface AuditReport extends Report {
  readonly kind: 'audit-retention';
  /** `incomplete` when something could not be looked at: never zero findings by blindness. */
  readonly status: 'complete' | 'incomplete';
  readonly population: RetentionAudit['population'];
  readonly checked: RetentionAudit['checked'];
  readonly extended: RetentionAudit['extended'];
  readonly replication?: RetentionAudit['replication'];
  readonly unreadable: readonly string[];
}

/** 128 bits of a hash: no two reports meet in one id. */
const ID_HEX_DIGITS = 32;

/**
 * Gives a report its id, which covers its content: a rerun that sees the same is the same report, one
 * that sees something else stands beside it.
 */
export function identified<T extends Omit<Report, 'report' | 'id'>>(
  content: T,
): T & Pick<Report, 'report' | 'id'> {
  return {
    report: 1,
    id: storeKey('report', JSON.stringify(content)).slice(0, ID_HEX_DIGITS),
    ...content,
  };
}

/** Composes the report of a retention audit; a pure function of what was seen. */
export function retentionReport(interval: AuditInterval, audit: RetentionAudit): AuditReport {
  const { left } = audit.extended;
  const incomplete = audit.unreadable.length > 0 || left > 0;
  const blindness = openFinding('audit_incomplete', {
    plane: 'store',
    subject: `audit-retention/${interval.from}/${interval.to}`,
    at: interval.asOf,
    runKeys: [],
    detail: { unreadable: audit.unreadable.length, ...(left > 0 && { left }) },
  });
  const findings = incomplete ? [...audit.findings, blindness] : audit.findings;
  return identified({
    kind: 'audit-retention',
    ...interval,
    status: incomplete ? 'incomplete' : 'complete',
    population: audit.population,
    checked: audit.checked,
    extended: audit.extended,
    ...(audit.replication && { replication: audit.replication }),
    unreadable: audit.unreadable,
    findings: findings.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  });
}

/** A finding is a put and a row: one after the other, those of a thousand producers took minutes. */
const FINDINGS_AT_ONCE = 16;

/**
 * Locks the findings, then the report that counts them. A report that stands has its findings below it, so the same
 * audit run twice looks once and writes nothing.
 */
export async function fileReport(
  report: Report,
  dependencies: RecordDependencies,
): Promise<ObjectVersion> {
  const day = report.to.slice(0, 10);
  const key = `${EvidencePrefix.reports}${report.kind}/dt=${day}/${report.to.replaceAll(':', '')}-${report.id}.json`;
  const standing = await dependencies.vault.findDocument(key, report);
  if (standing) return standing;
  await mapConcurrently(report.findings, FINDINGS_AT_ONCE, (finding) =>
    recordFinding(finding, dependencies),
  );
  return dependencies.vault.putDocument(key, report, recordLock(report.asOf, dependencies));
}
