import { canonicalJson } from '../json/canonical.ts';
import { besideDigest, type Digest, holdsRecords, isPlaceOf, isSealed } from './digest.ts';

type Rule = (value: unknown) => boolean;

const HASH = /^[0-9a-f]{64}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

const text: Rule = (value) => typeof value === 'string' && value !== '';
const count: Rule = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const hash: Rule = (value) => typeof value === 'string' && HASH.test(value);
const instant: Rule = (value) =>
  typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value));
const oneOf =
  (...values: readonly unknown[]): Rule =>
  (value) =>
    values.includes(value);
const either =
  (...rules: readonly Rule[]): Rule =>
  (value) =>
    rules.some((rule) => rule(value));
const listOf =
  (rule: Rule): Rule =>
  (value) =>
    Array.isArray(value) && value.every(rule);
const members =
  (rules: Readonly<Record<string, Rule>>): Rule =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(rules).every(([name, rule]) => rule((value as Record<string, unknown>)[name]));

const absent = oneOf(undefined);
const nothing = oneOf(null);

const mode = oneOf('GOVERNANCE', 'COMPLIANCE');

const sealedObject = members({
  bucket: text,
  key: text,
  versionId: text,
  lastModified: instant,
  bytes: count,
  sha256: hash,
  mode: either(absent, mode),
  retainUntil: either(absent, instant),
  records: count,
});

const recount = members({
  plane: oneOf('lineage', 'traces'),
  shardId: text,
  from: instant,
  to: instant,
  status: oneOf('equal', 'behind', 'missing', 'not_recounted'),
  countedAt: instant,
  accepted: either(absent, count),
  stored: either(absent, count),
  missing: either(absent, listOf(text)),
});

/** Of each member the verifier relies on; others are covered by the signature alone. */
const RULES: Readonly<Record<string, Rule>> = {
  digest: oneOf(1),
  location: members({ bucket: text, key: text }),
  number: count,
  from: instant,
  to: instant,
  sealedAt: instant,
  lock: either(absent, members({ mode, retainUntil: instant })),
  previous: either(
    nothing,
    members({ key: text, sha256: hash, signature: text, retainUntil: either(absent, instant) }),
  ),
  signer: members({ algorithm: oneOf('ECDSA_SHA_256'), fingerprint: hash }),
  nextSigner: either(absent, members({ fingerprint: hash })),
  anchor: text,
  objects: listOf(sealedObject),
  records: count,
  root: hash,
  leaves: either(nothing, members({ key: text, sha256: hash })),
  recounts: listOf(recount),
};

/** What a digest must say of itself whatever it seals, in words for {@link checkDigest}. */
const CONSISTENCY: ReadonlyArray<readonly [broken: string, holds: (digest: Digest) => boolean]> = [
  ['its interval does not end after it begins', ({ from, to }) => from < to],
  [
    'it names another place than its interval',
    ({ from, location }) => isPlaceOf(location.key, from),
  ],
  [
    'only the first digest has none before it',
    ({ number, previous }) => (number === 0) === !previous,
  ],
  ['its objects are not in order', ({ objects }) => objects.every(isBehind)],
  [
    'an object is in another bucket, or below digests/',
    (digest) =>
      digest.objects.every(
        (object) => object.bucket === digest.location.bucket && isSealed(object.key),
      ),
  ],
  [
    'an object that is no evidence has records',
    ({ objects }) => objects.every(({ key, records }) => records === 0 || holdsRecords(key)),
  ],
  [
    'its records are not those of its objects',
    ({ objects, records }) => objects.reduce((sum, object) => sum + object.records, 0) === records,
  ],
  [
    'its leaves are not beside it',
    ({ records, leaves, location }) =>
      records === 0 ? leaves === null : leaves?.key === besideDigest(location.key, 'leaves'),
  ],
];

function isBehind(
  { key, versionId }: Digest['objects'][number],
  at: number,
  objects: Digest['objects'],
) {
  const before = objects[at - 1];
  if (!before) return true;
  return before.key === key ? before.versionId < versionId : before.key < key;
}

/** The digest that bytes are, or what is wrong with them. Never throws, whatever they are. */
export function checkDigest(bytes: Buffer): Digest | string {
  let digest: Digest;
  try {
    const value: unknown = JSON.parse(bytes.toString());
    // What JSON.parse rounds, merges or replaces does not come out again as it went in.
    if (!Buffer.from(canonicalJson(value)).equals(bytes)) return 'it is not canonical JSON';
    if (!members({})(value)) return 'it is no JSON object';
    digest = value as Digest;
  } catch {
    return 'it is not JSON, or nested too deep';
  }
  const broken = Object.keys(RULES).find((name) => !RULES[name]?.(digest[name as keyof Digest]));
  if (broken !== undefined) return `its member ${broken} is not in its form`;
  return CONSISTENCY.find(([, holds]) => !holds(digest))?.[0] ?? digest;
}
