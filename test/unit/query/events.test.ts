import { describe, expect, it } from 'vitest';
import { consumed, NOW, NOW_TEXT, runEventText } from '../../support/builders.ts';
import { queriedStore, receipt } from './store.ts';

const CANARY = 'canary-7f3e9d01';
const record = (n: number, text: string, hmac = `hmac-${n}`) =>
  consumed(n, text, { receiptId: receipt(n), received: { epoch: 0, hmac } });

describe('GET /events/{receiptId}', () => {
  it('answers the envelope of a stored event and where it lies', async () => {
    const { archive, get } = queriedStore();
    await archive(record(1, runEventText({ sql: `SELECT '${CANARY}'` })));
    const { status, json } = await get(`events/${receipt(1)}`);
    expect(status).toBe(200);
    expect(json()).toMatchObject({
      status: 'stored',
      receiptId: receipt(1),
      redaction: { mode: 'full', fields: [{ path: '$.sql', rule: 'sql' }] },
      location: { bucket: 'vault', versionId: 'v2', line: 0 },
      lock: { mode: 'GOVERNANCE' },
    });
    expect(json().document).toBe(runEventText({ sql: 'SELECT ?' }));
    expect(json()).not.toHaveProperty('duplicateOf');
  });

  it('answers 202 for a receipt that was issued and is not filed yet', async () => {
    const { get } = queriedStore();
    const { status, json } = await get(`events/${receipt(1)}`);
    expect([status, json()]).toEqual([
      202,
      { status: 'pending', acceptedAt: NOW_TEXT, overdue: false },
    ]);
  });

  it('says that a receipt is overdue when nothing came of it for an hour', async () => {
    const { get, time } = queriedStore();
    time.now = NOW + 3_600_001;
    expect((await get(`events/${receipt(1)}`)).json()).toMatchObject({ overdue: true });
  });

  it('never answers with another line than the one that was filed', async () => {
    const { archive, get, index } = queriedStore();
    await archive(consumed(1, runEventText(), { receiptId: receipt(1) }));
    await archive(consumed(2, runEventText({ eventType: 'FAIL' }), { receiptId: receipt(2) }));
    for (const [row, entry] of index.deliveryRows) {
      const other = [...index.deliveryRows.values()].find((found) => found !== entry);
      if (other) index.deliveryRows.set(row, { ...entry, location: other.location });
    }
    expect((await get(`events/${receipt(1)}`)).json()).toMatchObject({ status: 'missing' });
    expect((await get(`events/${receipt(1)}/document`)).status).toBe(404);
  });

  it.each([
    ['forged', `${receipt(1).slice(0, -1)}${receipt(1).endsWith('0') ? '1' : '0'}`],
    ['of an epoch that never was', receipt(1).replace('r0_', 'r7_')],
    ['no receipt at all', CANARY],
  ])(
    'answers 404 for a receipt that is %s, filed or not, and shows none of it',
    async (_what, forged) => {
      const { get, archive } = queriedStore();
      await archive(consumed(1, runEventText(), { receiptId: forged }));
      for (const path of [`events/${forged}`, `events/${forged}/document`]) {
        const { status, text } = await get(path);
        expect(status).toBe(404);
        expect(text).not.toContain(forged);
      }
    },
  );

  it('names the first of several deliveries of the same bytes', async () => {
    const { archive, get } = queriedStore();
    await archive(
      record(1, runEventText(), 'same'),
      record(2, runEventText(), 'same'),
      record(3, runEventText({ x: 1 }), 'other'),
    );
    expect((await get(`events/${receipt(2)}`)).json()).toMatchObject({ duplicateOf: receipt(1) });
    expect((await get(`events/${receipt(1)}`)).json()).not.toHaveProperty('duplicateOf');
    expect((await get(`events/${receipt(3)}`)).json()).not.toHaveProperty('duplicateOf');
  });

  it('names a delivery in quarantine, of which there is no document', async () => {
    const { archive, get } = queriedStore();
    await archive(record(1, `no json ${CANARY}`));
    const { status, json, text } = await get(`events/${receipt(1)}`);
    expect([status, json().status]).toEqual([200, 'quarantined']);
    expect(text).not.toContain(CANARY);
    expect((await get(`events/${receipt(1)}/document`)).status).toBe(404);
  });

  it('gives the document byte for byte', async () => {
    const { archive, get } = queriedStore();
    const text = ` ${runEventText({ n: 1 }).replace('"n":1', '"n" : 1.50e0 ')}\n`;
    await archive(record(1, 'oops'), record(2, text));
    const { status, text: found, headers } = await get(`events/${receipt(2)}/document`);
    expect([status, found, headers?.['content-type']]).toEqual([200, text, 'application/json']);
  });
});

describe('access', () => {
  it.each(['runs/x', 'run', 'events/x', 'traces/x'])('to %s needs a key', async (path) => {
    const { get } = queriedStore();
    expect((await get(path, { headers: {} })).status).toBe(401);
  });

  it('to an unknown path is 404 and with a wrong method 405, with and without a key', async () => {
    const { get } = queriedStore({ scopes: ['ingest:lineage'] });
    for (const key of [{}, { headers: {} }]) {
      expect((await get('nowhere', key)).status).toBe(404);
      expect((await get('nowhere', { ...key, httpMethod: 'POST' })).status).toBe(404);
      expect((await get('runs/x', { ...key, httpMethod: 'POST' })).status).toBe(405);
    }
  });

  it('needs the scope read', async () => {
    const { get } = queriedStore({ scopes: ['ingest:lineage', 'audit', 'admin'] });
    expect((await get('runs/x')).status).toBe(403);
  });

  it('is 503 while keys cannot be looked up', async () => {
    const { get, registry } = queriedStore();
    registry.faults.refuse('findByKeyId');
    expect((await get('runs/x')).status).toBe(503);
  });
});

describe('GET /health', () => {
  const HEALTH = { resource: '/health', path: '/health', headers: {} };

  it('needs no key and tells no detail', async () => {
    const { get } = queriedStore();
    const { status, json } = await get('health', HEALTH);
    expect([status, json()]).toEqual([200, { status: 'ok' }]);
  });

  it('answers HEAD as GET, without a body', async () => {
    const { get, probes, time } = queriedStore();
    const head = { ...HEALTH, httpMethod: 'HEAD' };
    const { status, text } = await get('health', head);
    expect([status, text]).toEqual([200, '']);
    probes.healthy = false;
    time.now += 5_001;
    const down = await get('health', head);
    expect([down.status, down.text]).toEqual([503, '']);
  });

  it('is 503 when something behind it does not answer', async () => {
    const { get, probes } = queriedStore();
    probes.healthy = false;
    expect((await get('health', HEALTH)).status).toBe(503);
  });

  it('is no older than five seconds, and not asked more often however many ask', async () => {
    const { get, probes, time } = queriedStore();
    await Promise.all([get('health', HEALTH), get('health', HEALTH)]);
    time.now += 5_000;
    await get('health', HEALTH);
    expect(probes.asked).toBe(1);
    probes.healthy = false;
    time.now += 1;
    expect((await get('health', HEALTH)).status).toBe(503);
    expect(probes.asked).toBe(2);
  });
});
