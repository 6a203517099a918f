import { describe, expect, it } from 'vitest';
import type { ListedVersion, VersionInspector } from '../../../lambdas/domain/evidence/ports.ts';
import { digestKey } from '../../../lambdas/domain/integrity/digest.ts';
import { integrityOf } from '../../../lambdas/domain/integrity/proof-status.ts';

const DAY = 86_400_000;
const MIDNIGHT = Date.parse('2026-03-05T00:00:00Z');
const LANDED = new Date(MIDNIGHT - 60_000).toISOString();
const ROW = { acceptedAt: LANDED, location: { bucket: 'vault', key: 'lineage/x', versionId: 'v' } };
const digest = (from: number, overrides: Partial<ListedVersion> = {}): ListedVersion => ({
  ...{ bucket: 'vault', key: digestKey(new Date(from).toISOString()), versionId: 'd' },
  ...{ deleteMarker: false, bytes: 9_000_000, lastModified: new Date(from + DAY).toISOString() },
  ...overrides,
});
/** Digests that are too large to be read for an answer. */
const judge = (...digests: readonly ListedVersion[]) => {
  const inspector: VersionInspector = {
    inspect: async () => ({ status: 'present', lastModified: LANDED, legalHold: false }),
    async *list(_bucket, prefix) {
      yield* digests.filter(({ key }) => key.startsWith(prefix));
    },
    files: () => expect.unreachable(),
    folders: async () => [],
  };
  const read = async () => {
    throw new Error('nothing is to be read');
  };
  return integrityOf([ROW], new Map(), { inspector, reader: { read } });
};

describe('integrity by listing', () => {
  const last = MIDNIGHT - 900_000;

  it('is sealed once a later digest is there, were it of the next day', async () => {
    expect(await judge(digest(last))).toMatchObject({ status: 'pending' });
    expect(await judge(digest(last), digest(MIDNIGHT))).toEqual({
      ...{ status: 'sealed', digestKey: digest(last).key, from: 'listing' },
    });
  });

  it('takes a delete marker for no digest', async () => {
    const marker = digest(MIDNIGHT, { deleteMarker: true });
    expect(await judge(digest(last), marker)).toMatchObject({ status: 'pending' });
  });
});
