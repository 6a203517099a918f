import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { REPOSITORY } from '../../localstack/paths.ts';
import { runEvent, span, spanExport } from '../support/events.ts';
import { findEverywhere } from '../support/everything-stored.ts';
import { changeVariables } from '../support/function-variables.ts';
import { StoreClient } from '../support/store-client.ts';

const REDACTION_POLICY = JSON.stringify({
  subject: ['facet:acme_context.actor.id', 'attribute:enduser.id'],
});
const GONE = '[redacted:subject]';

describe('a person', () => {
  const store = new StoreClient(inject('environment'));
  const { functions, buckets } = store.environment;
  const [jane, joe] = [0, 1].map(() => `person${randomUUID().replaceAll('-', '')}`) as [
    string,
    string,
  ];

  const restores: Array<() => Promise<void>> = [];
  beforeAll(async () => {
    for (const name of [functions.archive, functions.archiveTraces]) {
      restores.push(await changeVariables(store.clients, name, { REDACTION_POLICY }));
    }
  });
  afterAll(async () => {
    for (const restore of restores) await restore();
  });

  const evidence = (input: string, ...args: string[]) =>
    spawnSync(
      process.execPath,
      ['--import', 'tsx', join(REPOSITORY, 'bin/evidence.ts'), 'erase-subject', ...args],
      { env: { ...process.env, LOCAL_DIR: inject('localDir') }, encoding: 'utf8', input },
    );
  const event = async (...ids: string[]) => {
    const run = { runId: randomUUID(), facets: { acme_context: { actor: ids.map(toActor) } } };
    const { json } = await store.store(runEvent({ run }));
    const line = await store.line(json.location);
    const { actor } = JSON.parse(line.document).run.facets.acme_context;
    return {
      runId: run.runId,
      location: json.location,
      digest: line.digest,
      names: actor.map(({ id }: { id: string }) => id) as string[],
    };
  };
  const toActor = (id: string) => ({ id });

  it('is stored as one pseudonym in events and spans, and as nothing once erased', async () => {
    const first = await event(jane, joe);
    const [name, other] = first.names;
    expect(name).toMatch(/^sub_[a-p]{32}$/);
    expect((await event(joe, jane)).names).toEqual([other, name]);

    const ended = span({}, first.runId);
    const attributes = [
      ...(ended.attributes as object[]),
      { key: 'enduser.id', value: { stringValue: jane } },
    ];
    const body = JSON.stringify(spanExport({ ...ended, attributes }));
    expect((await store.post('/v1/traces', body, 'traces')).status).toBe(200);
    const trace = await store.until(`/api/v1/traces/${ended.traceId}`);
    expect(trace.text).toContain(name);

    const shown = evidence(`${jane}\n`, '--show', '--json');
    expect(JSON.parse(shown.stdout)).toEqual({ pseudonyms: [name], erasures: [] });
    expect(shown.stderr).toMatch(/^Local emulator [^\n]+\n$/);
    const erased = evidence(`${jane}\n`, '--reference', 'DSR-1', '--json');
    const [erasure] = JSON.parse(erased.stdout).erasures;
    expect(erasure).toMatchObject({ reference: 'DSR-1', keysDestroyed: 1 });

    const later = await event(jane, joe);
    expect(later.names).toEqual([GONE, other]);
    // What was stored before is what it was.
    expect((await store.line(first.location)).digest).toBe(first.digest);

    const [version] = await store.versions(buckets.vault, `erasures/${erasure.id}.json`);
    const record = { bucket: buckets.vault, ...(version as NonNullable<typeof version>) };
    expect(JSON.parse((await store.object(record)).toString())).toEqual(erasure);
    expect(await store.lockOf(record)).toMatchObject({ Mode: 'GOVERNANCE' });

    expect(evidence('nobody', '--show').status).toBe(1);
  });

  it('is named in clear in the streams and nowhere else', async () => {
    const { hits, searched } = await findEverywhere(store.environment, [jane, joe]);
    expect(Math.min(searched.object, searched.row, searched.log)).toBeGreaterThan(0);
    expect(new Set(hits.map(({ kind }) => kind))).toEqual(new Set(['stream']));
  });
});
