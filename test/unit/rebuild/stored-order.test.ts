import { expect, it } from 'vitest';
import type { ListedVersion } from '../../../lambdas/domain/evidence/ports.ts';
import { inStoredOrder } from '../../../lambdas/domain/rebuild/stored-order.ts';

const AT = '2026-11-30T09:00:00.000Z';
const version = (versionId: string, bytes: number, changed: Partial<ListedVersion> = {}) =>
  ({ bucket: 'vault', key: 'a', versionId, bytes, lastModified: AT, ...changed }) as ListedVersion;

it('takes, of versions of a key within a second, the one that S3 lists last, however large others are', () => {
  const first = version('v1', 1);
  const listed = [version('v3', 1), version('v2', 99), first];
  expect(inStoredOrder(listed)).toEqual([first]);
});

it('leaves out markers, and orders keys by time and then by size', () => {
  const early = version('v1', 1, { key: 'z', lastModified: '2026-11-30T08:00:00.000Z' });
  const small = version('v1', 1);
  const large = version('v1', 9, { key: 'b' });
  const marker = version('v2', 0, { key: 'c', deleteMarker: true });
  expect(inStoredOrder([small, large, marker, early])).toEqual([early, large, small]);
});
