import type { Clock } from '../domain/evidence/ports.ts';
import { isValidAt } from '../domain/producers/issued-key.ts';
import type { ProducerRegistry } from '../domain/producers/ports.ts';
import type { Registration } from '../domain/producers/registration.ts';
import type { RoleIdentity } from '../domain/producers/role-arn.ts';
import type { DynamoTable, Item, ItemKey } from './dynamo-table.ts';
import { bearerKeyItem, roleItem } from './producer-items.ts';

/** Ids come from strangers, so each cache is bounded; the oldest goes first. */
const MAX_CACHED_ITEMS = 1_000;
const SECOND_MILLIS = 1_000;

type Cache = Map<string, { readonly item: Item | undefined; readonly until: number }>;

/**
 * Keys and roles of the producers table, each one read for as long as it is cached. What was changed is
 * seen after that time at the latest, and the end of a key's validity at once.
 */
export class DynamoProducerRegistry implements ProducerRegistry {
  readonly #table: DynamoTable;
  readonly #clock: Clock;
  readonly #cacheMillis: number;
  readonly #known: Cache = new Map();
  /** A cache of its own, so that made-up ids push no known one out. */
  readonly #unknown: Cache = new Map();

  constructor(table: DynamoTable, clock: Clock, cacheSeconds: number) {
    this.#table = table;
    this.#clock = clock;
    this.#cacheMillis = cacheSeconds * SECOND_MILLIS;
  }

  async findByKeyId(keyId: string) {
    const { keyHash, registration, validUntil } = (await this.#look(bearerKeyItem(keyId))) ?? {};
    if (typeof keyHash !== 'string' || !registration) return undefined;
    const validity = validUntil === undefined ? {} : { validUntil: validUntil as string };
    return isValidAt(validity, this.#clock())
      ? { keyHash, registration: registration as Registration }
      : undefined;
  }

  async findByRole(role: RoleIdentity): Promise<Registration | undefined> {
    return (await this.#look(roleItem(role)))?.registration as Registration | undefined;
  }

  async #look(key: ItemKey): Promise<Item | undefined> {
    const now = this.#clock();
    const cached = this.#known.get(key.pk) ?? this.#unknown.get(key.pk);
    if (cached && cached.until > now) return cached.item;
    // Consistent: a key that was shown a moment ago must not be remembered as unknown.
    const item = await this.#table.get(key, true);
    const [into, other] = item ? [this.#known, this.#unknown] : [this.#unknown, this.#known];
    other.delete(key.pk);
    into.delete(key.pk);
    if (into.size >= MAX_CACHED_ITEMS) into.delete(into.keys().next().value as string);
    into.set(key.pk, { item, until: now + this.#cacheMillis });
    return item;
  }
}
