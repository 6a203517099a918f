import { randomBytes } from 'node:crypto';
import { UnavailableError } from '../domain/errors.ts';
import { storeKey } from '../domain/store-key.ts';
import type { ErasableSubjects, SubjectKeys, Tombstone } from '../domain/subjects/ports.ts';
import type { DynamoTable, ItemKey } from './dynamo-table.ts';

/** As long as the hash that it keys. */
const SECRET_BYTES = 32;

/** What an item is: the attribute that every write goes by. */
const STANDING = 'standing';

/**
 * Subject keys in a table without backups, encrypted by the table's own key. An item says nothing of when or how
 * often a person was named.
 */
export class DynamoSubjectKeys implements SubjectKeys, ErasableSubjects {
  readonly #table: DynamoTable;

  constructor(table: DynamoTable) {
    this.#table = table;
  }

  async secretOf(lookup: string): Promise<Uint8Array | undefined> {
    let subject = await this.find(lookup);
    if (subject === undefined) {
      const secret = randomBytes(SECRET_BYTES).toString('base64');
      await this.#table.putOnce(itemKey(lookup), { [STANDING]: 'held', secret });
      // Another may have been first.
      subject = await this.find(lookup);
    }
    if (subject === undefined) throw new UnavailableError('dynamodb');
    return 'secret' in subject ? subject.secret : undefined;
  }

  async find(lookup: string): Promise<{ readonly secret: Uint8Array } | Tombstone | undefined> {
    const item = await this.#table.get(itemKey(lookup), true);
    if (item === undefined) return undefined;
    if (item[STANDING] === 'held') return { secret: Buffer.from(item.secret as string, 'base64') };
    return {
      erasureId: item.erasureId as string,
      erasedAt: item.erasedAt as string,
      reference: item.reference as string,
      hadKey: item.hadKey as boolean,
    };
  }

  async erase(lookup: string, erasure: Omit<Tombstone, 'hadKey'>): Promise<Tombstone> {
    const key = itemKey(lookup);
    const tombstone = { [STANDING]: 'erased', ...erasure };
    // In this order no key can be made in between.
    await this.#table.putOnce(key, { ...tombstone, hadKey: false });
    await this.#table.replaceWhere(key, { ...tombstone, hadKey: true }, STANDING, 'held');
    const stands = await this.find(lookup);
    if (stands === undefined || 'secret' in stands) throw new UnavailableError('dynamodb');
    return stands;
  }
}

function itemKey(lookup: string): ItemKey {
  return { pk: storeKey('subject', lookup), sk: storeKey('key') };
}
