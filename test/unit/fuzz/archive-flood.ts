import { createHash } from 'node:crypto';
import { archiveRecords } from '../../../lambdas/domain/evidence/archive-records.ts';
import type { ConsumedRecord } from '../../../lambdas/domain/evidence/consumed-record.ts';
import { prepareEvent } from '../../../lambdas/domain/openlineage/prepare-event.ts';
import { storeEvents } from '../../../lambdas/domain/openlineage/store-events.ts';
import { prepareTraces } from '../../../lambdas/domain/traces/prepare-trace.ts';
import { storeTraces } from '../../../lambdas/domain/traces/store-traces.ts';
import { consumed, NOW, REDACTION, RETENTION, wholeMinute } from '../../support/builders.ts';
import { InMemoryStaging, InMemoryVault } from '../../support/fakes/bucket.ts';
import { singlePolicy } from '../../support/fakes/keys.ts';
import { readerOver } from '../../support/fakes/readers.ts';
import { InMemoryRunIndex } from '../../support/fakes/run-index.ts';

/**
 * A process of its own, for archive-memory.test.ts: archives as many records as its second argument says of the
 * shape that its first names, and prints what was stored and by how many KiB the memory peak of the process rose.
 */
const TRACES_OF_A_RECORD = 255;

/** Traces whose ids share a first byte, so that they are one record, under a resource that each of them repeats. */
function exportOf(resource: string, n: number): string {
  const spans = Array.from({ length: TRACES_OF_A_RECORD }, (_, i) => {
    const traceId = `ab${createHash('sha256').update(`${n}-${i}`).digest('hex').slice(0, 30)}`;
    return `{"traceId":"${traceId}","spanId":"b7ad6b7169203331"}`;
  });
  return `{"resourceSpans":[{"resource":${resource},"scopeSpans":[{"spans":[${spans}]}]}]}`;
}

const SHAPES: Readonly<Record<string, (n: number) => string>> = {
  'traces of a large resource': (n) => exportOf(`{"x":"${'a'.repeat(115_000)}"}`, n),
  'traces of a large resource of escapes': (n) =>
    exportOf(`{"x":"\u0416${'\\"'.repeat(57_000)}"}`, n),
  'traces of a large resource of secrets': (n) =>
    exportOf(
      `{"x":{"password":[${Array(28_000).fill('"p"')}],"y":[${Array(9_000).fill('{"token":1}')}]}}`,
      n,
    ),
  'large events': () =>
    `{"run":{"runId":"r"},"job":{"namespace":"n","name":"j"},"x":"${'a'.repeat(5_900_000)}"}`,
};

const [shape = '', count] = process.argv.slice(2);
const text = SHAPES[shape] as (n: number) => string;
const records: ConsumedRecord[] = Array.from({ length: Number(count) }, (_, n) =>
  consumed(n, text(n)),
);
const [vault, staging] = [new InMemoryVault(), new InMemoryStaging()];
/** Rows hold on to the documents that their texts are cut from; a table does not. */
const forget = async () => undefined;
const index = Object.assign(new InMemoryRunIndex(), {
  putDelivery: forget,
  putRunEvent: forget,
  putTraceDelivery: forget,
});
const stores = { vault, staging, index, retention: RETENTION, clock: () => NOW };
const before = process.resourceUsage().maxRSS;
const { stored, failures } = text(0).includes('resourceSpans')
  ? await archiveRecords(
      records,
      {
        ...stores,
        ...singlePolicy(),
        plane: 'traces',
        prepare: (record) => prepareTraces(record, REDACTION),
        store: (dated) =>
          storeTraces(dated, {
            ...stores,
            reader: readerOver(vault, staging),
            runIdAttributes: [],
          }),
      },
      wholeMinute,
    )
  : await archiveRecords(
      records,
      {
        ...stores,
        ...singlePolicy(),
        plane: 'lineage',
        prepare: (record) => prepareEvent(record, REDACTION),
        store: (dated) =>
          storeEvents(dated, {
            ...stores,
            traceContextFacets: [],
            onTraceNamed: async () => undefined,
          }),
      },
      wholeMinute,
    );
const roseKib = process.resourceUsage().maxRSS - before;
process.stdout.write(JSON.stringify({ stored, failed: failures.size, roseKib }));
