import type { Envelope } from '../evidence/envelope.ts';
import type { SqlFacts } from '../redaction/sql/facts.ts';
import type { RowBound } from '../redaction/sql/row-bounds.ts';

/** A bound on the rows that a statement of an event could touch, taken before its values went. */
export interface RowLimit {
  readonly by: 'limit' | 'fetch' | 'top' | 'tablesample';
  readonly bound: RowBound['kind'];
  /** Only of a constant. */
  readonly rows?: number;
  /** The number is a share of the rows. */
  readonly percent?: true;
  /** How a sample is drawn. */
  readonly method?: string;
  /** Where in the stored document the statement stands. */
  readonly path: string;
}

/** Real events hold one statement; an index row has room for a few. The envelope has them all. */
const MAX_LIMITS = 20;
const MAX_PATH_CHARACTERS = 512;

const BOUNDS = ['limit', 'fetch', 'top', 'tablesample'] as const;

/** The row limits in the statements of an event: the first ones. */
export function rowLimitsOf({ facts }: Envelope): RowLimit[] {
  return (facts.statements ?? [])
    .filter(({ path }) => path.length <= MAX_PATH_CHARACTERS)
    .flatMap((statement) => BOUNDS.flatMap((by) => limitOf(statement, by)))
    .slice(0, MAX_LIMITS);
}

/** Statements that were not read in full: their row limits are not known. */
export function unreadStatementsOf({ redaction }: Envelope): number {
  return redaction.fields.filter(({ rule, mode }) => rule === 'sql' && mode !== 'full').length;
}

function limitOf(
  statement: SqlFacts & { readonly path: string },
  by: (typeof BOUNDS)[number],
): RowLimit[] {
  const bound = statement[by];
  if (bound === undefined) return [];
  const isShare = statement.percent === true && by !== 'limit';
  return [
    {
      by,
      bound: bound.kind,
      ...('rows' in bound && { rows: bound.rows }),
      ...(isShare && { percent: true as const }),
      ...('method' in bound && { method: bound.method }),
      path: statement.path,
    },
  ];
}
