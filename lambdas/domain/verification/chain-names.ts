import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { type Digest, digestBegin, digestKey, isDigestKey } from '../integrity/digest.ts';
import { ChainWalk, type LateBegin, MAX_DIGEST_BYTES, stemOf } from '../integrity/verify-chain.ts';
import type { ReportDamage } from '../integrity/verify-damage.ts';
import { checkDigest } from '../integrity/verify-document.ts';
import { TrustedKeys } from '../integrity/verify-keys.ts';
import { secondVersions } from '../integrity/verify-second-version.ts';
import {
  type ListedObject,
  listingOf,
  readWhole,
  type SealedStore,
} from '../integrity/verify-store.ts';

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

/** Documents before the first digest that are read, to find it behind those that nobody of ours signed. */
const MAX_FOREIGN = 100;

/** What is known of the chain. */
interface Places {
  /** Keys of its first digest and of its head. */
  readonly first: string;
  readonly head: string;
  /** Fingerprints of all keys that it was proven with. */
  readonly signers: readonly string[];
  readonly asOfMillis: number;
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
  known: Places,
  store: SealedStore,
  report: ReportDamage,
): Promise<Begun | undefined> {
  const { first, head } = known;
  const begun = await begunLater(documents, known, store);
  const begin = begun?.first ?? first;
  // What stands before the first is none of the chain, and is reported when its slice has its turn.
  const places = documents.filter(({ key }) => begin <= key && key <= head);
  const missing = (key: string, detail: string) => report({ kind: 'missing_digest', key, detail });
  if (places[0]?.key !== begin) missing(first, 'it is the first of the chain');
  if (first !== head && places.at(-1)?.key !== head) missing(head, 'it was the head of the chain');
  let right: number | undefined;
  let gaps = 0;
  for (const [at, place] of places.entries()) {
    const next = places[at + 1];
    if (!next || gaps >= MAX_GAPS) break;
    const end = digestBegin(next.key);
    const distance = end - digestBegin(place.key);
    if (distance === right) continue;
    const digest = await digestAt(store, place);
    if (!digest) continue; // reported when its slice has its turn
    if (Date.parse(digest.to) === end) right = distance;
    else {
      gaps++;
      missing(digestKey(digest.to), `nothing seals ${digest.to} to ${new Date(end).toISOString()}`);
    }
  }
  return begun;
}

/** Only a digest under a key of the chain is believed that those before it need not be there any more. */
async function begunLater(
  places: readonly ListedObject[],
  { first, signers, asOfMillis }: Places,
  store: SealedStore,
): Promise<Begun | undefined> {
  for (const { key } of places.slice(0, MAX_FOREIGN)) {
    if (key === first) return undefined;
    const digest = await provenAt(key, signers, store);
    if (!digest) continue; // reported when its slice has its turn
    const { from, number, previous } = digest;
    const retainedUntil = previous?.retainUntil;
    if (retainedUntil === undefined || Date.parse(retainedUntil) >= asOfMillis) return undefined;
    return { first: key, begin: { from, number, retainedUntil } };
  }
  return undefined;
}

/** The digest under a key, when one of these signed it. @throws AccessDeniedError */
async function provenAt(
  key: string,
  signers: readonly string[],
  store: SealedStore,
): Promise<Digest | undefined> {
  const parts = () => store.list(stemOf(key) ?? key);
  const chain = new ChainWalk(listingOf(store, parts), {
    keys: new TrustedKeys(store, undefined, { proven: signers }),
    // what is wrong with it is reported when its slice has its turn
    report: () => undefined,
    ...{ asOfMillis: 0, settledMillis: Number.POSITIVE_INFINITY, firstNumber: 'any' },
  });
  for await (const walked of chain.walk()) {
    if (walked.key === key && walked.proven) return walked.digest;
  }
  return undefined;
}

/** A digest that can be read, or undefined. @throws AccessDeniedError */
export async function digestAt(store: SealedStore, { key, versionId }: ListedObject) {
  const opened = await store.open(key, versionId);
  const bytes = opened && (await readWhole(opened, MAX_DIGEST_BYTES));
  const digest = bytes && checkDigest(bytes);
  return typeof digest === 'object' ? digest : undefined;
}
