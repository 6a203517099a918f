import { Writable } from 'node:stream';
import { GetObjectCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addVerifyCommand } from '../../../bin/evidence/verify.ts';
import { packObjects } from '../../../lambdas/domain/evidence/evidence-object.ts';
import { issueReceipt } from '../../../lambdas/domain/evidence/receipt.ts';
import {
  besideDigest,
  type Digest,
  publicKeyKey,
  type Recount,
} from '../../../lambdas/domain/integrity/digest.ts';
import { deliveryId, EPOCH_KEY } from '../../support/builders.ts';
import {
  receiptOf,
  SealedBundle,
  type SigningPair,
  sealedEnvelope,
  signingPair,
} from '../../support/sealed-bundle.ts';

let bundle: SealedBundle;
beforeEach(() => {
  bundle = SealedBundle.small();
});
afterEach(() => bundle.remove());

/** Runs the command; answers what it printed and, when it did not hold, how it ended. */
async function run(...args: string[]) {
  let stdout = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      stdout += chunk;
      done();
    },
  });
  const program = new Command('evidence').option('--json').option('--stage <stage>').exitOverride();
  // No deployment is recorded there.
  addVerifyCommand(program, { env: { LOCAL_DIR: bundle.folder }, stdout: sink, stderr: sink });
  const error = await program.parseAsync(['verify', ...args], { from: 'user' }).then(
    () => undefined,
    (thrown: { exitCode: number; sentence: string }) => thrown,
  );
  return { stdout, exitCode: error?.exitCode ?? 0, sentence: error?.sentence };
}

const verifyCopy = (...args: string[]) => run('--dir', bundle.folder, ...args);
const receiptAt = (time: string) => issueReceipt(EPOCH_KEY, deliveryId(Date.parse(time), 1));
const document = (at: number) => (bundle.digests[at] as Digest).location.key;

describe('evidence verify', () => {
  it('ends with 0, and says what it could not look at', async () => {
    const { stdout, exitCode } = await verifyCopy();
    expect(exitCode).toBe(0);
    expect(stdout).toContain('3 digests, 3 under a trusted key');
    expect(stdout).toContain('5 read');
    expect(stdout).toContain('8 records');
    expect(stdout).toContain(bundle.headSha256);
    expect(stdout).toContain('trusted on first use');
    expect(stdout).toContain('unanchored');
    expect(stdout).toMatch(/Not said +versions/);
    expect(stdout).toContain('5 objects whose retention was not checked');
    expect(stdout).toContain('It holds');
  });

  it('says that locks were checked when they were, and no more that a key is trusted on first use when it is pinned', async () => {
    bundle.listVersions();
    const key = bundle.path(publicKeyKey(bundle.pair.fingerprint));
    const { stdout } = await verifyCopy('--public-key', key, '--head', bundle.headSha256);
    expect(stdout).not.toMatch(/Not said|first use/);
  });

  it('says whose word versions and locks are', async () => {
    expect((await verifyCopy()).stdout).not.toContain('Versions ');
    bundle.listVersions();
    const path = bundle.path('versions.ndjson');
    expect((await verifyCopy()).stdout).toContain(`Versions   and locks as ${path} has them`);
    expect(JSON.parse((await verifyCopy('--json')).stdout).versionsFrom).toBe(path);
  });

  it('names the first signer as the key to compare, and later ones as announced', async () => {
    const first = bundle.pair;
    const next = signingPair();
    bundle.addKey(next);
    bundle.seal([], { nextSigner: { fingerprint: next.fingerprint } });
    bundle.pair = next;
    bundle.seal([]);
    const { stdout } = await verifyCopy();
    expect(stdout).toContain(`Signed     ${first.fingerprint}, trusted on first use`);
    expect(stdout).toContain(`the head by ${next.fingerprint}, announced`);
    const key = (pair: SigningPair) => bundle.path(publicKeyKey(pair.fingerprint));
    const pinned = await verifyCopy('--public-key', key(first));
    expect(pinned).toMatchObject({ exitCode: 0 });
    expect(pinned.stdout).toContain(`Signed     ${first.fingerprint}, by the key you gave`);
    expect(await verifyCopy('--public-key', key(next))).toMatchObject({ exitCode: 14 });
  });

  it('prints everything that it found, and ends with the code of the gravest', async () => {
    bundle.delete('findings/dt=2026-03-03/hour=23/f.json');
    bundle.write(besideDigest(document(2), 'signature'), 'AAAA');
    const { stdout, exitCode, sentence } = await verifyCopy();
    expect(exitCode).toBe(12);
    expect(sentence).toMatch(/^missing_object: /);
    expect(stdout).toMatch(/ {2}missing_object: findings\/.*\n {2}bad_signature: digests\//);
    expect(stdout).not.toContain('It holds');
  });

  it('lists the first hundred of a kind, and counts all', async () => {
    for (let i = 0; i < 120; i++) {
      bundle.put(`findings/${i}.json`, Buffer.from('{}'), '2026-03-03T23:50:00Z');
    }
    const { stdout, exitCode } = await verifyCopy();
    expect(exitCode).toBe(21);
    expect(stdout.match(/extra_object: findings/g)).toHaveLength(100);
    expect(stdout).toContain('extra_object: 20 more');
    const json = JSON.parse((await run('--dir', bundle.folder, '--json')).stdout);
    expect(json).toMatchObject({ holds: false, counts: { extra_object: 120 } });
    expect(json.damages).toHaveLength(100);
  });

  it('proves one record', async () => {
    const json = JSON.parse((await verifyCopy('--record', receiptOf(4), '--json')).stdout);
    expect(json.proofs).toMatchObject([
      {
        receiptId: receiptOf(4),
        object: { bucket: 'vault', line: 1 },
        index: 4,
        leaves: 6,
        path: [{ side: 'right' }, { side: 'left' }],
        root: (bundle.digests[0] as Digest).root,
        digest: { key: document(0), number: 0, fingerprint: bundle.pair.fingerprint },
      },
    ]);
    const { stdout } = await verifyCopy('--record', receiptOf(4));
    for (const { hash } of json.proofs[0].path) expect(stdout).toContain(hash);
    expect(stdout).toContain(json.proofs[0].leaf);
  });

  it('reads no objects but those of the hour of a receipt, and finds it there', async () => {
    const receiptId = receiptAt('2026-03-04T07:30:00Z');
    const envelope = { ...sealedEnvelope(9), receiptId, acceptedAt: '2026-03-04T07:30:00.000Z' };
    bundle.seal([...packObjects('lineage', [envelope])]);
    const json = JSON.parse((await verifyCopy('--record', receiptId, '--json')).stdout);
    expect(json).toMatchObject({ objects: 1, proofs: [{ receiptId, index: 0, path: [] }] });
  });

  it('proves nothing of a record that was changed', async () => {
    bundle.write((bundle.digests[0] as Digest).objects[2]?.key as string, 'x');
    const { stdout, exitCode } = await verifyCopy('--record', receiptOf(4), '--json');
    expect([exitCode, JSON.parse(stdout).proofs]).toEqual([11, []]);
  });

  it('never says that it holds of a record that is not proven, and says why', async () => {
    for (const [receipt, why] of [
      [receiptAt('2026-03-03T23:40:00Z'), /^No sealed record .* never issued it/],
      [receiptAt('2026-03-04T09:00:00Z'), /is not sealed: it was accepted at 2026-03-04T09:00/],
    ] as const) {
      const { stdout, exitCode, sentence } = await verifyCopy('--record', receipt);
      expect({ exitCode, sentence }).toEqual({ exitCode: 3, sentence: expect.stringMatching(why) });
      expect(stdout).not.toContain('It holds');
      expect(stdout).toContain(`Not proven: ${sentence}`);
      const json = JSON.parse((await verifyCopy('--record', receipt, '--json')).stdout);
      expect(json).toMatchObject({ holds: false, proofs: [], unproven: sentence });
    }
  });

  it('says of records that were accepted what the recounts do', async () => {
    const recount = (shardId: string, status: Recount['status']): Recount => ({
      ...{ plane: 'lineage', shardId, status, accepted: 3, stored: 2, missing: ['7'] },
      ...{ from: '2026-03-04T00:00:00.000Z', to: '2026-03-04T00:15:00.000Z' },
      countedAt: '2026-03-04T00:20:00.000Z',
    });
    bundle.seal([], { recounts: [recount('a', 'behind'), recount('b', 'not_recounted')] });
    const { stdout, exitCode } = await verifyCopy();
    expect(exitCode).toBe(0);
    expect(stdout).toContain('1 recounts are behind');
    expect(stdout).toContain('1 intervals of a shard were not recounted');
    bundle.seal([], { recounts: [recount('a', 'missing'), recount('c', 'equal')] });
    const lost = await verifyCopy();
    expect(lost).toMatchObject({
      exitCode: 23,
      sentence: expect.stringMatching(/^accepted_not_stored: /),
    });
    expect(lost.stdout).toContain('1 of 3 records that lineage shard a took');
    expect(lost.stdout).toMatch(
      /Recounts +1 shards .* all records stored, 1 with records that are not/,
    );
  });

  it('takes the part of a vault that landed in an interval', async () => {
    bundle.delete('findings/dt=2026-03-03/hour=23/f.json');
    bundle.put('findings/x.json', Buffer.from('{}'), '2026-03-03T23:40:00Z');
    expect(await verifyCopy('--from', '2026-03-03T23:45:00Z')).toMatchObject({ exitCode: 0 });
    expect(await verifyCopy('--to', '2026-03-03T23:45:00Z')).toMatchObject({ exitCode: 12 });
  });

  it('never says that it holds where an interval leaves nothing to look at', async () => {
    for (const interval of [
      ['--to', '2026-03-03'],
      ['--from', '2027-01-01'],
    ]) {
      const { exitCode, stdout, sentence } = await verifyCopy(...interval);
      expect(exitCode).toBe(3);
      expect(sentence).toContain('no object was looked at');
      expect(stdout).not.toContain('It holds');
    }
  });

  it.each([
    ...['2026-02-31', '04.03.2026', '1', '2026-03-03T23:30', '2026-03-03T24:00:01Z', 'March 2026'],
    ...['2026-03-03T23:30:00', '20260303', '2026-3-3', '2026-03-03T25:00:00Z', ''],
  ])('takes %j for no time', async (text) => {
    const refused = { exitCode: 2, sentence: expect.stringMatching(/--to must be a date/) };
    expect(await verifyCopy('--to', text)).toMatchObject(refused);
  });

  it.each(['2026-03-04', '2026-03-04T00:30:00Z', '2026-03-04T01:30:00.5+01:00'])(
    'takes %s for a time',
    async (text) => expect((await verifyCopy('--to', text)).exitCode).toBe(0),
  );

  it.each([
    [['--dir', 'x', '--bucket', 'y'], /not both/],
    [['--dir', 'x', '--head', 'abc'], /--head must be a SHA-256/],
    [['--dir', 'x', '--from', 'yesterday'], /--from must be a date/],
    [
      ['--dir', 'x', '--from', '2026-11-30', '--to', '2026-11-29'],
      /--from must be earlier than --to/,
    ],
    [['--dir', 'x', '--public-key', '/dev/null'], /no P-256 public key/],
    [['--dir', 'x', '--record', 'no receipt'], /--record must be a receipt/],
    [['--replica-of', 'x'], /needs --bucket/],
    [[], /No store is named/],
  ])('ends with 2 for %j', async (args, sentence) => {
    expect(await run(...args)).toMatchObject({
      exitCode: 2,
      sentence: expect.stringMatching(sentence),
    });
  });

  it('ends with 3 when it cannot look', async () => {
    expect(await run('--dir', bundle.path('nowhere'))).toMatchObject({ exitCode: 3 });
    expect(await run('--dir', bundle.path(document(0)))).toMatchObject({ exitCode: 3 });
    bundle.write('versions.ndjson', '');
    expect(await verifyCopy()).toMatchObject({
      exitCode: 3,
      sentence: expect.stringMatching(/lists no version/),
    });
    bundle.remove();
    bundle.write('x', '');
    bundle.delete('x');
    expect(await verifyCopy()).toMatchObject({
      exitCode: 3,
      sentence: expect.stringMatching(/nothing to verify/),
    });
  });

  it.each(['', '.npm/_logs/debug.log', 'lineage', 'dt=2026-03-03/x'])(
    'misses nothing in a folder that is no copy of a vault (%j)',
    async (file) => {
      bundle.remove();
      bundle.write(file || 'x', '');
      if (file === '') bundle.delete('x');
      for (const args of [[], ['--head', 'a'.repeat(64)]]) {
        expect(await verifyCopy(...args)).toMatchObject({
          exitCode: 3,
          sentence: expect.stringMatching(/nothing to verify/),
        });
      }
    },
  );

  it('misses the digests where anything of a vault is left', async () => {
    bundle.remove();
    bundle.write('lineage/x', '');
    expect(await verifyCopy()).toMatchObject({ exitCode: 13 });
  });
});

describe('evidence verify --bucket', () => {
  const s3 = mockClient(S3Client);
  beforeEach(() => {
    s3.reset();
    const landed = new Date('2026-03-03T23:31:00Z');
    const [first] = bundle.digests as [Digest];
    s3.on(ListObjectVersionsCommand).callsFake(({ Prefix }) => ({
      Versions: [...new Set(bundle.keys)]
        .sort()
        .filter((key) => key.startsWith(Prefix))
        .map((Key) => ({
          Key,
          VersionId: versionOf(Key),
          LastModified: landedAt(Key) ?? landed,
        })),
    }));
    const landedAt = (key: string) => {
      const sealed = bundle.digests.flatMap(({ objects }) => objects).find((o) => o.key === key);
      return sealed && new Date(sealed.lastModified);
    };
    const versionOf = (key: string) =>
      bundle.digests.flatMap(({ objects }) => objects).find((o) => o.key === key)?.versionId ??
      'v1';
    s3.on(GetObjectCommand).callsFake(({ Key }) => ({
      Body: [bundle.read(Key)],
      VersionId: versionOf(Key),
      ObjectLockMode: 'COMPLIANCE',
      ObjectLockRetainUntilDate: new Date(first.objects[0]?.retainUntil as string),
    }));
  });

  it('compares versions and locks as well', async () => {
    const { stdout, exitCode } = await run('--bucket', 'vault');
    expect(stdout).not.toMatch(/Damage|Not said/);
    expect(exitCode).toBe(0);
    for (const call of s3.commandCalls(GetObjectCommand)) {
      expect(call.args[0].input.Bucket).toBe('vault');
    }
  });

  it('does not take a vault for another', async () => {
    expect(await run('--bucket', 'replica')).toMatchObject({ exitCode: 18 });
    const replica = await run('--bucket', 'replica', '--replica-of', 'vault');
    expect(replica).toMatchObject({ exitCode: 0 });
    for (const call of s3.commandCalls(GetObjectCommand)) {
      expect(call.args[0].input.Bucket).toBe('replica');
    }
  });

  it('does not miss digests in a vault that has just begun', async () => {
    const landed = (LastModified: Date) => {
      s3.on(ListObjectVersionsCommand, { Prefix: 'digests/' }).resolves({});
      s3.on(ListObjectVersionsCommand, { Prefix: '' }).resolves({
        Versions: [{ Key: 'keys/k', VersionId: 'v1', LastModified }],
      });
    };
    landed(new Date(Date.now() - 60 * 60_000));
    expect(await run('--bucket', 'vault')).toMatchObject({ exitCode: 3 });
    landed(new Date(Date.now() - 180 * 60_000));
    expect(await run('--bucket', 'vault')).toMatchObject({ exitCode: 13 });
  });

  it('waits for what landed after the head, and no longer than the sealer may', async () => {
    const young = new Date(Date.now() - 60_000).toISOString();
    bundle.seal([]);
    const versions = (lastModified: string) =>
      s3.on(ListObjectVersionsCommand, { Prefix: '' }).resolves({
        Versions: [{ Key: 'findings/new', VersionId: 'v1', LastModified: new Date(lastModified) }],
      });
    versions(young);
    expect(await run('--bucket', 'vault')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('1 objects landed after the head and are not due yet'),
    });
    versions('2026-03-05T05:00:00Z');
    expect(await run('--bucket', 'vault')).toMatchObject({ exitCode: 22 });
  });
});
