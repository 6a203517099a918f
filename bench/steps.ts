import type { Envelope } from '../lambdas/domain/evidence/envelope.ts';
import { packObjects } from '../lambdas/domain/evidence/evidence-object.ts';
import { decodeStreamRecord } from '../lambdas/domain/evidence/stream-record.ts';
import { JsonDocument } from '../lambdas/domain/json/document.ts';
import { readDatasets } from '../lambdas/domain/openlineage/datasets.ts';
import { readEvent } from '../lambdas/domain/openlineage/event.ts';
import { readRunFacts } from '../lambdas/domain/openlineage/run-facts.ts';
import { environments } from '../lib/config/environments.ts';
import { floorOfBatch, prepareBatch, toRecord } from './archive-input.ts';
import type { Benchmark } from './benchmark.ts';
import { recordedEvents } from './events.ts';
import { redactEvent } from './redact-event.ts';
import { compare } from './rounds.ts';

const EVENTS = 100;
const { traceContextFacets } = environments.local.join;

/** Where the time of `archive` goes: its steps one by one, for a batch of 100. */
export const steps: Benchmark = {
  summary: 'the steps of archive one by one, against the same floor',

  async run() {
    const bodies = recordedEvents(EVENTS).map((text) => Buffer.from(text));
    const records = bodies.map(toRecord);
    const documents = bodies.map((body) => new JsonDocument(body.toString()));
    const envelopes = prepareBatch(records);
    const tasks: Record<string, () => unknown> = {
      'decode stream record': () => records.map(({ data }) => decodeStreamRecord(data)),
      'decode text and scan': () => bodies.map((body) => new JsonDocument(body.toString())),
      'read identities': () => documents.map((document) => readEvent(document)),
      redact: () => documents.map(redactEvent),
      'print, hash, gzip': () => [...packObjects('lineage', envelopes)],
      'read for index rows': () => envelopes.map(readForIndex),
    };
    const rows = [];
    for (const [step, task] of Object.entries(tasks)) {
      const { taskMillis, ratio } = await compare(task, () => floorOfBatch(bodies));
      rows.push({ step, microsPerEvent: (taskMillis.median * 1_000) / EVENTS, ratio });
    }
    return {
      rows,
      notes: ['ratio: to the floor of archive, a batch of 100; index rows are no part of archive'],
    };
  },
};

/** What storing an event reads of the redacted document, without the writes. */
function readForIndex({ document: text }: Envelope) {
  const document = new JsonDocument(text);
  return [readEvent(document), readRunFacts(document, traceContextFacets), readDatasets(document)];
}
