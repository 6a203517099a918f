import { groupBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { UnreadableRecordError } from '../errors.ts';
import type { Envelope } from '../evidence/envelope.ts';
import { readEnvelopes } from '../evidence/evidence-object.ts';
import type { TraceDeliveryEntry, TraceRunEntry } from '../evidence/index-entries.ts';
import type { ObjectReader } from '../evidence/ports.ts';
import type { RunIndex } from '../evidence/run-index.ts';
import { versionName } from '../evidence/version-name.ts';
import type { ProofReaders } from '../integrity/proof-digests.ts';
import { type Integrity, integrityOf } from '../integrity/proof-status.ts';
import type { HeldRuns } from './link-basis.ts';
import { printTraceView } from './trace-view.ts';

export interface ReadTraceDependencies extends ProofReaders {
  readonly index: RunIndex;
}

/** Reads in flight for one answer. */
const CONCURRENT_READS = 8;

/** Runs of one trace that are looked up for one answer; the links of further ones are judged by the trace alone. */
const MAX_RUNS_LOOKED_UP = 100;

/**
 * Reads what the store has of a trace and answers the text of `GET /api/v1/traces/{traceId}`.
 * Undefined when neither a span nor a run ever named the trace.
 * @param traceId as `traceIdOf` answers it
 * @throws UnavailableError when a store does not answer
 */
export async function readTrace(
  traceId: string,
  { index, reader, inspector }: ReadTraceDependencies,
): Promise<string | undefined> {
  const [deliveries, entries] = await Promise.all([
    index.traceDeliveries(traceId),
    index.traceRuns(traceId),
  ]);
  if (deliveries.length + entries.length === 0) return undefined;
  const governed = deliveries.filter((delivery) => delivery.governed);
  const [envelopes, { links, held }, sealed] = await Promise.all([
    envelopesOf(deliveries, reader),
    readRuns(entries, index),
    integrityOf(governed, new Map(), { inspector, reader }),
  ]);
  // What waits in staging is sealed when it is promoted.
  const isStaged = governed.length < deliveries.length;
  const integrity: Integrity = isStaged
    ? { ...sealed, status: 'pending', digestKey: null }
    : sealed;
  return printTraceView({
    ...{ traceId, deliveries, envelopes, links: [...entries, ...links], held, integrity },
  });
}

/** Each object is read once, however many lines of it are wanted. */
async function envelopesOf(
  deliveries: readonly TraceDeliveryEntry[],
  reader: ObjectReader,
): Promise<ReadonlyMap<string, Envelope>> {
  const envelopes = new Map<string, Envelope>();
  const byObject = groupBy(deliveries, ({ location }) => versionName(location));
  await mapConcurrently([...byObject.values()], CONCURRENT_READS, async (entries) => {
    try {
      const held = readEnvelopes(await reader.read((entries[0] as TraceDeliveryEntry).location));
      for (const { receiptId, location } of entries) {
        const envelope = held[location.line];
        if (envelope) envelopes.set(receiptId, envelope);
      }
    } catch (error) {
      if (!(error instanceof UnreadableRecordError)) throw error;
    }
  });
  return envelopes;
}

async function readRuns(
  entries: readonly TraceRunEntry[],
  index: RunIndex,
): Promise<{ links: TraceRunEntry[]; held: HeldRuns }> {
  const links: TraceRunEntry[] = [];
  const held = new Map<string, string[]>();
  const runKeys = [...new Set(entries.map(({ runKey }) => runKey))].slice(0, MAX_RUNS_LOOKED_UP);
  await mapConcurrently(runKeys, CONCURRENT_READS, async (runKey) => {
    const [events, elsewhere] = await Promise.all([
      index.runEvents(runKey),
      index.runTraces(runKey),
    ]);
    held.set(runKey, [...new Set(events.map(({ submitter }) => submitter.group))].sort());
    links.push(...elsewhere);
  });
  return { links, held };
}
