import { storeKey } from '../domain/evidence/store-key.ts';
import type { Clock, ProducerRegistry } from '../domain/ports.ts';
import type { Registration } from '../domain/producers/registration.ts';
import type { DynamoTable, ItemKey } from './dynamo-table.ts';

type Known = { readonly keyHash: string; readonly registration: Registration };

/** A disabled key stops working within this time; an unknown id is not looked up again for as long. */
const CACHE_MILLIS = 60_000;
/** Ids come from strangers, so the cache is bounded; the oldest goes first. */
const MAX_CACHED_IDS = 1_000;

/** Bearer keys in the producers table: one item per key, with a copy of the registration it belongs to. */
export class DynamoProducerRegistry implements ProducerRegistry {
  readonly #table: DynamoTable;
  readonly #clock: Clock;
  readonly #cache = new Map<string, { known: Known | undefined; until: number }>();

  constructor(table: DynamoTable, clock: Clock) {
    this.#table = table;
    this.#clock = clock;
  }

  async findByKeyId(keyId: string): Promise<Known | undefined> {
    const now = this.#clock();
    const cached = this.#cache.get(keyId);
    if (cached && cached.until > now) return cached.known;
    const item = await this.#table.get(bearerKeyItem(keyId), false);
    const known = item && {
      keyHash: item.keyHash as string,
      registration: item.registration as Registration,
    };
    if (this.#cache.size >= MAX_CACHED_IDS) {
      this.#cache.delete(this.#cache.keys().next().value as string);
    }
    this.#cache.delete(keyId);
    this.#cache.set(keyId, { known, until: now + CACHE_MILLIS });
    return known;
  }

  /** Files a key under its id. The registration must already stand in the vault. */
  async putKey(keyId: string, keyHash: string, registration: Registration): Promise<void> {
    await this.#table.putOnce(bearerKeyItem(keyId), { keyHash, registration });
  }
}

function bearerKeyItem(keyId: string): ItemKey {
  return { pk: storeKey('bearer-key', keyId), sk: storeKey('bearer-key') };
}
