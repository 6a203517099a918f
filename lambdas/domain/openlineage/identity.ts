import { MAX_IDENTIFIER_BYTES } from './departures.ts';

export type EventKind = 'run' | 'job' | 'dataset';

/** A job or a dataset: its namespace and its name, exactly as sent. */
export interface Identity {
  readonly namespace: string;
  readonly name: string;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether an id or name fits an index row; longer ones stay in the stored document only. */
export function isIndexable(text: string): boolean {
  return Buffer.byteLength(text) <= MAX_IDENTIFIER_BYTES;
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
