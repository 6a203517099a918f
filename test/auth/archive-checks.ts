import { randomUUID } from 'node:crypto';
import type { ConsumedRecord } from '../../lambdas/domain/evidence/consumed-record.ts';
import { runEvent, span } from '../support/events.ts';
import type { Bench } from './bench.ts';
import type { Check } from './check.ts';
import { Deliverer, naming, traced } from './deliverer.ts';
import { delivered, poison } from './deliveries.ts';
import { setHold } from './hold-checks.ts';

const REDACTION_POLICY = JSON.stringify({
  subject: ['facet:acme_context.actor.id', 'attribute:enduser.id'],
});

type Archive = 'archive' | 'archiveTraces';

export function archiveChecks(bench: Bench): readonly Check[] {
  const { vault } = bench.environment.buckets;
  const deliverer = new Deliverer(bench);
  /** A check whose record is made anew, and may have been consumed before. */
  const consumes = (
    fn: Archive,
    name: string,
    make: () => ConsumedRecord | Promise<ConsumedRecord>,
    more: Pick<Check, 'variables'> = {},
  ): Check => {
    let record: ConsumedRecord;
    return {
      ...{ fn, name, ...more },
      prepare: async () => {
        record = await make();
      },
      run: () => deliverer.consume(fn, record),
    };
  };
  const replayed =
    (fn: Archive, make: () => ConsumedRecord, before?: (of: ConsumedRecord) => Promise<void>) =>
    async () => {
      const record = make();
      await deliverer.consume(fn, record);
      await before?.(record);
      return record;
    };
  const gone = (prefix: string) => (record: ConsumedRecord) =>
    deliverer.removeObjectOf(record, vault, prefix);
  const held = async () => {
    const runId = randomUUID();
    await deliverer.consume('archive', delivered(runEvent({ run: { runId } })));
    await setHold(bench, runId);
    return runId;
  };
  const actor = () => ({ actor: { id: `person-${randomUUID()}` } });

  return [
    consumes('archive', 'stores an event', () => delivered(runEvent())),
    consumes(
      'archive',
      'stores a replay once',
      replayed('archive', () => delivered(runEvent())),
    ),
    consumes(
      'archive',
      'stores again what is gone',
      replayed('archive', () => delivered(runEvent()), gone('lineage/')),
    ),
    consumes('archive', 'names what it cannot read, once', replayed('archive', poison)),
    consumes('archive', 'promotes a staged trace', async () => naming(await deliverer.staged())),
    consumes('archive', 'promotes a trace that was promoted', async () =>
      naming(await deliverer.halfPromoted()),
    ),
    consumes('archive', 'names a staged trace that is gone', async () =>
      naming(await deliverer.staged({ isGone: true })),
    ),
    consumes('archive', 'holds what arrives', async () =>
      naming(await deliverer.staged(), await held()),
    ),
    consumes(
      'archive',
      'keeps the key of a person',
      () =>
        delivered(runEvent({ run: { runId: randomUUID(), facets: { acme_context: actor() } } })),
      { variables: { REDACTION_POLICY } },
    ),
    consumes('archiveTraces', 'stages a trace', () => traced(span())),
    consumes(
      'archiveTraces',
      'stages a replay once',
      replayed('archiveTraces', () => traced(span())),
    ),
    consumes(
      'archiveTraces',
      'stores a replay once',
      replayed('archiveTraces', () => traced(span({}, randomUUID()))),
    ),
    consumes(
      'archiveTraces',
      'stores again what is gone',
      replayed('archiveTraces', () => traced(span({}, randomUUID())), gone('traces/')),
    ),
    consumes('archiveTraces', 'names what it cannot read, once', replayed('archiveTraces', poison)),
    consumes('archiveTraces', 'promotes a staged trace', async () => {
      const { traceId } = await deliverer.staged();
      return traced(span({ traceId }, randomUUID()));
    }),
    consumes('archiveTraces', 'names a staged trace that is gone', async () => {
      const { traceId } = await deliverer.staged({ isGone: true });
      return traced(span({ traceId }, randomUUID()));
    }),
    consumes('archiveTraces', 'holds what arrives', async () => traced(span({}, await held()))),
    consumes(
      'archiveTraces',
      'keeps the key of a person',
      () => {
        const named = { key: 'enduser.id', value: { stringValue: `person-${randomUUID()}` } };
        return traced(span({ attributes: [named] }));
      },
      { variables: { REDACTION_POLICY } },
    ),
  ];
}
