import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { digestBegin, digestKey, isDigestKey } from '../integrity/digest.ts';
import { type LateBegin, MAX_DIGEST_BYTES, stemOf } from '../integrity/verify-chain.ts';
import type { ReportDamage } from '../integrity/verify-damage.ts';
import { checkDigest } from '../integrity/verify-document.ts';
import { secondVersions } from '../integrity/verify-second-version.ts';
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
  const isAhead = (key: string) => head === undefined || stem(key) >= stem(head);
  let ofKey: ListedObject[] = [];
  const end = () => {
    // What is ahead the walk judges.
    if (ofKey[0] && !isAhead(ofKey[0].key)) secondVersions(ofKey).forEach(report);
    // Of several versions the first is ours, which S3 lists last.
    const document = ofKey.findLast(({ deleteMarker }) => !deleteMarker);
    if (document) documents.push(document);
    ofKey = [];
  };
  for await (const listed of store.list(EvidencePrefix.digests)) {
    if (isAhead(listed.key)) ahead.push(listed);
    if (!isDigestKey(listed.key)) continue;
    if (ofKey[0]?.key !== listed.key) end();
    ofKey.push(listed);
  }
  end();
  return { documents, ahead };
}

/** A chain that begins later than it did. */
interface Begun {
  readonly first: string;
  readonly begin: LateBegin;
}

/**
 * Reports digests that were there and are not any more. A digest is read only where the distance to the next one is not
 * the one that was found to be right before.
 * @returns where the chain begins now, when its first digests are gone as they promised
 */
export async function checkPlaces(
  documents: readonly ListedObject[],
  { first, head, asOfMillis }: { first: string; head: string; asOfMillis: number },
  store: SealedStore,
  report: ReportDamage,
): Promise<Begun | undefined> {
  const places = documents.filter(({ key }) => key <= head);
  const missing = (key: string, detail: string) => report({ kind: 'missing_digest', key, detail });
  const begun = await begunLater(places[0], first, asOfMillis, store);
  if (places[0]?.key !== first && !begun) missing(first, 'it is the first of the chain');
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
  return begun;
}

async function begunLater(
  place: ListedObject | undefined,
  first: string,
  asOfMillis: number,
  store: SealedStore,
): Promise<Begun | undefined> {
  if (!place || place.key === first) return undefined;
  const { from, number, previous } = (await digestAt(store, place)) ?? {};
  const retainedUntil = previous?.retainUntil;
  if (from === undefined || number === undefined || retainedUntil === undefined) return undefined;
  if (Date.parse(retainedUntil) >= asOfMillis) return undefined;
  return { first: place.key, begin: { from, number, retainedUntil } };
}

/** A digest that can be read, or undefined. @throws AccessDeniedError */
export async function digestAt(store: SealedStore, { key, versionId }: ListedObject) {
  const opened = await store.open(key, versionId);
  const bytes = opened && (await readWhole(opened, MAX_DIGEST_BYTES));
  const digest = bytes && checkDigest(bytes);
  return typeof digest === 'object' ? digest : undefined;
}
