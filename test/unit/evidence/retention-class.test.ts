import { describe, expect, it } from 'vitest';
import { acceptEvent } from '../../../lambdas/domain/openlineage/accept-event.ts';
import { prepareEvent } from '../../../lambdas/domain/openlineage/prepare-event.ts';
import { storeEvents } from '../../../lambdas/domain/openlineage/store-events.ts';
import {
  acceptance,
  NOW,
  REDACTION,
  RETENTION,
  registration,
  runEventText,
} from '../../support/builders.ts';
import { InMemoryVault } from '../../support/fakes/bucket.ts';
import { InMemoryRunIndex } from '../../support/fakes/run-index.ts';
import { archive } from './archive.ts';

const DAY = 86_400_000;
const retention = { ...RETENTION, classes: { audit: { lineageDays: 400, traceDays: 400 } } };
/** Everything an event could try to say about how long it is kept. */
const claims = {
  retentionClass: 'audit',
  class: 'audit',
  run: { runId: 'r', facets: { retention: { retentionClass: 'audit', days: 1 } } },
  job: {
    namespace: 'ns',
    name: 'job',
    facets: { tags: { tags: [{ key: 'retentionClass', value: 'audit' }] } },
  },
};

/** Accepts and archives an event of a producer that is registered with a class. */
async function stored(retentionClass: string, body: string) {
  const vault = new InMemoryVault();
  const index = new InMemoryRunIndex();
  const shared = { vault, index, retention, clock: () => NOW };
  const { run } = archive({
    ...shared,
    prepare: (record) => prepareEvent(record, REDACTION),
    store: (dated) =>
      storeEvents(dated, {
        ...{ ...shared, traceContextFacets: [], onTraceNamed: async () => undefined },
      }),
  });
  const { record } = acceptEvent(
    body,
    acceptance({ registration: registration({ retentionClass }) }),
  );
  await run({
    position: { shardId: 'shardId-000000000000', sequenceNumber: '1' },
    ...{ arrivedAtMillis: NOW, data: record.data },
  });
  const [version] = vault.versions;
  const until = Date.parse(version?.lock?.retainUntil as string);
  return { folder: version?.key.split('/')[1], days: Math.floor((until - NOW) / DAY) };
}

describe('the retention class', () => {
  it.each([runEventText(), runEventText(claims)])(
    'comes from the registration, whatever the event says (%#)',
    async (body) => {
      expect(await stored('standard', body)).toEqual({ folder: 'class=standard', days: 45 });
      expect(await stored('audit', body)).toEqual({ folder: 'class=audit', days: 435 });
    },
  );
});
