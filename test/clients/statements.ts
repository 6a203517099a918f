/** A dataset as the tool server names it, with the facets that it sends for it. */
interface PlannedDataset {
  readonly namespace: string;
  readonly name: string;
  readonly fields?: readonly { name: string; type: string }[];
  readonly columnLineage?: Readonly<Record<string, readonly SourceField[]>>;
}

interface SourceField {
  readonly namespace: string;
  readonly name: string;
  readonly field: string;
  readonly type: 'DIRECT' | 'INDIRECT';
  readonly subtype: string;
}

export interface PlannedError {
  readonly type: string;
  readonly message: string;
  readonly stackTrace: string;
}

/** One statement that a governed tool server runs for an agent: everything but ids and times. */
export interface Statement {
  readonly name: string;
  readonly jobName: string;
  readonly outcome: 'COMPLETE' | 'FAIL' | 'KILLED';
  readonly actor: 'supplied' | 'absent';
  readonly gzip: boolean;
  readonly sql: string;
  readonly inputs: readonly PlannedDataset[];
  readonly outputs: readonly PlannedDataset[];
  readonly error?: PlannedError;
}

const namespace = 'postgres://warehouse.internal:5432';
const orders = { namespace, name: 'sales.public.orders' };
const customers = { namespace, name: 'sales.public.customers' };
const revenue = { namespace, name: 'sales.mart.revenue_by_region' };

const execute = { jobName: 'mcp.execute_sql', gzip: false, actor: 'absent' } as const;

/** Values that must never be seen outside the two raw zones; each occurs in the statements below. */
export const literals = [
  'anna.keller@example.com',
  'zo\u00eb.m\u00fcller@example.org',
  'CH9300762011623852957',
  'Kr\u00fcger & S\u00f6hne',
  '48211907',
] as const;

export const statements = {
  complete: {
    ...execute,
    name: 'complete',
    outcome: 'COMPLETE',
    sql:
      'SELECT o.order_id, o.amount, c.email\n  FROM sales.public.orders o\n' +
      '  JOIN sales.public.customers c ON c.customer_id = o.customer_id\n' +
      " WHERE c.email = 'anna.keller@example.com' -- asked for by Kr\u00fcger & S\u00f6hne\n" +
      '   AND o.amount > 48211907\n ORDER BY o.created_at DESC\n LIMIT 50',
    inputs: [orders, customers],
    outputs: [],
  },
  failed: {
    ...execute,
    name: 'failed',
    outcome: 'FAIL',
    sql:
      'INSERT INTO sales.public.customers (email, full_name, iban)\n' +
      "VALUES ('zo\u00eb.m\u00fcller@example.org', 'Kr\u00fcger & S\u00f6hne', E'CH9300762011623852957')",
    inputs: [],
    outputs: [customers],
    error: {
      type: 'psycopg.errors.UniqueViolation',
      message:
        'duplicate key value violates unique constraint "customers_email_key"\n' +
        'DETAIL:  Key (email)=(zo\u00eb.m\u00fcller@example.org) already exists.',
      stackTrace:
        'Traceback (most recent call last):\n' +
        '  File "postgres_mcp/sql/sql_driver.py", line 214, in _execute_with_connection\n' +
        '    await cursor.execute(query, params)\n' +
        'psycopg.errors.UniqueViolation: duplicate key value violates unique constraint ' +
        '"customers_email_key"\nDETAIL:  Key (email)=(zo\u00eb.m\u00fcller@example.org) already exists.',
    },
  },
  columnLineage: {
    ...execute,
    name: 'column-lineage',
    jobName: 'mcp.refresh_table',
    outcome: 'COMPLETE',
    gzip: true,
    sql:
      'INSERT INTO sales.mart.revenue_by_region (region, revenue)\n' +
      'SELECT c.region, sum(o.amount) AS revenue\n  FROM sales.public.orders o\n' +
      '  JOIN sales.public.customers c USING (customer_id)\n' +
      " WHERE o.created_at >= DATE '2026-10-01' AND c.iban <> 'CH9300762011623852957'\n" +
      ' GROUP BY c.region\n LIMIT 1000',
    inputs: [
      {
        ...orders,
        fields: [
          { name: 'customer_id', type: 'BIGINT' },
          { name: 'amount', type: 'NUMERIC(12,2)' },
          { name: 'created_at', type: 'TIMESTAMPTZ' },
        ],
      },
      {
        ...customers,
        fields: [
          { name: 'customer_id', type: 'BIGINT' },
          { name: 'region', type: 'TEXT' },
        ],
      },
    ],
    outputs: [
      {
        ...revenue,
        fields: [
          { name: 'region', type: 'TEXT' },
          { name: 'revenue', type: 'NUMERIC' },
        ],
        columnLineage: {
          region: [{ ...customers, field: 'region', type: 'DIRECT', subtype: 'IDENTITY' }],
          revenue: [
            { ...orders, field: 'amount', type: 'DIRECT', subtype: 'AGGREGATION' },
            { ...orders, field: 'created_at', type: 'INDIRECT', subtype: 'FILTER' },
          ],
        },
      },
    ],
  },
  child: {
    ...execute,
    name: 'child',
    outcome: 'COMPLETE',
    actor: 'supplied',
    sql: "SELECT region, revenue FROM sales.mart.revenue_by_region WHERE region <> 'Kr\u00fcger & S\u00f6hne' LIMIT 25",
    inputs: [revenue],
    outputs: [],
  },
  killed: {
    ...execute,
    name: 'killed',
    outcome: 'KILLED',
    sql: "SELECT count(*) FROM sales.public.orders a, sales.public.orders b WHERE a.note = 'anna.keller@example.com'",
    inputs: [orders],
    outputs: [],
  },
} as const satisfies Record<string, Statement>;
