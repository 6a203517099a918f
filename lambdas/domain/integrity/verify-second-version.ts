import type { Damage } from './verify-damage.ts';
import type { ListedObject } from './verify-store.ts';

type Named = Pick<ListedObject, 'key' | 'versionId' | 'deleteMarker'>;

/**
 * Which versions of one key should not be: delete markers, and beside a sealed version those that no digest seals.
 * Where digests do not tell them apart it is the first that belongs there: keys are written while nothing stands there.
 * @param versions all of the key, the newest first
 */
export function secondVersions<Version extends Named>(
  versions: readonly Version[],
  isSealed: (version: Version) => boolean = () => true,
): Damage[] {
  const markers = versions.filter(({ deleteMarker }) => deleteMarker);
  const objects = versions.filter(({ deleteMarker }) => !deleteMarker);
  const foreign = objects.filter((version) => !isSealed(version));
  const isTold = foreign.length > 0 && foreign.length < objects.length;
  const isForeign = new Set(foreign);
  const own = objects.find((version) => isTold && !isForeign.has(version)) ?? objects.at(-1);
  const second = isTold ? foreign : objects.slice(0, -1);
  const beside = `beside version ${own?.versionId}, which ${isTold ? 'is sealed' : 'was there first'}`;
  return [
    ...markers.map((version) => damage(version, 'a delete marker hides the object')),
    ...second.map((version) => damage(version, `it stands ${beside}`)),
  ];
}

function damage({ key, versionId }: Named, detail: string): Damage {
  return { kind: 'second_version', key, ...(versionId && { versionId }), detail };
}
