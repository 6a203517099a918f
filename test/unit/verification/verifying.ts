import type { GuardReader } from '../../../lambdas/domain/audit/ports.ts';
import { fileReport } from '../../../lambdas/domain/audit/report.ts';
import type { Finding } from '../../../lambdas/domain/findings.ts';
import { isDigestKey } from '../../../lambdas/domain/integrity/digest.ts';
import {
  type VerificationDependencies,
  verifyVault,
} from '../../../lambdas/domain/verification/verification.ts';
import { RETENTION } from '../../support/builders.ts';
import { inspectorOver, sealedStoreOver } from '../../support/fakes/readers.ts';
import { GUARDS, guardsSeen } from '../../support/guards.ts';
import { envelopeOf } from '../integrity/envelopes.ts';
import { MINUTE, sealing } from '../integrity/sealing.ts';

export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const START = Date.parse('2026-03-04T05:00:00.000Z');

/** A vault that was sealed, and the verification over it. */
export async function verifying(hours = 3) {
  const sealed = sealing(START);
  let records = 0;
  let now = START;
  const guards: { reader: GuardReader } = { reader: guardsSeen() };
  const opened: string[] = [];
  const store = {
    ...{ sealed, guards, opened, vault: sealed.vault },
    /** Something lands each hour, and is sealed. */
    async live(hoursMore: number) {
      for (let hour = 0; hour < hoursMore; hour++) {
        sealed.archive([envelopeOf(++records, now), envelopeOf(++records, now)]);
        now += HOUR;
        await sealed.sealTo(now);
      }
    },
    async verify(
      overrides: Partial<VerificationDependencies> = {},
      { remaining = () => 1, asOf = now }: { remaining?: () => number; asOf?: number } = {},
    ) {
      opened.length = 0;
      now = asOf;
      sealed.at(now);
      const over = sealedStoreOver(sealed.vault);
      const interval = {
        from: new Date(asOf - DAY).toISOString(),
        to: new Date(asOf).toISOString(),
        asOf: new Date(asOf).toISOString(),
      };
      const report = await verifyVault(interval, remaining, {
        store: {
          ...over,
          open(key, versionId) {
            opened.push(key);
            return over.open(key, versionId);
          },
        },
        inspector: inspectorOver(sealed.vault),
        ...{ guards: GUARDS, guardReader: guards.reader, periodDays: 1 },
        ...overrides,
      });
      const { vault, index } = sealed;
      await fileReport(report, { vault, index, retention: RETENTION, clock: () => now });
      return report;
    },
    digests: () => sealed.vault.versions.filter(({ key }) => isDigestKey(key)),
    evidence: () => sealed.vault.versions.filter(({ key }) => key.startsWith('lineage/')),
    get now() {
      return now;
    },
  };
  await store.live(hours);
  return store;
}

/** `damage key` of everything that is broken, in order. */
export function broken({ findings }: { readonly findings: readonly Finding[] }): string[] {
  return findings
    .filter(({ kind, status }) => kind === 'integrity_broken' && status !== 'resolved')
    .map(({ detail }) => `${detail.damage} ${detail.key}`)
    .sort();
}
