import type { RejectionLedger } from '../domain/audit/ports.ts';
import {
  COUNTER_DAYS,
  MAX_SAMPLES,
  type Rejection,
  type RejectionCount,
  type RejectionSample,
} from '../domain/audit/rejections.ts';
import { shardOf } from '../domain/evidence/hour-shard.ts';
import type { RateLeases, TokenLease } from '../domain/producers/ports.ts';
import { storeKey } from '../domain/store-key.ts';
import type { DynamoTable, ItemKey } from './dynamo-table.ts';
import { TableAttribute } from './table-layout.ts';

/** A window is over in seconds; the rest is for whoever looks into a limit that just refused. */
const WINDOW_KEPT_SECONDS = 3_600;
const COUNTER_KEPT_SECONDS = COUNTER_DAYS * 86_400;

/**
 * Partitions that the counters of an hour are spread over by producer. One takes 1,000 updates a second, so a
 * producer that floods slows the counts of one in sixteen others and not of all.
 */
const REJECTION_SHARDS = 16;

/** Counters known to have samples enough, so that a count is one write; forgotten all at once. */
const MAX_KNOWN_FULL = 1_000;

/** Rate windows and refusal counters in the usage table. Items end by themselves and are updated in place. */
export class DynamoUsage implements RateLeases, RejectionLedger {
  readonly #table: DynamoTable;
  readonly #full = new Set<string>();

  constructor(table: DynamoTable) {
    this.#table = table;
  }

  lease({ producerId, windowStartMillis, tokens, capacity }: TokenLease): Promise<boolean> {
    return this.#table.update(
      {
        pk: storeKey('rate-window', producerId),
        sk: storeKey('rate-window', String(windowStartMillis)),
      },
      {
        set: '#leased = if_not_exists(#leased, :zero) + :tokens, #expiry = :expiry',
        condition: 'attribute_not_exists(#leased) OR #leased <= :room',
        names: { '#leased': 'leased', '#expiry': TableAttribute.expiry },
        values: {
          ':zero': 0,
          ':tokens': tokens,
          ':room': capacity - tokens,
          ':expiry': Math.floor(windowStartMillis / 1_000) + WINDOW_KEPT_SECONDS,
        },
      },
    );
  }

  async count(rejection: Rejection): Promise<void> {
    // At once, since an answer waits; in two items, so that a count rewrites a few bytes and no samples.
    await Promise.all([this.#add(rejection), this.#keepSample(rejection)]);
  }

  async ofHour(hour: string): Promise<RejectionCount[]> {
    const shards = Array.from({ length: REJECTION_SHARDS }, (_, n) => hourPartition(hour, n));
    const items = (await Promise.all(shards.map((pk) => this.#table.collection(pk)))).flat();
    const samples = new Map(items.map((item) => [item[TableAttribute.sort], item.samples]));
    return items
      .filter(({ refused }) => refused !== undefined)
      .map((item) => {
        const [producerId, rule] = [item.producerId as string, item.rule as string];
        const { sk } = samplesKey({ hour, producerId, rule });
        const kept = (samples.get(sk) ?? []) as RejectionSample[];
        return {
          ...{ producerId, rule, refused: item.refused as number },
          samples: kept.map(({ at, requestId, route, path, bytesBucket }) => ({
            ...{ at, requestId, route, path, bytesBucket },
          })),
        };
      });
  }

  async #add(rejection: Rejection): Promise<void> {
    const { producerId, rule, refused } = rejection;
    await this.#table.update(counterKey(rejection), {
      set: '#refused = if_not_exists(#refused, :zero) + :refused, #producer = :producer, #rule = :rule, #expiry = :expiry',
      names: {
        '#refused': 'refused',
        '#producer': 'producerId',
        '#rule': 'rule',
        '#expiry': TableAttribute.expiry,
      },
      values: {
        ':zero': 0,
        ':refused': refused,
        ':producer': producerId,
        ':rule': rule,
        ':expiry': expiryOf(rejection),
      },
    });
  }

  async #keepSample(rejection: Rejection): Promise<void> {
    const key = samplesKey(rejection);
    if (this.#full.has(key.sk)) return;
    const kept = await this.#table.update(key, {
      set: '#samples = list_append(if_not_exists(#samples, :none), :sample), #expiry = :expiry',
      condition: 'attribute_not_exists(#samples) OR size(#samples) < :most',
      names: { '#samples': 'samples', '#expiry': TableAttribute.expiry },
      values: {
        ':none': [],
        ':sample': [rejection.sample],
        ':most': MAX_SAMPLES,
        ':expiry': expiryOf(rejection),
      },
    });
    if (kept) return;
    if (this.#full.size >= MAX_KNOWN_FULL) this.#full.clear();
    this.#full.add(key.sk);
  }
}

/** What is counted together. */
type Counted = Pick<Rejection, 'hour' | 'producerId' | 'rule'>;

function hourPartition(hour: string, shard: number): string {
  return storeKey('rejections', hour, String(shard));
}

function partitionOf({ hour, producerId }: Counted): string {
  return hourPartition(hour, shardOf(producerId, REJECTION_SHARDS));
}

function counterKey(counted: Counted): ItemKey {
  const { hour, producerId, rule } = counted;
  return { pk: partitionOf(counted), sk: storeKey('rejections', hour, producerId, rule) };
}

function samplesKey(counted: Counted): ItemKey {
  const { hour, producerId, rule } = counted;
  return { pk: partitionOf(counted), sk: storeKey('rejection-samples', hour, producerId, rule) };
}

function expiryOf({ hour }: Counted): number {
  return Date.parse(`${hour}:00:00Z`) / 1_000 + COUNTER_KEPT_SECONDS;
}
