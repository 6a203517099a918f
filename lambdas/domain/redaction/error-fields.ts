/** What is known of an error without any value. */
export interface ErrorFields {
  /** `db.system.name` of who said it. */
  readonly system?: string;
  readonly sqlstate?: string;
  /** The code of the system itself: `ORA-00001`, `1062`, `DIVIDE_BY_ZERO`. */
  readonly code?: string;
  /** The first exception class. */
  readonly class?: string;
  readonly constraint?: string;
  readonly table?: string;
  readonly column?: string;
  readonly type?: string;
}

/** A piece of a line that is kept, and the name in it when that stands behind a value. */
export interface Piece {
  readonly text: string;
  readonly field?: keyof ErrorFields;
  readonly isBehindValue?: boolean;
}

/** What was read from an offset of an error text on. */
export interface Reading {
  /** Offset behind it. */
  readonly end: number;
  readonly pieces: readonly Piece[];
  readonly fields?: ErrorFields;
}
