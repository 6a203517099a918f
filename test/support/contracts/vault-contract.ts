import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { UnreadableRecordError } from '../../../lambdas/domain/errors.ts';
import type { EvidenceObject } from '../../../lambdas/domain/evidence/evidence-object.ts';
import type {
  ListedVersion,
  ObjectReader,
  VersionInspector,
} from '../../../lambdas/domain/evidence/ports.ts';
import type { Lock } from '../../../lambdas/domain/evidence/retention.ts';
import type { ChainVault, VersionStreams } from '../../../lambdas/domain/integrity/ports.ts';
import { sha256Hex } from '../../../lambdas/domain/store-key.ts';

/** A vault and the ways to look at what it holds. */
export interface VaultUnderTest {
  readonly vault: ChainVault;
  readonly reader: ObjectReader;
  readonly streams: VersionStreams;
  readonly inspector: VersionInspector;
  readonly bucket: string;
  /** A lock that the bucket takes. */
  readonly lock: Lock;
}

/** What every vault does, the fake as well as S3. Keys are fresh, so that it can run on a bucket in use. */
export function describeVaultContract(
  name: string,
  create: () => VaultUnderTest | Promise<VaultUnderTest>,
): void {
  describe(`vault contract: ${name}`, () => {
    let under: VaultUnderTest;
    const folder = `lineage/class=contract-${randomUUID()}/`;
    const objectOf = (key: string, lines: string): EvidenceObject => ({
      key: folder + key,
      body: gzipSync(lines),
      contentHash: sha256Hex(lines),
      envelopes: [],
      leafHashes: [],
    });

    beforeAll(async () => {
      under = await create();
    });

    it('gives back the bytes of a version', async () => {
      const object = objectOf('read', 'line\n');
      const version = await under.vault.putObject(object, under.lock);
      expect(version).toMatchObject({ bucket: under.bucket, key: object.key, lock: under.lock });
      expect(Buffer.from(await under.reader.read(version))).toEqual(Buffer.from(object.body));
    });

    it('gives back a document as JSON', async () => {
      const version = await under.vault.putDocument(`${folder}document`, { ü: 1 }, under.lock);
      expect(JSON.parse(Buffer.from(await under.reader.read(version)).toString())).toEqual({
        ü: 1,
      });
    });

    it('gives back bytes, metadata and lock of a version, piece by piece', async () => {
      const bytes = randomBytes(200_000);
      const description = { contentType: 'text/plain', metadata: { signature: 'abc=' } };
      const version = await under.vault.putBytes(`${folder}x`, bytes, under.lock, description);
      const opened = await under.streams.open(version);
      const pieces: Uint8Array[] = [];
      for await (const piece of opened.body) pieces.push(piece);
      expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
      expect(opened.metadata).toMatchObject({ signature: 'abc=' });
      const { mode, retainUntil } = under.lock;
      expect(opened.lock).toEqual({ mode, retainUntil });
      const other = { contentType: 'text/plain', metadata: { signature: 'other' } };
      expect(await under.vault.putBytes(`${folder}x`, bytes, under.lock, other)).toEqual(version);
      expect((await under.streams.open(version)).metadata).toMatchObject({ signature: 'abc=' });
      await expect(
        under.vault.putBytes(`${folder}x`, randomBytes(9), under.lock, description),
      ).rejects.toThrow(expect.objectContaining({ code: 'conflicting_object' }));
      await expect(under.streams.open({ ...version, key: `${version.key}-not` })).rejects.toThrow(
        UnreadableRecordError,
      );
    });

    it('locks a version with the put', async () => {
      const version = await under.vault.putObject(objectOf('lock', 'x\n'), under.lock);
      const { mode, retainUntil } = under.lock;
      expect(await under.inspector.inspect(version)).toEqual({
        status: 'present',
        lastModified: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
        mode,
        retainUntil,
        legalHold: false,
      });
    });

    it('holds the version that stands under a key, and no other', async () => {
      const version = await under.vault.putObject(objectOf('held', 'x\n'), under.lock);
      expect(await under.vault.holds(version)).toBe(true);
      expect(await under.vault.holds({ ...version, versionId: 'another' })).toBe(false);
      expect(await under.vault.holds({ ...version, key: `${version.key}x` })).toBe(false);
      expect(await under.vault.holds({ ...version, bucket: 'another' })).toBe(false);
    });

    it('takes the same content again for put, under the lock that stands', async () => {
      const object = objectOf('again', 'x\n');
      const first = await under.vault.putObject(object, under.lock);
      const later = { ...under.lock, retainUntil: '2099-01-01T00:00:00.000Z' };
      const { versionId, lock } = await under.vault.putObject(object, later);
      expect([versionId, lock.retainUntil]).toEqual([first.versionId, under.lock.retainUntil]);
      const document = () => under.vault.putDocument(`${folder}again.json`, { a: 1 }, under.lock);
      expect(await document()).toEqual(await document());
    });

    it('finds a document by key and content, and nothing where nothing stands', async () => {
      const key = `${folder}found.json`;
      expect(await under.vault.findDocument(key, { a: 1 })).toBeUndefined();
      const version = await under.vault.putDocument(key, { a: 1 }, under.lock);
      expect(await under.vault.findDocument(key, { a: 1 })).toEqual(version);
      await expect(under.vault.findDocument(key, { a: 2 })).rejects.toThrow(
        expect.objectContaining({ code: 'conflicting_object' }),
      );
    });

    it('never replaces what stands under a key', async () => {
      const first = await under.vault.putObject(objectOf('once', 'one\n'), under.lock);
      await expect(under.vault.putObject(objectOf('once', 'two\n'), under.lock)).rejects.toThrow(
        expect.objectContaining({ code: 'conflicting_object' }),
      );
      expect(Buffer.from(await under.reader.read(first))).toEqual(
        Buffer.from(objectOf('once', 'one\n').body),
      );
    });

    it('holds one version after many writers put the same at once', async () => {
      const object = objectOf('race/dt=1/x', 'x\n');
      const versions = await Promise.all(
        Array.from({ length: 8 }, () => under.vault.putObject(object, under.lock)),
      );
      expect(new Set(versions.map(({ versionId }) => versionId)).size).toBe(1);
      expect(await listed(`${folder}race/`)).toHaveLength(1);
    });

    it('knows a version that never was from one that is', async () => {
      const version = await under.vault.putObject(objectOf('missing', 'x\n'), under.lock);
      const other = { ...version, key: `${version.key}-not` };
      await expect(under.reader.read(other)).rejects.toThrow(UnreadableRecordError);
      expect(await under.inspector.inspect(other)).toEqual({ status: 'missing' });
    });

    it('lists folders and versions under a prefix', async () => {
      const { key, versionId, bucket } = await under.vault.putObject(
        objectOf('list/dt=1/hour=2/x', 'x\n'),
        under.lock,
      );
      expect(await under.inspector.folders(bucket, `${folder}list/`)).toEqual([
        `${folder}list/dt=1/`,
      ]);
      expect(await listed(`${folder}list/dt=1/hour=2/`)).toEqual([
        expect.objectContaining({ bucket, key, versionId, deleteMarker: false }),
      ]);
      expect(await listed(`${folder}list/dt=1/hour=3/`)).toEqual([]);
    });

    it('lists what lies directly below a prefix', async () => {
      const put = (name: string) =>
        under.vault.putObject(objectOf(`files/${name}`, `${name}\n`), under.lock);
      const { key, versionId, bucket } = await put('x');
      await put('deeper/x');
      const found: ListedVersion[] = [];
      for await (const version of under.inspector.files(bucket, `${folder}files/`))
        found.push(version);
      expect(found).toEqual([
        expect.objectContaining({ bucket, key, versionId, deleteMarker: false }),
      ]);
      expect(await listed(`${folder}files/`)).toHaveLength(2);
    });

    async function listed(prefix: string): Promise<ListedVersion[]> {
      const found: ListedVersion[] = [];
      for await (const version of under.inspector.list(under.bucket, prefix)) found.push(version);
      return found;
    }
  });
}
