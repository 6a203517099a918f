import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { EvidenceVault, VersionInspector } from '../../../lambdas/domain/evidence/ports.ts';
import type { Lock } from '../../../lambdas/domain/evidence/retention.ts';
import type { LegalHolds } from '../../../lambdas/domain/holds/ports.ts';

interface UnderTest {
  readonly vault: EvidenceVault;
  readonly legalHolds: LegalHolds;
  readonly inspector: VersionInspector;
  readonly lock: Lock;
}

/** What setting the hold of a version does, in the fake as well as in S3. */
export function describeLegalHoldsContract(name: string, create: () => UnderTest): void {
  describe(`legal holds contract: ${name}`, () => {
    const { inspector, legalHolds, lock, vault } = create();
    const bit = async (version: Parameters<VersionInspector['inspect']>[0]) => {
      const state = await inspector.inspect(version);
      return state.status === 'present' ? state.legalHold : state.status;
    };

    it('turns the bit of one version on and off, as often as one likes', async () => {
      const folder = `holds/contract-${randomUUID()}`;
      const version = await vault.putDocument(`${folder}/a.json`, {}, lock);
      const other = await vault.putDocument(`${folder}/b.json`, {}, lock);
      for (const on of [true, true, false, false]) {
        await legalHolds.set(version, on);
        expect([await bit(version), await bit(other)]).toEqual([on, false]);
      }
    });

    it('says of a version that is not there that it is not', async () => {
      const version = await vault.putDocument(`holds/contract-${randomUUID()}.json`, {}, lock);
      const gone = { ...version, key: `${version.key}-gone` };
      await expect(legalHolds.set(gone, true)).rejects.toThrow(
        expect.objectContaining({ code: 'object_version_missing' }),
      );
    });
  });
}
