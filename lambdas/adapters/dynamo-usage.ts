import {
  COUNTER_DAYS,
  MAX_SAMPLES,
  type Rejection,
  type RejectionCount,
  type RejectionSample,
} from '../domain/audit/rejections.ts';
import { storeKey } from '../domain/evidence/store-key.ts';
import type { RateLeases, RejectionLedger, TokenLease } from '../domain/ports.ts';
import type { DynamoTable, ItemKey } from './dynamo-table.ts';
import { TableAttribute } from './table-layout.ts';

/** A window is over in seconds; the rest is for whoever looks into a limit that just refused. */
const WINDOW_KEPT_SECONDS = 3_600;
const COUNTER_KEPT_SECONDS = COUNTER_DAYS * 86_400;

/** Counters whose samples are known to be full, so that they cost one write; forgotten all at once. */
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
    const key = counterKey(rejection);
    if (!this.#full.has(key.sk)) {
      if (await this.#add(key, rejection, true)) return;
      if (this.#full.size >= MAX_KNOWN_FULL) this.#full.clear();
      this.#full.add(key.sk);
    }
    await this.#add(key, rejection, false);
  }

  async ofHour(hour: string): Promise<RejectionCount[]> {
    const items = await this.#table.collection(hourPartition(hour));
    return items.map(({ producerId, rule, refused, samples }) => ({
      producerId: producerId as string,
      rule: rule as string,
      refused: refused as number,
      samples: (samples as RejectionSample[]).map(
        ({ at, requestId, route, path, bytesBucket }) => ({
          ...{ at, requestId, route, path, bytesBucket },
        }),
      ),
    }));
  }

  /** False when a sample was to be kept and there are enough. */
  #add(
    key: ItemKey,
    { hour, producerId, rule, refused, sample }: Rejection,
    sampled: boolean,
  ): Promise<boolean> {
    const expiry = Date.parse(`${hour}:00:00Z`) / 1_000 + COUNTER_KEPT_SECONDS;
    const set =
      '#refused = if_not_exists(#refused, :zero) + :refused, #producer = :producer, #rule = :rule, #expiry = :expiry';
    const names = {
      '#refused': 'refused',
      '#producer': 'producerId',
      '#rule': 'rule',
      '#expiry': TableAttribute.expiry,
    };
    const values = {
      ':zero': 0,
      ':refused': refused,
      ':producer': producerId,
      ':rule': rule,
      ':expiry': expiry,
    };
    if (!sampled) return this.#table.update(key, { set, names, values });
    return this.#table.update(key, {
      set: `${set}, #samples = list_append(if_not_exists(#samples, :none), :sample)`,
      condition: 'attribute_not_exists(#samples) OR size(#samples) < :most',
      names: { ...names, '#samples': 'samples' },
      values: { ...values, ':none': [], ':sample': [sample], ':most': MAX_SAMPLES },
    });
  }
}

function hourPartition(hour: string): string {
  return storeKey('rejections', hour);
}

function counterKey({ hour, producerId, rule }: Rejection): ItemKey {
  return { pk: hourPartition(hour), sk: storeKey('rejections', hour, producerId, rule) };
}
