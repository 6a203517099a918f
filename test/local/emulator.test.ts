import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
  PutObjectLegalHoldCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClients } from '../../localstack/clients.ts';
import { startEmulator } from '../../localstack/emulator.ts';
import { stopEmulator } from '../../localstack/emulator-end.ts';
import { whileEmulatorLives } from '../../localstack/emulator-life.ts';
import type { Emulator } from '../../localstack/emulator-record.ts';
import { emulatorOf } from '../../localstack/emulators/emulators.ts';
import { UserError } from '../../localstack/errors.ts';
import { localPaths } from '../../localstack/paths.ts';
import { freePort } from '../../localstack/port.ts';
import { waitUntil } from '../../localstack/process.ts';
import { isRunning } from '../../localstack/process-identity.ts';

describe('the life of the emulator', () => {
  const paths = localPaths(mkdtempSync(join(inject('localDir'), 'emulator-')));
  const kind = emulatorOf(inject('environment').emulator.name);
  let program: string;
  let port: number;

  beforeAll(async () => {
    program = await kind.install();
    port = await freePort();
  }, 300_000);
  afterAll(async () => {
    await stopEmulator(paths);
    rmSync(paths.root, { recursive: true, force: true });
  });

  const buckets = async ({ endpoint }: Emulator) =>
    (await createClients(endpoint).s3.send(new ListBucketsCommand({}))).Buckets?.map(
      ({ Name }) => Name,
    ) ?? [];

  it('keeps its state over a stop and is reused while it runs', async () => {
    const { emulator, wiped } = await startEmulator(kind, program, paths, port);
    expect(wiped).toBe(false);
    await createClients(emulator.endpoint).s3.send(new CreateBucketCommand({ Bucket: 'kept' }));
    const again = await startEmulator(kind, program, paths, port);
    expect(again.emulator).toEqual(emulator);
    expect(await stopEmulator(paths)).toBe(true);
    expect(isRunning(emulator.process)).toBe(false);
    expect(await stopEmulator(paths)).toBe(false);
    const later = await startEmulator(kind, program, paths, port);
    expect(later.wiped).toBe(false);
    expect(await buckets(later.emulator)).toEqual(['kept']);
  }, 60_000);

  it('keeps retention and legal holds over a stop, which the emulator alone forgets', async () => {
    const { emulator } = await startEmulator(kind, program, paths, port);
    const { s3 } = createClients(emulator.endpoint);
    const object = { Bucket: 'locked', Key: 'evidence' };
    await s3.send(new CreateBucketCommand({ Bucket: 'locked', ObjectLockEnabledForBucket: true }));
    const until = new Date('2099-01-01T00:00:00.000Z');
    const lock = { ObjectLockMode: 'GOVERNANCE', ObjectLockRetainUntilDate: until } as const;
    const { VersionId } = await s3.send(new PutObjectCommand({ ...object, ...lock, Body: 'one' }));
    await s3.send(new PutObjectLegalHoldCommand({ ...object, LegalHold: { Status: 'ON' } }));
    await s3.send(new PutObjectCommand({ ...object, Body: 'two, unlocked' }));
    await stopEmulator(paths);

    const again = createClients(
      (await startEmulator(kind, program, paths, port)).emulator.endpoint,
    ).s3;
    const head = await again.send(new HeadObjectCommand({ ...object, VersionId }));
    expect(head).toMatchObject({ ...lock, ObjectLockLegalHoldStatus: 'ON' });
    const deletion = again.send(new DeleteObjectCommand({ ...object, VersionId }));
    await expect(deletion).rejects.toMatchObject({ name: 'AccessDenied' });
    expect((await again.send(new HeadObjectCommand(object))).ObjectLockMode).toBeUndefined();
  }, 60_000);

  it('says within seconds that it died, and starts empty afterwards', async () => {
    const { emulator } = await startEmulator(kind, program, paths, port);
    writeFileSync(paths.environment, '{}');
    const killed = Date.now();
    const waiting = whileEmulatorLives(emulator, () => new Promise(() => {}));
    process.kill(emulator.process.pid, 'SIGKILL');
    await expect(waiting).rejects.toThrow(/^The emulator ended while it was needed: run npm start/);
    expect(Date.now() - killed).toBeLessThan(5_000);

    const next = await startEmulator(kind, program, paths, port);
    expect(next.wiped).toBe(true);
    expect(await buckets(next.emulator)).toEqual([]);
    // Keys and checkpoints belong to the state that is gone.
    expect(existsSync(paths.environment)).toBe(false);
    await stopEmulator(paths);
  }, 60_000);

  it('leaves the data of another emulator alone', async () => {
    const other = kind.name === 'ministack' ? 'localstack' : 'ministack';
    mkdirSync(paths.emulatorData, { recursive: true });
    writeFileSync(paths.emulatorKind, JSON.stringify({ name: other }));
    const refused = startEmulator(kind, program, paths, port);
    await expect(refused).rejects.toThrow(`holds the data of ${other}: run npm run reset`);
    expect(JSON.parse(readFileSync(paths.emulatorKind, 'utf8'))).toEqual({ name: other });
    rmSync(paths.emulatorKind);
  });

  it('names the port that another program holds, and the way out', async () => {
    const server = createServer().listen(port, '127.0.0.1');
    await waitUntil(() => server.listening, 5_000);
    const refused = startEmulator(kind, program, paths, port);
    await expect(refused).rejects.toThrow(UserError);
    await expect(refused).rejects.toThrow(`Port ${port} is taken`);
    await expect(refused).rejects.toThrow('EMULATOR_PORT=');
    server.close();
  });
});
