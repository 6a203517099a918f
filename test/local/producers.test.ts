import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { bearerKeyHash } from '../../lambdas/domain/producers/bearer-key.ts';
import { environments } from '../../lib/config/environments.ts';
import { REPOSITORY } from '../../localstack/paths.ts';
import { runEvent } from '../support/events.ts';
import { localLogs } from '../support/local-logs.ts';
import { StoreClient } from '../support/store-client.ts';

/** What was changed is seen after the cache time; the rest is room for a slow machine. */
const SEEN = { timeout: environments.local.keyCacheSeconds * 1_000 + 20_000, interval: 200 };

/** All that the command says beside what it does. */
const EMULATOR_LINE = /^Local emulator [^\n]+\n$/;

describe('a producer', () => {
  const store = new StoreClient(inject('environment'));
  const sends = (key: string, event: unknown = runEvent()) =>
    store.post('/api/v1/lineage', JSON.stringify(event), key);
  const comesTo = (key: string, status: number) =>
    expect.poll(async () => (await sends(key)).status, SEEN).toBe(status);
  const add = async (fields: Record<string, unknown> = {}) => {
    const producerId = `t-${randomUUID()}`;
    const body = { producerId, scopes: ['ingest:lineage'], ...fields };
    const { status, json } = await store.post('/api/v1/producers', JSON.stringify(body), 'admin');
    expect(status).toBe(201);
    const change = (patch: unknown) =>
      store.patch(`/api/v1/producers/${producerId}`, patch, 'admin');
    return { producerId, key: json.key as string, keyId: json.keys[0].keyId as string, change };
  };
  const recordsOf = async (producerId: string) => {
    const bucket = store.environment.buckets.vault;
    const versions = await store.versions(bucket, `producers/${producerId}/`);
    return Promise.all(
      versions.map(async (version) => ({
        lock: await store.lockOf({ bucket, ...version }),
        text: (await store.object({ bucket, ...version })).toString('utf8'),
      })),
    );
  };

  it('registered by API sends with its key at once, also with another after rotation', async () => {
    const { key, change } = await add();
    expect((await sends(key)).status).toBe(201);
    const { json } = await change({ rotate: true });
    expect((await sends(json.key)).status).toBe(201);
    expect((await sends(key)).status).toBe(201);
  });

  it('loses its old keys within the cache time when it rotates without an overlap', async () => {
    const { key, change } = await add();
    expect((await sends(key)).status).toBe(201);
    const { json } = await change({ rotate: true, overlapHours: 0 });
    await comesTo(key, 401);
    expect((await sends(json.key)).status).toBe(201);
  });

  it('stops within the cache time when it is disabled, and goes on when it is enabled', async () => {
    const { key, change } = await add();
    expect((await sends(key)).status).toBe(201);
    await change({ disabled: true });
    await comesTo(key, 401);
    const refused = await sends(key);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    await change({ disabled: false });
    await comesTo(key, 201);
  });

  it('leaves a locked record of every change', async () => {
    const { producerId, keyId, change } = await add();
    await change({ rotate: true });
    await change({ endKey: keyId });
    await change({ disabled: true });
    const records = await recordsOf(producerId);
    const told = records
      .map(({ text }) => JSON.parse(text))
      .sort((a, b) => a.version - b.version)
      .map(({ version, change, by }) => [version, change, by]);
    const by = { via: 'api', producerId: 'demo-admin' };
    expect(told).toEqual([
      [1, 'registered', by],
      [2, 'key_issued', by],
      [3, 'key_ended', by],
      [4, 'disabled', by],
    ]);
    for (const { lock } of records) expect(lock?.Mode).toBe('GOVERNANCE');
  });

  it('is changed by one of several at a time', async () => {
    const { producerId, change } = await add();
    const answers = await Promise.all([1, 2, 3, 4].map((n) => change({ eventsPerSecond: n })));
    const statuses = answers.map(({ status }) => status);
    for (const status of statuses) expect([200, 409]).toContain(status);
    const made = statuses.filter((status) => status === 200).length;
    expect(made).toBeGreaterThan(0);
    const { json } = await store.get(`/api/v1/producers/${producerId}`);
    expect(json.version).toBe(1 + made);
    expect(await recordsOf(producerId)).toHaveLength(json.version);
  });

  it('is held to its job namespaces', async () => {
    const event = (namespace: string) => runEvent({ job: { namespace, name: 'j' } });
    const loose = await add({ jobNamespaces: { allowed: ['mine*'], outside: 'deviation' } });
    expect((await sends(loose.key, event('mine-1'))).json.deviations).toEqual([]);
    expect((await sends(loose.key, event('other'))).json.deviations).toEqual([
      'job_namespace_not_registered',
    ]);
    const strict = await add({ jobNamespaces: { allowed: ['mine*'], outside: 'refuse' } });
    const refused = await sends(strict.key, event('other'));
    expect(refused.json).toMatchObject({
      status: 400,
      errors: [{ path: '$.job.namespace', rule: 'job_namespace_not_registered' }],
    });
  });

  it('lends its registered basis to a run that declares none', async () => {
    const basis = { derivation: 'resolved-plan', completeness: 'best-effort' };
    const { key } = await add({ basis });
    const runId = randomUUID();
    await sends(key, runEvent({ run: { runId } }));
    const { json } = await store.until(`/api/v1/runs/${runId}`);
    expect(json.basis).toMatchObject({ ...basis, assertedBy: 'registration' });
    const { json: event } = await store.stored(json.events[0].receiptId);
    expect((await store.line(event.location)).registeredBasis).toEqual(basis);
  });

  it('is administered from the command line with AWS credentials as well', async () => {
    const producerId = `t-${randomUUID()}`;
    const evidence = (...args: string[]) =>
      spawnSync(
        process.execPath,
        ['--import', 'tsx', join(REPOSITORY, 'bin/evidence.ts'), 'producers', ...args],
        { env: { ...process.env, LOCAL_DIR: inject('localDir') }, encoding: 'utf8' },
      );
    const added = evidence(
      'add',
      producerId,
      '--scopes',
      'ingest:lineage',
      '--namespaces',
      'a,b*',
      '--outside',
      'refuse',
      '--json',
    );
    expect(added.stderr).toMatch(EMULATOR_LINE);
    const { key, ...registered } = JSON.parse(added.stdout);
    expect(registered.jobNamespaces).toEqual({ allowed: ['a', 'b*'], outside: 'refuse' });
    expect((await sends(key, runEvent({ job: { namespace: 'b1', name: 'j' } }))).status).toBe(201);

    const rotated = evidence('rotate', producerId, '--overlap-hours', '24');
    expect(rotated.stdout).toMatch(/shown this once:\nev_/);
    const thirdTime = evidence('rotate', producerId);
    expect([thirdTime.status, thirdTime.stdout]).toEqual([2, expect.stringMatching(EMULATOR_LINE)]);
    expect(thirdTime.stderr).toMatch(/two keys of this producer are valid/);
    expect(
      evidence('change', producerId, '--group', 'team', '--clear', 'jobNamespaces').status,
    ).toBe(0);
    expect(evidence('disable', producerId).status).toBe(0);

    const { items } = JSON.parse(evidence('list', '--json').stdout);
    const mine = items.find((item: { producerId: string }) => item.producerId === producerId);
    expect(mine).toMatchObject({ group: 'team', disabled: true, version: 4 });
    expect(mine).not.toHaveProperty('jobNamespaces');
    expect(evidence('list').stdout).toContain(mine.keys[0].keyId);
    expect(evidence('add', 'Bad Id', '--scopes', 'all')).toMatchObject({
      status: 2,
      stdout: expect.stringMatching(EMULATOR_LINE),
      stderr: expect.stringMatching(/<id>: .*--scopes\[0\]: one_of/),
    });
    const records = (await recordsOf(producerId)).map(({ text }) => JSON.parse(text).by.via);
    expect(new Set(records)).toEqual(new Set(['aws-credentials']));
  });

  it('leaves no key and no hash of one in vault, listing or log', async () => {
    const made = [await add(), await add(), await add()];
    const shown = made.map(({ key }) => key);
    for (const { key, change } of made) {
      expect((await sends(key)).status).toBe(201);
      shown.push((await change({ rotate: true })).json.key);
    }
    const { items } = (await store.get('/api/v1/producers?limit=1000')).json;
    const bucket = store.environment.buckets.vault;
    const texts = [JSON.stringify(items)];
    for (const version of await store.versions(bucket, 'producers/')) {
      texts.push((await store.object({ bucket, ...version })).toString('utf8'));
    }
    texts.push(...localLogs().map((path) => readFileSync(path, 'utf8')));
    const told = texts.join();
    for (const { producerId } of made) expect(told).toContain(producerId);
    expect(new Set(shown).size).toBe(6);
    for (const key of shown) {
      const hidden = [key.split('_')[2] as string, bearerKeyHash(key)];
      for (const text of texts) for (const secret of hidden) expect(text).not.toContain(secret);
    }
  });
});
