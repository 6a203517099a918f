import { groupBy, uniqueBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { errorCode } from '../errors.ts';
import type { DatedEnvelope } from '../evidence/archive-records.ts';
import type { Envelope } from '../evidence/envelope.ts';
import type { RunIndex } from '../evidence/run-index.ts';
import { versionName } from '../evidence/version-name.ts';
import { JsonDocument } from '../json/document.ts';
import { readRunFacts } from '../openlineage/run-facts.ts';
import { runKeysOf } from '../openlineage/run-key.ts';
import { coverArrival } from './cover.ts';
import { governedVersions, traceSubject } from './evidence-of.ts';
import { concerns, coverOf, type Hold, isActive } from './hold.ts';
import type { HoldIndex, LegalHolds } from './ports.ts';

export interface ArrivalDependencies {
  readonly holds: HoldIndex;
  readonly legalHolds: LegalHolds;
  readonly index: RunIndex;
}

type Store = (dated: readonly DatedEnvelope[]) => Promise<ReadonlyMap<string, string>>;

/** Runs and receipts looked up at once: DynamoDB answers in milliseconds, the socket pool holds 50. */
const CONCURRENT_LOOKUPS = 16;

/**
 * Stores lineage envelopes, then holds those whose run is held, and the traces that they name. A hold is written
 * first and then reads what is stored; what is stored is written first and then reads the holds: whoever comes
 * second sees the other. While there has never been a hold, that is one look a batch.
 * @param store answers what failed, by sequence number; what could not be held joins it and comes again
 */
export function holdingEvents(
  store: Store,
  traceContextFacets: readonly string[],
  dependencies: ArrivalDependencies,
): Store {
  return holding(store, dependencies, async (envelopes, failing) => {
    const ofRuns = envelopes.flatMap((envelope) =>
      runKeysOf(envelope).map((runKey) => ({ envelope, runKey })),
    );
    const byRun = groupBy(ofRuns, ({ runKey }) => runKey);
    await mapConcurrently([...byRun], CONCURRENT_LOOKUPS, ([runKey, found]) => {
      const events = found.map(({ envelope }) => envelope);
      return failing(events, async () => {
        const active = (await dependencies.holds.ofRun(runKey)).filter(isActive);
        for (const hold of active) {
          const own = events.filter(({ submitter }) => concerns(hold, submitter.group));
          await holdEvents(own, hold, dependencies);
          const named = own.flatMap((envelope) => tracesNamed(envelope, traceContextFacets));
          for (const traceId of new Set(named)) await holdTrace(traceId, hold, dependencies);
        }
      });
    });
  });
}

/**
 * The same for trace envelopes: each delivery in the vault gets the holds of its trace, and a trace gets those of the
 * runs that its spans name.
 */
export function holdingTraces(store: Store, dependencies: ArrivalDependencies): Store {
  return holding(store, dependencies, async (envelopes, failing) => {
    const byReceipt = groupBy(envelopes, ({ receiptId }) => receiptId);
    await mapConcurrently([...byReceipt], CONCURRENT_LOOKUPS, ([receiptId, lines]) =>
      failing(lines, () => holdDelivery(receiptId, dependencies)),
    );
  });
}

type Failing = (envelopes: readonly Envelope[], work: () => Promise<void>) => Promise<void>;

function holding(
  store: Store,
  { holds }: ArrivalDependencies,
  hold: (envelopes: readonly Envelope[], failing: Failing) => Promise<void>,
): Store {
  return async (dated) => {
    const failures = new Map(await store(dated));
    const stored = dated
      .map(({ envelope }) => envelope)
      .filter(({ stream }) => !failures.has(stream.sequenceNumber));
    const failing: Failing = async (envelopes, work) => {
      try {
        await work();
      } catch (error) {
        for (const { stream } of envelopes) failures.set(stream.sequenceNumber, errorCode(error));
      }
    };
    if (stored.length === 0) return failures;
    await failing(stored, async () => {
      if (await holds.hasAny()) await hold(stored, failing);
    });
    return failures;
  };
}

/** The first stored location is the one that counts: a replay that was cut into another object has its bytes there. */
async function holdEvents(
  envelopes: readonly Envelope[],
  hold: Hold,
  dependencies: ArrivalDependencies,
): Promise<void> {
  const deliveries = await mapConcurrently(envelopes, CONCURRENT_LOOKUPS, ({ receiptId }) =>
    dependencies.index.delivery(receiptId),
  );
  const locations = deliveries.flatMap((delivery) => delivery?.location ?? []);
  for (const location of uniqueBy(locations, versionName)) {
    await coverArrival(location, coverOf(hold), dependencies);
  }
}

function tracesNamed({ document }: Envelope, facets: readonly string[]): string[] {
  const { traceContexts } = readRunFacts(new JsonDocument(document), facets);
  return traceContexts.map(({ traceId }) => traceId);
}

async function holdDelivery(receiptId: string, dependencies: ArrivalDependencies): Promise<void> {
  const { holds, index } = dependencies;
  for (const { governed, location, traceId } of await index.deliveries(receiptId)) {
    if (!governed || traceId === undefined) continue;
    const links = await index.traceRuns(traceId);
    const named = links.filter((link) => link.receiptId === receiptId);
    const runKeys = [...new Set(named.map(({ runKey }) => runKey))];
    await mapConcurrently(runKeys, CONCURRENT_LOOKUPS, async (runKey) => {
      for (const hold of (await holds.ofRun(runKey)).filter(isActive)) {
        await holdTrace(traceId, hold, dependencies);
      }
    });
    const marks = await holds.covers(traceSubject(traceId));
    for (const mark of marks.filter(isActive)) await coverArrival(location, mark, dependencies);
  }
}

/**
 * Marks a trace, so that its later deliveries find the hold, and holds those that are there: once for each hold,
 * since every delivery after the mark holds itself.
 */
async function holdTrace(
  traceId: string,
  hold: Hold,
  dependencies: ArrivalDependencies,
): Promise<void> {
  const { holds, index } = dependencies;
  await holds.putCover(traceSubject(traceId), coverOf(hold));
  const swept = sweptSubject(traceId);
  if ((await holds.covers(swept)).some(({ holdId }) => holdId === hold.id)) return;
  for (const version of uniqueBy(await governedVersions(traceId, index), versionName)) {
    await coverArrival(version, coverOf(hold), dependencies);
  }
  await holds.putCover(swept, coverOf(hold));
}

/** Says, once it is over, that the deliveries of a trace that were there before its mark are held. */
function sweptSubject(traceId: string): string {
  return `${traceSubject(traceId)}/swept`;
}
