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

/** What becomes of an event whose job lies outside the registered namespaces. */
export const OUTSIDE = ['deviation', 'refuse'] as const;

/** Job namespaces that a producer may speak about. */
export interface JobNamespaces {
  /** Exact namespaces, or a prefix with a trailing `*`. */
  readonly allowed: readonly string[];
  readonly outside: (typeof OUTSIDE)[number];
}

/** Evidential basis of a client that declares none: how its records come about, by its registration's word. */
export interface RegisteredBasis {
  readonly derivation: string;
  readonly completeness: string;
}

/** A registered producer or reader. Keys are kept apart: this is what the vault records. */
export interface Registration {
  readonly producerId: string;
  /** Producers of one group may speak about the same runs; by default each is alone in its own. */
  readonly group: string;
  readonly scopes: readonly Scope[];
  /** Decides how long what this producer sends is locked; never taken from an event. */
  readonly retentionClass: string;
  readonly disabled: boolean;
  /** @default - every namespace */
  readonly jobNamespaces?: JobNamespaces;
  /**
   * Whole number from 1: events, batch items and trace exports that it may send in a second.
   * @default - no limit of its own
   */
  readonly eventsPerSecond?: number;
  /** How often this producer is expected to send something. @default - nothing is expected */
  readonly expectedActivity?: { readonly everyMinutes: number };
  readonly basis?: RegisteredBasis;
  /** IAM role that this producer calls with where the front door asks for SigV4. */
  readonly roleArn?: string;
}

export function hasScope(registration: Registration, scope: Scope): boolean {
  return registration.scopes.includes(scope);
}
