/** What a key may be used for (contract.md, HTTP). */
export const SCOPES = [
  'ingest:lineage',
  'ingest:traces',
  'read',
  'audit',
  'hold',
  'admin',
] as const;
export type Scope = (typeof SCOPES)[number];

/** A registered producer or reader. Key hashes are kept apart: this is what the vault records. */
export interface Registration {
  readonly producerId: string;
  /** Producers of one group may speak about the same runs; by default each is alone in its own. */
  readonly group: string;
  readonly scopes: readonly Scope[];
  /** Decides how long what this producer sends is locked; never taken from an event. */
  readonly retentionClass: string;
  readonly disabled: boolean;
  /**
   * Whole number from 1: events, batch items and trace exports that it may send in a second.
   * @default - no limit of its own
   */
  readonly eventsPerSecond?: number;
}

export function hasScope(registration: Registration, scope: Scope): boolean {
  return registration.scopes.includes(scope);
}
