import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { digestBegin, digestKey, isDigestKey } from '../integrity/digest.ts';
import { MAX_DIGEST_BYTES, stemOf } from '../integrity/verify-chain.ts';
import type { ReportDamage } from '../integrity/verify-damage.ts';
import { checkDigest } from '../integrity/verify-document.ts';
import { type ListedObject, readWhole, type SealedStore } from '../integrity/verify-store.ts';

/** Gaps that are looked into: more of them are no news. */
const MAX_GAPS = 1_000;

/** What a listing of the chain says, before anything of it is read. */
export interface ChainNames {
  /** Of each digest the document, its first version, in order. */
  readonly documents: readonly ListedObject[];
  /** Every part of the digests from the head verified last, that one included, on. */
  readonly ahead: readonly ListedObject[];
}

/** Lists the whole chain, about 100 calls for a year of digests every 15 minutes. @throws AccessDeniedError */
export async function listChain(
  store: SealedStore,
  head: string | undefined,
  report: ReportDamage,
): Promise<ChainNames> {
  const documents: ListedObject[] = [];
  const ahead: ListedObject[] = [];
  const stem = (key: string) => stemOf(key) ?? key;
  for await (const listed of store.list(EvidencePrefix.digests)) {
    const isAhead = head === undefined || stem(listed.key) >= stem(head);
    if (isAhead) ahead.push(listed); // the walk says what is wrong with these
    if (!isDigestKey(listed.key)) continue;
    const isAgain = documents.at(-1)?.key === listed.key;
    if (!isAhead && (listed.deleteMarker || isAgain)) {
      const detail = listed.deleteMarker ? 'a delete marker' : `version ${listed.versionId}`;
      report({ kind: 'second_version', key: listed.key, detail });
    }
    if (listed.deleteMarker) continue;
    // S3 lists the newest version of a key first
    if (isAgain) documents.pop();
    documents.push(listed);
  }
  return { documents, ahead };
}

/**
 * Reports digests that were there and are not any more. A digest is read only where the distance to the next one is not
 * the one that was found to be right before.
 */
export async function checkPlaces(
  documents: readonly ListedObject[],
  { first, head }: { readonly first: string; readonly head: string },
  store: SealedStore,
  report: ReportDamage,
): Promise<void> {
  const places = documents.filter(({ key }) => key <= head);
  const missing = (key: string, detail: string) => report({ kind: 'missing_digest', key, detail });
  if (places[0]?.key !== first) missing(first, 'it is the first of the chain');
  if (first !== head && places.at(-1)?.key !== head) missing(head, 'it was the head of the chain');
  let right: number | undefined;
  let gaps = 0;
  for (const [at, place] of places.entries()) {
    const next = places[at + 1];
    if (!next || gaps >= MAX_GAPS) break;
    const begin = digestBegin(next.key);
    const distance = begin - digestBegin(place.key);
    if (distance === right) continue;
    const digest = await digestAt(store, place);
    if (!digest) continue; // reported when its slice has its turn
    if (Date.parse(digest.to) === begin) right = distance;
    else {
      gaps++;
      missing(
        digestKey(digest.to),
        `nothing seals ${digest.to} to ${new Date(begin).toISOString()}`,
      );
    }
  }
}

/** A digest that can be read, or undefined. @throws AccessDeniedError */
export async function digestAt(store: SealedStore, { key, versionId }: ListedObject) {
  const opened = await store.open(key, versionId);
  const bytes = opened && (await readWhole(opened, MAX_DIGEST_BYTES));
  const digest = bytes && checkDigest(bytes);
  return typeof digest === 'object' ? digest : undefined;
}
