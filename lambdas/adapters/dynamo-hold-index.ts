import type { Hold, HoldCover } from '../domain/holds/hold.ts';
import type { HoldIndex } from '../domain/holds/ports.ts';
import { storeKey } from '../domain/store-key.ts';
import type { DynamoTable, Item } from './dynamo-table.ts';

/** All holds are one partition: they are listed as a whole, and whether there is any is one look. */
const HOLDS = storeKey('holds');

const ofRun = (runKey: string) => storeKey('run-holds', runKey);
const ofSubject = (subject: string) => storeKey('hold-covers', subject);

/** Legal holds in the table of the run index. Rows have no end: a hold has none, and a released one is history. */
export class DynamoHoldIndex implements HoldIndex {
  readonly #table: DynamoTable;

  constructor(table: DynamoTable) {
    this.#table = table;
  }

  async put(hold: Hold): Promise<void> {
    const item = { entry: hold, number: hold.number };
    await this.#table.putNewer({ pk: ofRun(hold.runKey), sk: hold.id }, item, 'number');
    await this.#table.putNewer({ pk: HOLDS, sk: hold.id }, item, 'number');
  }

  async ofRun(runKey: string): Promise<Hold[]> {
    return (await this.#table.collection(ofRun(runKey))).map(entryOf<Hold>);
  }

  async list(limit: number, after?: string) {
    const { items, ...rest } = await this.#table.page(HOLDS, limit, after);
    return { holds: items.map(entryOf<Hold>), ...rest };
  }

  hasAny(): Promise<boolean> {
    return this.#table.holds(HOLDS);
  }

  async putCover(subject: string, cover: HoldCover): Promise<void> {
    const item = { entry: cover, number: cover.number };
    await this.#table.putNewer({ pk: ofSubject(subject), sk: cover.holdId }, item, 'number');
  }

  async covers(subject: string): Promise<HoldCover[]> {
    return (await this.#table.collection(ofSubject(subject))).map(entryOf<HoldCover>);
  }
}

function entryOf<T>(item: Item): T {
  return item.entry as T;
}
