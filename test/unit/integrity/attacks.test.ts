import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DirectoryStore } from '../../../bin/evidence/verify-directory.ts';
import { packObjects } from '../../../lambdas/domain/evidence/evidence-object.ts';
import {
  besideDigest,
  type Digest,
  digestKey,
  publicKeyKey,
  type Recount,
} from '../../../lambdas/domain/integrity/digest.ts';
import { readPublicKey } from '../../../lambdas/domain/integrity/signing-key.ts';
import { type VerifyOptions, verify } from '../../../lambdas/domain/integrity/verify.ts';
import {
  DAMAGES,
  type Damage,
  type DamageKind,
} from '../../../lambdas/domain/integrity/verify-damage.ts';
import { NOW } from '../../support/builders.ts';
import { SealedBundle, sealedEnvelope, sha256, signingPair } from '../../support/sealed-bundle.ts';
import { seeded } from '../../support/seeded.ts';

let bundle: SealedBundle;
let outside: string;

beforeEach(() => {
  bundle = SealedBundle.small();
  outside = mkdtempSync(join(tmpdir(), 'outside-'));
});
afterEach(() => {
  bundle.remove();
  rmSync(outside, { recursive: true });
});

async function damagesOf(options: Partial<VerifyOptions> = {}): Promise<Damage[]> {
  const damages: Damage[] = [];
  const store = DirectoryStore.open(bundle.folder);
  await verify(store, {
    report: (damage) => damages.push(damage),
    nowMillis: NOW,
    ...options,
  }).finally(() => store.close());
  return damages;
}

/** What the exit code says. */
function gravest(damages: readonly Damage[]): DamageKind | undefined {
  const kinds = damages.map(({ kind }) => kind);
  return (Object.keys(DAMAGES) as DamageKind[]).find((kind) => kinds.includes(kind));
}

/** Of an interval, by its place in the chain. */
const digestAt = (at: number) => (bundle.digests[at] as Digest).location.key;
/** Evidence objects of the first interval, in order of keys. */
const [FIRST, SECOND] = [0, 1];
const objectAt = (at: number) =>
  (bundle.digests[0] as Digest).objects.filter(({ records }) => records > 0)[at]?.key as string;
const FINDING = 'findings/dt=2026-03-03/hour=23/f.json';
const linesOf = (key: string) => gunzipSync(bundle.read(key)).toString();
const flip = (key: string, at: number) => {
  const bytes = bundle.read(key);
  bytes[at] = (bytes[at] as number) ^ 1;
  bundle.write(key, bytes);
};
const swap = (a: string, b: string) => {
  const [first, second] = [bundle.read(a), bundle.read(b)];
  bundle.write(a, second);
  bundle.write(b, first);
};
const edit = (at: number, change: (text: string) => string) =>
  bundle.write(digestAt(at), change(bundle.read(digestAt(at)).toString()));
/** A digest with other members, signed by whoever. */
const forged = (at: number, members: Partial<Digest>, pair = bundle.pair) =>
  bundle.putDigest({ ...(bundle.digests[at] as Digest), ...members }, pair);

const ATTACKS: ReadonlyArray<readonly [what: string, kind: DamageKind, attack: () => void]> = [
  ['flips a byte of a gzip object', 'modified_object', () => flip(objectAt(FIRST), 40)],
  ['flips a byte of a document', 'modified_object', () => flip(FINDING, 3)],
  [
    'compresses the same lines anew',
    'modified_object',
    () => bundle.write(objectAt(FIRST), gzipSync(linesOf(objectAt(FIRST)), { level: 1 })),
  ],
  [
    'edits a line and compresses it',
    'modified_record',
    () =>
      bundle.write(objectAt(FIRST), gzipSync(linesOf(objectAt(FIRST)).replace('n\\":1', 'n\\":9'))),
  ],
  [
    'takes a line away',
    'modified_record',
    () =>
      bundle.write(
        objectAt(FIRST),
        gzipSync(linesOf(objectAt(FIRST)).split('\n').slice(0, 2).join('\n')),
      ),
  ],
  [
    'adds a line',
    'modified_record',
    () => bundle.write(objectAt(FIRST), gzipSync(`${linesOf(objectAt(FIRST))}{}\n`)),
  ],
  ['empties an object', 'modified_object', () => bundle.write(objectAt(FIRST), '')],
  ['cuts an object short', 'modified_object', () => truncateSync(bundle.path(objectAt(FIRST)), 60)],
  [
    'puts an object that inflates without end',
    'modified_object',
    () => bundle.write(objectAt(FIRST), gzipSync(Buffer.alloc(140_000_000), { level: 1 })),
  ],
  ['deletes an object', 'missing_object', () => bundle.delete(objectAt(SECOND))],
  ['deletes a document', 'missing_object', () => bundle.delete(FINDING)],
  [
    'makes a folder of an object',
    'missing_object',
    () => {
      bundle.delete(FINDING);
      bundle.write(`${FINDING}/x`, 'x');
    },
  ],
  [
    'puts a link to the same bytes in the place of an object',
    'missing_object',
    () => {
      renameSync(bundle.path(FINDING), `${outside}/f.json`);
      symlinkSync(`${outside}/f.json`, bundle.path(FINDING));
    },
  ],
  [
    'puts a link in the place of a folder',
    'missing_object',
    () => {
      renameSync(bundle.path('lineage'), `${outside}/lineage`);
      symlinkSync(`${outside}/lineage`, bundle.path('lineage'));
    },
  ],
  [
    'puts a pipe in the place of an object',
    'missing_object',
    () => {
      bundle.delete(FINDING);
      execFileSync('mkfifo', [bundle.path(FINDING)]);
    },
  ],
  [
    'renames an object',
    'moved_object',
    () => bundle.rename(objectAt(FIRST), 'lineage/x.ndjson.gz'),
  ],
  ['renames a document', 'moved_object', () => bundle.rename(FINDING, 'findings/other.json')],
  ['swaps two objects', 'moved_object', () => swap(objectAt(FIRST), objectAt(SECOND))],
  [
    'overwrites an object with another',
    'modified_record',
    () => bundle.write(objectAt(SECOND), bundle.read(objectAt(FIRST))),
  ],
  [
    'moves an object over another',
    'missing_object',
    () => bundle.rename(objectAt(FIRST), objectAt(SECOND)),
  ],
  [
    'adds an object to an old interval',
    'extra_object',
    () =>
      bundle.put('lineage/class=standard/x.ndjson.gz', gzipSync('{}\n'), '2026-03-03T23:50:00Z'),
  ],
  [
    'copies an object',
    'extra_object',
    () => bundle.put('findings/copy.json', bundle.read(FINDING), '2026-03-03T23:50:00Z'),
  ],
  [
    'adds an object after the head',
    'unsealed_tail',
    () => bundle.put('findings/new.json', Buffer.from('{}'), '2026-03-04T00:15:00Z'),
  ],
  [
    'adds a link',
    'unsealed_tail',
    () => symlinkSync('/etc/hostname', bundle.path('findings/link')),
  ],
  ['adds a digest of no form', 'malformed_digest', () => bundle.write('digests/x.json', '{}')],
  ['adds a file below digests/', 'extra_object', () => bundle.write('digests/x.txt', '')],
  [
    'adds an object since the last sweep',
    'unsealed_tail',
    () => bundle.put('findings/late.json', Buffer.from('{}'), '2026-03-04T00:00:00Z'),
  ],
  [
    'deletes the first digest',
    'missing_digest',
    () => {
      for (const part of ['signature', 'leaves'] as const)
        bundle.delete(besideDigest(digestAt(0), part));
      bundle.delete(digestAt(0));
    },
  ],
  [
    'deletes a digest in the middle',
    'missing_digest',
    () => {
      bundle.delete(besideDigest(digestAt(1), 'signature'));
      bundle.delete(digestAt(1));
    },
  ],
  ['deletes only the document of the head', 'missing_digest', () => bundle.delete(digestAt(2))],
  [
    'deletes the head and all of its parts',
    'unsealed_tail',
    () => {
      for (const part of ['signature', 'leaves'] as const)
        bundle.delete(besideDigest(digestAt(2), part));
      bundle.delete(digestAt(2));
    },
  ],
  [
    'deletes all digests',
    'missing_digest',
    () => execFileSync('rm', ['-r', bundle.path('digests')]),
  ],
  [
    'swaps two digests with their signatures',
    'moved_object',
    () => {
      swap(digestAt(0), digestAt(1));
      swap(besideDigest(digestAt(0), 'signature'), besideDigest(digestAt(1), 'signature'));
    },
  ],
  ['swaps two digests', 'moved_object', () => swap(digestAt(1), digestAt(2))],
  [
    'renames a digest',
    'moved_object',
    () => bundle.rename(digestAt(1), 'digests/dt=2026-03-04/2026-03-04T010000Z.json'),
  ],
  [
    'edits a digest',
    'bad_signature',
    () => edit(0, (text) => text.replace('"bytes":', '"bytes":1')),
  ],
  [
    'edits the head',
    'bad_signature',
    () => edit(2, (text) => text.replace('"bytes":', '"bytes":1')),
  ],
  ['adds white space to a digest', 'malformed_digest', () => edit(1, (text) => `${text}\n`)],
  [
    'writes a member twice',
    'malformed_digest',
    () => edit(1, (text) => text.replace('{', '{"anchor":"x",')),
  ],
  [
    'puts no JSON in the place of a digest',
    'malformed_digest',
    () => bundle.write(digestAt(1), '\xff{"'),
  ],
  ['empties a digest', 'malformed_digest', () => bundle.write(digestAt(1), '')],
  [
    'puts a list in the place of a digest',
    'malformed_digest',
    () => bundle.write(digestAt(1), '[]'),
  ],
  [
    'puts null in the place of a digest',
    'malformed_digest',
    () => bundle.write(digestAt(1), 'null'),
  ],
  [
    'nests a digest without end',
    'malformed_digest',
    () => bundle.write(digestAt(1), '['.repeat(200_000) + ']'.repeat(200_000)),
  ],
  [
    'writes a huge number',
    'malformed_digest',
    () => edit(1, (text) => text.replace('"number":1', '"number":1e400')),
  ],
  [
    'writes a fraction',
    'malformed_digest',
    () => edit(1, (text) => text.replace('"number":1', '"number":1.5')),
  ],
  ['edits a signature', 'bad_signature', () => flip(besideDigest(digestAt(1), 'signature'), 20)],
  [
    'edits the signature of the head',
    'bad_signature',
    () => flip(besideDigest(digestAt(2), 'signature'), 20),
  ],
  [
    'empties a signature',
    'bad_signature',
    () => bundle.write(besideDigest(digestAt(1), 'signature'), ''),
  ],
  [
    'deletes a signature',
    'missing_object',
    () => bundle.delete(besideDigest(digestAt(2), 'signature')),
  ],
  ['edits leaves', 'modified_object', () => flip(besideDigest(digestAt(0), 'leaves'), 5)],
  ['deletes leaves', 'missing_object', () => bundle.delete(besideDigest(digestAt(0), 'leaves'))],
  [
    'swaps leaves',
    'moved_object',
    () => swap(besideDigest(digestAt(0), 'leaves'), besideDigest(digestAt(2), 'leaves')),
  ],
  [
    'signs a digest with a key of its own',
    'wrong_key',
    () => {
      const pair = signingPair();
      forged(1, { signer: { algorithm: 'ECDSA_SHA_256', fingerprint: pair.fingerprint } }, pair);
    },
  ],
  ['signs in the name of the trusted key', 'bad_signature', () => forged(1, {}, signingPair())],
  [
    'puts another key under the name of the trusted one',
    'wrong_key',
    () => bundle.write(publicKeyKey(bundle.pair.fingerprint), signingPair().pem),
  ],
  [
    'deletes the public key',
    'missing_object',
    () => bundle.delete(publicKeyKey(bundle.pair.fingerprint)),
  ],
];

describe('whoever changes a copy is found', () => {
  it('finds nothing in one that nobody changed', async () => {
    expect(await damagesOf()).toEqual([]);
    bundle.listVersions();
    expect(await damagesOf({ head: bundle.headSha256 })).toEqual([]);
  });

  it.each(ATTACKS)('%s: %s', async (_, kind, attack) => {
    attack();
    expect(gravest(await damagesOf())).toBe(kind);
  });

  it.each(ATTACKS)('%s, beside a list of versions: %s', async (_, __, attack) => {
    attack();
    bundle.listVersions();
    expect(await damagesOf()).not.toEqual([]);
  });
});

const SIGNED: ReadonlyArray<readonly [what: string, kind: DamageKind, forge: () => void]> = [
  [
    'another hash of the one before',
    'broken_chain',
    () => forged(2, { previous: { ...previousOf(2), sha256: sha256(Buffer.from('x')) } }),
  ],
  [
    'another signature of the one before',
    'broken_chain',
    () => forged(2, { previous: { ...previousOf(2), signature: 'AAAA' } }),
  ],
  ['a number used before', 'broken_chain', () => forged(2, { number: 1 })],
  ['a number left out', 'missing_digest', () => forged(2, { number: 3 })],
  ['none before it, in the middle', 'malformed_digest', () => forged(2, { previous: null })],
  ['another root', 'malformed_digest', () => forged(2, { root: sha256(Buffer.from('x')) })],
  [
    'another root, beside no leaves',
    'malformed_digest',
    () => {
      forged(2, { root: sha256(Buffer.from('x')) });
      bundle.delete(besideDigest(digestAt(2), 'leaves'));
    },
  ],
  ['another count of records', 'malformed_digest', () => forged(2, { records: 3 })],
  [
    'another place',
    'moved_object',
    () =>
      bundle.putDigest(
        bundle.digests[2] as Digest,
        bundle.pair,
        'digests/dt=2026-03-04/2026-03-04T010000Z.json',
      ),
  ],
  [
    'a key outside of the folder',
    'missing_object',
    () =>
      forged(0, {
        objects: [
          { ...objectOf(0), key: '../../../etc/hostname' },
          ...(bundle.digests[0] as Digest).objects,
        ],
      }),
  ],
  [
    'a key that no file can have',
    'missing_object',
    () =>
      forged(0, {
        objects: [{ ...objectOf(0), key: '\0' }, ...(bundle.digests[0] as Digest).objects],
      }),
  ],
  [
    'an object of itself',
    'malformed_digest',
    () => forged(2, { objects: [{ ...objectOf(0), key: 'digests/x.json' }] }),
  ],
  [
    'objects in another order',
    'malformed_digest',
    () => forged(0, { objects: [...(bundle.digests[0] as Digest).objects].reverse() }),
  ],
  ['an object that another has', 'second_version', () => forged(1, { objects: [objectOf(0)] })],
];
const previousOf = (at: number) =>
  (bundle.digests[at] as Digest).previous as NonNullable<Digest['previous']>;
const objectOf = (at: number) =>
  (bundle.digests[0] as Digest).objects[at] as Digest['objects'][number];

describe('whoever holds the key is found when a digest has', () => {
  it.each(SIGNED)('%s: %s', async (_, kind, forge) => {
    forge();
    const damages = await damagesOf();
    expect(damages.map((damage) => damage.kind)).toContain(kind);
  });

  it('an interval that does not follow', async () => {
    const to = '2026-03-03T23:59:00.000Z';
    bundle.remove();
    bundle = new SealedBundle();
    bundle.seal([]);
    bundle.seal([], { to });
    bundle.seal([]);
    expect(gravest(await damagesOf())).toBe('broken_chain');
  });
});

describe('what is known from elsewhere', () => {
  const resign = () => {
    const pair = signingPair();
    const { digests } = bundle;
    const old = bundle;
    bundle = new SealedBundle();
    bundle.pair = pair;
    bundle.addKey(pair);
    for (const _ of digests) bundle.seal([]);
    return old;
  };

  it('a pinned key finds a chain that was signed anew', async () => {
    const old = resign();
    const pinned = readPublicKey(Buffer.from(old.pair.pem));
    old.remove();
    expect(pinned).toBeDefined();
    expect(await damagesOf()).toEqual([]);
    expect(gravest(await damagesOf({ ...(pinned && { pinned }) }))).toBe('wrong_key');
  });

  it('a pinned key holds for the chain that it signed, whatever lies below public-keys/', async () => {
    const pinned = readPublicKey(Buffer.from(bundle.pair.pem));
    expect(await damagesOf({ ...(pinned && { pinned }) })).toEqual([]);
  });

  it('a head finds a chain that was signed anew, and one that was cut', async () => {
    const { headSha256 } = bundle;
    for (const part of ['signature', 'leaves'] as const)
      bundle.delete(besideDigest(digestAt(2), part));
    bundle.delete(digestAt(2));
    for (const { key } of (bundle.digests[2] as Digest).objects) bundle.delete(key);
    expect(await damagesOf()).toEqual([]);
    expect(gravest(await damagesOf({ head: headSha256 }))).toBe('missing_digest');
    resign().remove();
    expect(gravest(await damagesOf({ head: headSha256 }))).toBe('missing_digest');
  });
});

describe('a signing key that changes', () => {
  const rotate = (announced: boolean) => {
    const next = signingPair();
    bundle.addKey(next);
    bundle.seal([], announced ? { nextSigner: { fingerprint: next.fingerprint } } : {});
    const old = bundle.pair;
    bundle.pair = next;
    bundle.seal([]);
    bundle.seal([]);
    return old;
  };

  it('holds when a digest under the old one announced it', async () => {
    rotate(true);
    expect(await damagesOf()).toEqual([]);
  });

  it('does not hold when nothing announced it', async () => {
    rotate(false);
    expect(gravest(await damagesOf())).toBe('wrong_key');
  });

  it('does not change back', async () => {
    bundle.pair = rotate(true);
    bundle.seal([]);
    expect(gravest(await damagesOf())).toBe('wrong_key');
  });

  it('is not announced by a digest that proves nothing', async () => {
    const next = signingPair();
    bundle.addKey(next);
    bundle.seal([]);
    const last = bundle.digests.at(-1) as Digest;
    bundle.putDigest({ ...last, nextSigner: { fingerprint: next.fingerprint } }, next);
    bundle.pair = next;
    bundle.seal([]);
    const kinds = (await damagesOf()).map(({ kind }) => kind);
    expect(kinds).toContain('bad_signature');
    expect(kinds).toContain('wrong_key');
  });
});

describe('a list of versions', () => {
  const VERSIONS: ReadonlyArray<
    readonly [string, DamageKind, (line: Record<string, unknown>) => unknown]
  > = [
    [
      'a shorter lock',
      'retention_short',
      (line) => ({ ...line, retainUntil: '2033-04-30T23:59:59.999Z' }),
    ],
    ['a weaker lock', 'retention_short', (line) => ({ ...line, mode: 'GOVERNANCE' })],
    ['no lock', 'retention_short', ({ mode: _, retainUntil: __, ...line }) => line],
    ['a second version', 'second_version', (line) => [line, { ...line, versionId: 'other' }]],
    ['another version', 'missing_object', (line) => ({ ...line, versionId: 'other' })],
    ['no such key', 'missing_object', () => []],
    [
      'a later key that has no file',
      'extra_object',
      (line) => [line, { ...line, key: 'findings/x.json' }],
    ],
  ];

  it.each(VERSIONS)('shows %s: %s', async (_, kind, change) => {
    bundle.listVersions((line) => (line.key === FINDING ? change(line) : line));
    expect(gravest(await damagesOf())).toBe(kind);
  });

  it('shows digests, signatures and leaves that are not locked or have a second version', async () => {
    for (const part of ['.json', '.leaves']) {
      bundle.listVersions((line) => {
        const { mode: _, retainUntil: __, ...unlocked } = line;
        return String(line.key).startsWith('digests/') && String(line.key).endsWith(part)
          ? unlocked
          : line;
      });
      expect(gravest(await damagesOf()), part).toBe('retention_short');
    }
    for (const part of ['.json', '.leaves', '.sig']) {
      bundle.listVersions((line) =>
        String(line.key).endsWith(part) ? [line, { ...line, versionId: 'other' }] : line,
      );
      expect(gravest(await damagesOf()), part).toBe('second_version');
    }
  });

  it('takes a longer lock for kept', async () => {
    bundle.listVersions((line) => ({ ...line, retainUntil: '2040-01-01T00:00:00Z' }));
    expect(await damagesOf()).toEqual([]);
  });

  it.each(['{', '[]', 'null', '{"key":1}', `{"key":"${'k'.repeat(20_000)}"}`])(
    'is refused when a line of it is no version: %.20s',
    async (line) => {
      bundle.write('versions.ndjson', `${line}\n`);
      await expect(damagesOf()).rejects.toMatchObject({
        exitCode: 3,
        sentence: expect.stringMatching(/^Line 1 of versions/),
      });
    },
  );
});

it('takes an object that is gone for expired once its lock has ended, and not before', async () => {
  bundle.delete(FINDING);
  const ended = Date.parse('2033-05-01T00:00:00.000Z');
  expect(gravest(await damagesOf({ nowMillis: ended }))).toBe('missing_object');
  expect(await damagesOf({ nowMillis: ended + 1 })).toEqual([]);
});

describe('an object that the sealer could not read', () => {
  const key = 'lineage/class=standard/dt=2026-03-04/hour=00/closed.ndjson.gz';
  const versionId = sha256(Buffer.from(key)).slice(0, 8).replace(/^/, 'v');
  const at = '2026-03-04T00:16:00.000Z';
  const lock = { mode: 'COMPLIANCE', retainUntil: '2033-05-01T00:00:00.000Z' } as const;
  const counted = async (nowMillis = NOW) => {
    const damages: Damage[] = [];
    const store = DirectoryStore.open(bundle.folder);
    const report = (damage: Damage) => damages.push(damage);
    const { unread } = await verify(store, { report, nowMillis });
    store.close();
    return { unread, damages };
  };

  beforeEach(() => {
    const unread = { bucket: 'vault', key, versionId, lastModified: at, bytes: 6, records: 0 };
    bundle.seal([], {
      lock,
      objects: [{ ...unread, sha256: '0'.repeat(64), etag: 'e', unreadable: true }],
    });
    bundle.seal([]);
    bundle.put(key, Buffer.from('closed'), at);
  });

  it('is there, by its name and size', async () => {
    expect(await counted()).toEqual({ unread: 1, damages: [] });
  });

  it('is missed when it is gone, until the digest may be gone as well', async () => {
    bundle.delete(key);
    const missing = {
      unread: 0,
      damages: [expect.objectContaining({ kind: 'missing_object', key })],
    };
    expect(await counted()).toEqual(missing);
    expect((await counted(Date.parse('2033-05-02'))).damages).toEqual([]);
  });

  it('makes no room for another when it is gone', async () => {
    const slot = (name: string) => sha256(Buffer.from(name)).slice(0, 5);
    bundle.delete(key);
    let planted = 'findings/0.json';
    for (let i = 0; slot(planted) !== slot(key); i++) planted = `findings/${i}.json`;
    bundle.put(planted, Buffer.from('{}'), '2026-03-03T23:50:00.000Z');
    expect((await counted()).damages.map(({ kind }) => kind).sort()).toEqual([
      ...['extra_object', 'missing_object'],
    ]);
  });

  it('has the size that it was sealed with', async () => {
    bundle.put(key, Buffer.from('another'), at);
    expect((await counted()).damages).toMatchObject([{ kind: 'modified_object', key }]);
  });

  it.each([
    ['e', []],
    ['f', ['modified_object']],
  ])('has the ETag that it was sealed with, where that is told (%s)', async (etag, kinds) => {
    const damages: Damage[] = [];
    const store = DirectoryStore.open(bundle.folder);
    store.find = async () => ({ bytes: 6, etag });
    await verify(store, { report: (damage) => damages.push(damage), nowMillis: NOW });
    store.close();
    expect(damages.map(({ kind }) => kind)).toEqual(kinds);
  });

  it('need not be copied where a list of versions has it', async () => {
    bundle.listVersions();
    bundle.delete(key);
    expect(await counted()).toEqual({ unread: 1, damages: [] });
    bundle.listVersions((line) => (line.key === key ? { ...line, bytes: 7 } : line));
    expect((await counted()).damages).toMatchObject([{ kind: 'modified_object', key }]);
    bundle.listVersions((line) => (line.key === key ? undefined : line));
    expect((await counted()).damages).toMatchObject([{ kind: 'missing_object', key }]);
  });
});

it.each(['.sig', '.leaves'])(
  'takes %s that stands alone for the rest of a digest',
  async (ending) => {
    const document = 'digests/dt=2026-03-04/2026-03-04T010000Z.json';
    bundle.write(document.replace('.json', ending), 'left behind');
    expect(await damagesOf()).toMatchObject([{ kind: 'missing_digest', key: document }]);
  },
);

it('names the lines that differ', async () => {
  const lines = linesOf(objectAt(FIRST)).replace('n\\":1', 'n\\":9').replace('n\\":2', 'n\\":8');
  bundle.write(objectAt(FIRST), gzipSync(lines));
  expect(await damagesOf()).toMatchObject([{ kind: 'modified_record', lines: [1, 2] }]);
});

it('blames a digest that is missing, and not what landed in its interval', async () => {
  bundle.seal([...packObjects('lineage', [sealedEnvelope(9)])]);
  bundle.seal([]);
  const key = digestAt(3);
  for (const part of ['signature', 'leaves'] as const) bundle.delete(besideDigest(key, part));
  bundle.delete(key);
  expect((await damagesOf()).map(({ kind }) => kind)).toEqual(['missing_digest']);
});

it.each([
  ['below digests/, of all time', '1970-01-01T00:00:00.000Z', 'extra_object'],
  ['between two digests, of all time', '2026-03-03T23:46:00.000Z', 'extra_object'],
  ['behind the head, of all time', '2026-03-04T00:15:00.000Z', 'unsealed_tail'],
])(
  'lets no document that nobody signed explain what is in no digest: %s',
  async (_, from, kind) => {
    for (const time of ['2026-03-03T23:20:00Z', '2026-03-03T23:50:00Z', '2026-03-04T02:00:00Z']) {
      bundle.put(`findings/${time}.json`, Buffer.from('{}'), time);
    }
    const count = (damages: readonly Damage[]) =>
      damages.filter(({ key }) => key.startsWith('findings/')).length;
    expect(count(await damagesOf())).toBe(3);
    const location = { bucket: 'vault', key: digestKey(from) };
    const planted = {
      ...(bundle.digests[1] as Digest),
      location,
      from,
      to: '9999-01-01T00:00:00.000Z',
    };
    bundle.putDigest(planted, signingPair());
    const damages = await damagesOf();
    expect(count(damages)).toBe(3);
    expect(damages.map((damage) => damage.kind)).toContain(kind);
  },
);

it('reads each file once when nothing is wrong, and a public key once more', async () => {
  const store = DirectoryStore.open(bundle.folder);
  const opened: string[] = [];
  const open = store.open.bind(store);
  store.open = (key, versionId) => {
    opened.push(key);
    return open(key, versionId);
  };
  await verify(store, { report: ({ kind }) => expect.fail(kind), nowMillis: NOW });
  const key = publicKeyKey(bundle.pair.fingerprint);
  expect(opened.sort()).toEqual([...bundle.keys, key].sort());
});

it('sees any change of any file', async () => {
  const mutation = fc.record({
    file: fc.nat(),
    how: fc.constantFrom('flip', 'cut', 'append', 'delete', 'rename', 'copy', 'empty'),
    at: fc.nat(),
    bit: fc.integer({ min: 0, max: 7 }),
  });
  await fc.assert(
    fc.asyncProperty(mutation, fc.boolean(), async ({ file, how, at, bit }, listed) => {
      bundle.remove();
      bundle = SealedBundle.small();
      if (listed) bundle.listVersions();
      const keys = [...new Set(bundle.keys)];
      const key = keys[file % keys.length] as string;
      const bytes = bundle.read(key);
      if (how === 'flip')
        bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ (1 << bit);
      if (how === 'cut') bundle.write(key, bytes.subarray(0, at % bytes.length));
      else if (how === 'append') bundle.write(key, Buffer.concat([bytes, Buffer.from([at % 256])]));
      else if (how === 'delete') bundle.delete(key);
      else if (how === 'rename') bundle.rename(key, `${key}.${at}`);
      else if (how === 'copy') bundle.write(`${key}.${at}`, bytes);
      else bundle.write(key, how === 'empty' ? '' : bytes);
      expect(await damagesOf()).not.toEqual([]);
    }),
    seeded(150),
  );
});

it('never says more of a digest than its key, numbers and times', async () => {
  bundle.write(digestAt(1), '{"canary":"c4n4ry"}');
  bundle.write(objectAt(FIRST), gzipSync('c4n4ry\n'));
  expect(JSON.stringify(await damagesOf())).not.toContain('c4n4ry');
});

/** `kind key` of each, in the order of their reports. */
const named = (damages: readonly Damage[]) => damages.map(({ kind, key }) => `${kind} ${key}`);
const removeWhole = (at: number) => {
  for (const part of ['document', 'signature', 'leaves'] as const) {
    const { key, leaves } = { key: digestAt(at), leaves: bundle.digests[at]?.leaves };
    if (part === 'document') bundle.delete(key);
    else if (part === 'signature' || leaves) bundle.delete(besideDigest(key, part));
  }
};

describe('damage is named once, by what is damaged', () => {
  it('a missing digest by its own key, its interval and number', async () => {
    const middle = digestAt(1);
    removeWhole(1);
    const damages = await damagesOf();
    expect(named(damages)).toEqual([`missing_digest ${middle}`]);
    const { from, to } = bundle.digests[1] as Digest;
    expect(damages[0]?.detail).toContain(`it is number 1; `);
    expect(damages[0]?.detail).toContain(`from ${from} to ${to}`);
  });

  it('the first digest, as the one after it names it', async () => {
    const first = digestAt(0);
    removeWhole(0);
    expect(named(await damagesOf())).toEqual([`missing_digest ${first}`]);
  });

  it.each([
    ['before one that cannot be read', 1, 2],
    ['behind one that cannot be read', 2, 1],
  ])('a missing digest %s', async (_, gone, unreadable) => {
    bundle.seal([]);
    const key = digestAt(gone);
    removeWhole(gone);
    bundle.write(digestAt(unreadable), '{}');
    expect(named(await damagesOf()).sort()).toEqual(
      [`malformed_digest ${digestAt(unreadable)}`, `missing_digest ${key}`].sort(),
    );
  });

  it('a missing digest beside one that was moved', async () => {
    bundle.seal([]);
    const moved = 'digests/dt=2026-03-04/2026-03-04T050000Z.json';
    const key = digestAt(2);
    bundle.rename(digestAt(1), moved);
    bundle.delete(besideDigest(digestAt(1), 'signature'));
    removeWhole(2);
    expect(named(await damagesOf()).sort()).toEqual([
      `missing_digest ${key}`,
      `moved_object ${moved}`,
    ]);
  });

  it('a signature that is gone, and not the digest as well', async () => {
    const beside = besideDigest(digestAt(2), 'signature');
    bundle.delete(beside);
    expect(named(await damagesOf())).toEqual([`missing_object ${beside}`]);
    bundle.listVersions((line) => (line.key === beside ? [] : line));
    expect(named(await damagesOf())).toEqual([`missing_object ${beside}`]);
  });

  it('a public key that is gone or another, whatever it signed', async () => {
    const key = publicKeyKey(bundle.pair.fingerprint);
    bundle.delete(key);
    expect(named(await damagesOf())).toEqual([`missing_object ${key}`]);
    bundle.write(key, signingPair().pem);
    expect(named(await damagesOf())).toEqual([`wrong_key ${key}`]);
  });

  it('a digest that the list of versions has and the copy has not', async () => {
    bundle.listVersions();
    for (const at of [1, 2]) {
      const key = digestAt(at);
      removeWhole(at);
      expect(named(await damagesOf())).toContain(`missing_digest ${key}`);
    }
    // The list was made later than the copy: what it has more is not asked for.
    const covers = (end: number) => ({
      covers: ({ lastModified }: { lastModified: string }) =>
        Date.parse(lastModified) < Date.parse((bundle.digests[end] as Digest).to),
    });
    expect(await damagesOf(covers(0))).toEqual([]);
    expect(named(await damagesOf(covers(1)))).toContain(`missing_digest ${digestAt(1)}`);
  });

  it('keys that nothing announced by the first digest under each, one after the other', async () => {
    for (const count of [2, 2]) {
      bundle.pair = signingPair();
      bundle.addKey(bundle.pair);
      for (let i = 0; i < count; i++) bundle.seal([]);
    }
    expect(named(await damagesOf())).toEqual([
      `wrong_key ${digestAt(3)}`,
      `wrong_key ${digestAt(5)}`,
    ]);
  });

  it('a second version by that which no digest seals, wherever a listing has it', async () => {
    const [sealed] = (bundle.digests[0] as Digest).objects.filter(({ key }) => key === FINDING);
    for (const lastModified of ['2026-03-03T23:50:00Z', '2026-03-03T23:00:00Z']) {
      bundle.listVersions((line) =>
        line.key === FINDING ? [line, { ...line, versionId: 'foreign', lastModified }] : line,
      );
      const damages = await damagesOf();
      expect(damages).toMatchObject([
        { kind: 'second_version', key: FINDING, versionId: 'foreign' },
      ]);
      expect(damages[0]?.detail).toContain(`beside version ${sealed?.versionId}, which is sealed`);
    }
  });

  it('a second version that a later digest sealed: by the one that was put later', async () => {
    const object = (bundle.digests[0] as Digest).objects.find(({ key }) => key === FINDING);
    if (!object) throw new Error('not sealed');
    const later = { lastModified: '2026-03-04T00:16:00.000Z', versionId: 'foreign' };
    bundle.seal([], { objects: [{ ...object, ...later }] });
    bundle.listVersions((line) => (line.key === FINDING ? [line, { ...line, ...later }] : line));
    expect(await damagesOf()).toMatchObject([{ kind: 'second_version', versionId: 'foreign' }]);
  });
});

describe('a chain whose first digests expired', () => {
  const PROMISED = '2033-05-01T00:00:00.000Z';
  const AFTER = Date.parse(PROMISED) + 1;
  /** Digests that say until when they are locked, of which the first two are gone with all that they sealed. */
  const expired = (gone = 2) => {
    bundle.remove();
    bundle = new SealedBundle();
    const [landed] = [...packObjects('lineage', [sealedEnvelope(1)])];
    bundle.seal(landed ? [landed] : [], { lock: { mode: 'COMPLIANCE', retainUntil: PROMISED } });
    for (let at = 1; at < 4; at++)
      bundle.seal([], { lock: { mode: 'COMPLIANCE', retainUntil: PROMISED } });
    for (let at = 0; at < gone; at++) removeWhole(at);
    return landed?.key as string;
  };
  const verified = async (nowMillis: number) => {
    const damages: Damage[] = [];
    const store = DirectoryStore.open(bundle.folder);
    const done = await verify(store, { report: (damage) => damages.push(damage), nowMillis });
    store.close();
    return { done, damages };
  };

  it('begins later, and is no damage; what landed before is not judged', async () => {
    expired();
    const { done, damages } = await verified(AFTER);
    expect(damages).toEqual([]);
    const { from } = bundle.digests[2] as Digest;
    expect(done).toMatchObject({
      begin: { from, number: 2, retainedUntil: PROMISED },
      beforeChain: 2,
    });
  });

  it('is damage while the digests before were promised', async () => {
    expired();
    const { done, damages } = await verified(AFTER - 1);
    expect(named(damages)).toEqual([`missing_digest ${digestAt(1)}`]);
    expect(done.begin).toBeUndefined();
  });

  it('is damage where a digest does not say, or is not proven', async () => {
    expired();
    const second = bundle.digests[2] as Digest;
    bundle.putDigest({ ...second, signer: second.signer }, signingPair());
    expect(named((await verified(AFTER)).damages)).toContain(`missing_digest ${digestAt(1)}`);
    bundle.remove();
    bundle = SealedBundle.small();
    removeWhole(0);
    expect(gravest((await verified(AFTER)).damages)).toBe('missing_digest');
  });

  it('is damage in its middle, whenever', async () => {
    expired(0);
    const key = digestAt(1);
    removeWhole(1);
    expect(named((await verified(AFTER)).damages)).toEqual([`missing_digest ${key}`]);
  });

  it('is found cut short by the lock that a digest says it has', async () => {
    expired(0);
    bundle.listVersions((line) =>
      line.key === digestAt(1) ? { ...line, retainUntil: '2026-04-01T00:00:00Z' } : line,
    );
    const damages = (await verified(NOW)).damages;
    expect(named(damages)).toEqual([`retention_short ${digestAt(1)}`]);
  });
});

describe('recounts', () => {
  const HOUR = '2026-03-03T23:30:00.000Z';
  const recount = (status: Recount['status'], members: Partial<Recount> = {}): Recount => ({
    ...{ plane: 'lineage', shardId: 'shardId-000000000000', status },
    ...{ from: HOUR, to: '2026-03-03T23:45:00.000Z', countedAt: '2026-03-04T01:00:00.000Z' },
    ...(status === 'missing' && { accepted: 5, stored: 3, missing: ['4711', '4712'] }),
    ...members,
  });
  const sealedWith = async (...recounts: ReadonlyArray<readonly Recount[]>) => {
    bundle.remove();
    bundle = new SealedBundle();
    for (const each of recounts) bundle.seal([], { recounts: each });
    const damages: Damage[] = [];
    const store = DirectoryStore.open(bundle.folder);
    const report = (damage: Damage) => damages.push(damage);
    const { recounts: tally } = await verify(store, { report, nowMillis: NOW });
    store.close();
    return { damages, tally };
  };

  it('that found records missing are damage, named by the last digest that says so', async () => {
    const { damages, tally } = await sealedWith([recount('missing')], [recount('missing')], []);
    expect(named(damages)).toEqual([`accepted_not_stored ${digestAt(1)}`]);
    expect(damages[0]?.detail).toContain('2 of 5 records');
    expect(damages[0]?.detail).toContain('4711, 4712');
    expect(tally).toEqual({ equal: 0, behind: 0, notRecounted: 0, notStored: 1 });
    expect(DAMAGES.accepted_not_stored.exitCode).toBe(23);
  });

  it('that found them since are none', async () => {
    const { damages, tally } = await sealedWith([recount('missing')], [recount('equal')]);
    expect(damages).toEqual([]);
    expect(tally).toEqual({ equal: 1, behind: 0, notRecounted: 0, notStored: 0 });
  });

  it('stay so when the stream has let go of what is missing', async () => {
    const { damages, tally } = await sealedWith([recount('missing')], [recount('not_recounted')]);
    expect(named(damages)).toEqual([`accepted_not_stored ${digestAt(0)}`]);
    expect(tally.notRecounted).toBe(0);
  });

  it('stay so when the stream has let go of what was behind for too long', async () => {
    const behind = recount('behind', { accepted: 5, stored: 3 });
    const { damages, tally } = await sealedWith([behind], [recount('not_recounted')], []);
    expect(named(damages)).toEqual([`accepted_not_stored ${digestAt(0)}`]);
    expect(tally).toEqual({ equal: 0, behind: 0, notRecounted: 0, notStored: 1 });
    const early = { ...behind, countedAt: '2026-03-04T00:44:59.999Z' };
    expect((await sealedWith([early], [recount('not_recounted')])).damages).toEqual([]);
  });

  it('that were never made are counted, and no damage', async () => {
    const { damages, tally } = await sealedWith(
      [recount('behind')],
      [recount('not_recounted'), recount('behind', { plane: 'traces' })],
    );
    expect(damages).toEqual([]);
    expect(tally).toEqual({ equal: 0, behind: 1, notRecounted: 1, notStored: 0 });
  });

  it.each([
    ['within the grace', '2026-03-04T00:44:59.999Z', 3, undefined],
    ['beyond the grace', '2026-03-04T00:45:00.000Z', 3, 'accepted_not_stored'],
    ['beyond the grace with everything stored', '2026-03-04T00:45:00.000Z', 5, undefined],
  ])('that are behind %s', async (_, countedAt, stored, kind) => {
    const behind = recount('behind', { countedAt, accepted: 5, stored });
    const { damages, tally } = await sealedWith([behind]);
    expect(gravest(damages)).toBe(kind);
    expect(tally).toMatchObject(kind ? { notStored: 1, behind: 0 } : { notStored: 0, behind: 1 });
    // a later digest that does not speak of it has counted it, or a shard of it, otherwise
    expect((await sealedWith([behind], [])).tally).toMatchObject({ notStored: 0, behind: 0 });
  });

  it('of a digest that is not proven say nothing', async () => {
    bundle.remove();
    bundle = new SealedBundle();
    bundle.seal([]);
    bundle.seal([]);
    forged(1, { recounts: [recount('missing')] }, signingPair());
    expect(gravest(await damagesOf())).toBe('bad_signature');
    expect(named(await damagesOf())).not.toContain(`accepted_not_stored ${digestAt(1)}`);
  });

  it('outside of the interval that is asked for are left out', async () => {
    bundle.seal([], { recounts: [recount('missing')] });
    const until = (time: string) => ({
      covers: ({ lastModified }: { lastModified: string }) => lastModified < time,
    });
    expect(gravest(await damagesOf(until(HOUR)))).toBeUndefined();
    expect(gravest(await damagesOf(until('2026-03-03T23:31:00.000Z')))).toBe('accepted_not_stored');
  });

  it('beyond a thousand are counted', async () => {
    const many = Array.from({ length: 1_003 }, (_, n) => recount('missing', { shardId: `s${n}` }));
    const { damages, tally } = await sealedWith(many);
    expect(tally.notStored).toBe(1_003);
    expect(damages).toHaveLength(1_001);
    expect(damages.at(-1)?.detail).toMatch(/^3 further/);
  });

  it('of no form make a digest malformed', async () => {
    const wrong = recount('missing', { accepted: -1 });
    expect((await sealedWith([wrong])).damages).toMatchObject([{ kind: 'malformed_digest' }]);
  });
});
