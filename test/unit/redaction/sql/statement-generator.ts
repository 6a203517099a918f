/** A generator of the same numbers for the same seed (mulberry32). */
export class Dice {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A whole number from 0 up to, not including, `below`. */
  roll(below: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.roll(items.length)] as T;
  }
}

/** Letters that no keyword and no name of the templates has in such a row. */
const LETTERS = 'qxzjkvw';
const DIGITS = '3456789';
const CANARY_LENGTH = 16;
/** What a leak is: so many characters of a canary in a row. */
const PIECE = 4;

export interface Canary {
  readonly letters: string;
  readonly digits: string;
}

export function canary(dice: Dice): Canary {
  const of = (characters: string) =>
    Array.from({ length: CANARY_LENGTH }, () => dice.pick([...characters])).join('');
  return { letters: of(LETTERS), digits: of(DIGITS) };
}

/** All pieces of a canary. */
export function piecesOf({ letters, digits }: Canary): string[] {
  const pieces: string[] = [];
  for (let at = 0; at + PIECE <= CANARY_LENGTH; at++) {
    pieces.push(letters.slice(at, at + PIECE), digits.slice(at, at + PIECE));
  }
  return pieces;
}

/** Whether a text holds a piece of a canary. */
export function leaks(text: string, secret: Canary): boolean {
  return piecesOf(secret).some((piece) => text.includes(piece));
}

/** What people and attackers put between the letters of a value. */
const TROUBLE = [
  ...[
    "'",
    '"',
    '`',
    '\\',
    "\\'",
    '--',
    '/*',
    '*/',
    ';',
    '$$',
    ')',
    ']',
    '}',
    '{{',
    '}}',
    '{%',
    '#',
  ],
  ...[
    '\n',
    '\r',
    '\r\n',
    '\t',
    '\0',
    ' ',
    '://',
    '@',
    '//',
    '?',
    '😀',
    '＇',
    '‘',
    '\u00A0',
    '\u2028',
    'ﬁ',
  ],
  ...["' OR '", "'; DROP TABLE x; --", '" AND "', "q'[", "E'", '"""', "'''", '$t$', '[["'],
];

/** How a dialect writes a value that holds these characters; undefined when it cannot. */
type Flavour = (content: string, canary: Canary) => string | undefined;

const doubled =
  (quote: string, prefix = ''): Flavour =>
  (content) =>
    `${prefix}${quote}${content.replaceAll(quote, quote + quote)}${quote}`;
const escaped =
  (quote: string, prefix = ''): Flavour =>
  (content) =>
    `${prefix}${quote}${content.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`)}${quote}`;
const escapedAndDoubled =
  (quote: string, prefix = ''): Flavour =>
  (content) =>
    `${prefix}${quote}${content.replaceAll('\\', '\\\\').replaceAll(quote, quote + quote)}${quote}`;
const between =
  (open: string, close: string): Flavour =>
  (content) =>
    content.includes(close) || `${content}${close}`.indexOf(close) < content.length
      ? undefined
      : open + content + close;
const raw =
  (quote: string, prefix: string): Flavour =>
  (content) =>
    content.includes(quote) || content.endsWith('\\')
      ? undefined
      : prefix + quote + content + quote;
const triple =
  (quote: string, prefix = ''): Flavour =>
  (content) =>
    content.includes(quote) || content.includes('\\')
      ? undefined
      : `${prefix}${quote.repeat(3)}${content}${quote.repeat(3)}`;
const number: Flavour = (_content, { digits }) => digits;
const decimal: Flavour = (_content, { digits }) => `-${digits.slice(0, 8)}.${digits.slice(8)}e5`;
const hex: Flavour = (_content, { digits }) => `0x${digits}`;
const bits: Flavour = (_content, { digits }) => `X'${digits}'`;
const anywhere = [number, decimal, hex, bits];

export interface Family {
  readonly dialects: readonly string[];
  readonly values: readonly Flavour[];
  readonly comments: ReadonlyArray<(content: string) => string | undefined>;
  readonly names: readonly string[];
  /** Statements that only this dialect has. */
  readonly templates?: readonly string[];
}

const block = (content: string) =>
  /\*\/|\/\*|^[!+]|^M!/.test(content) ? undefined : `/* ${content} */`;
const line = (content: string) => (/[\n\r]/.test(content) ? undefined : `-- ${content}\n`);
const nested = (content: string) =>
  /\*\/|\/\*/.test(content) ? undefined : `/* a /* ${content} */ ${content} */`;
const hash = (content: string) => (/[\n\r]/.test(content) ? undefined : `# ${content}\n`);
const bang = (content: string) => (/[\n\r]/.test(content) ? undefined : `#! ${content}\n`);
const slashes = (content: string) => (/[\n\r]/.test(content) ? undefined : `// ${content}\n`);
const hint = (content: string) => (/\*\/|\/\*/.test(content) ? undefined : `/*+ ${content} */`);

export const FAMILIES: Readonly<Record<string, Family>> = {
  postgres: {
    dialects: ['postgres', 'duckdb', 'cockroachdb', 'materialize', 'postgresql'],
    values: [
      ...[doubled("'"), escaped("'", 'E'), escapedAndDoubled("'", 'e'), doubled("'", 'N')],
      ...[between('$$', '$$'), between('$tag$', '$tag$'), doubled("'", 'DATE '), ...anywhere],
      ...[doubled("'", 'U&'), doubled("'", "B'1' || ")],
    ],
    comments: [block, line, nested, hint],
    names: ['"Order Lines"', 'public.orders', '"a"."b"', 'total_2024'],
    templates: [
      'COPY N FROM STDIN;\nR\tR\nR\n\\.\nSELECT a FROM N WHERE b = L',
      'COPY N (a, b) FROM stdin WITH (FORMAT csv);\nR,R\n',
      'SELECT a FROM N WHERE b = $1  [["b", "R"]]',
      'CREATE FUNCTION f() RETURNS int AS $fn$ BEGIN PERFORM g(B); END $fn$ LANGUAGE plpgsql',
      "SELECT U&'B' UESCAPE '!', a FROM N",
      'CREATE SUBSCRIPTION s CONNECTION L PUBLICATION B',
    ],
  },
  redshift: {
    dialects: ['redshift', 'greenplum', 'postgresql'],
    values: [
      ...[escaped("'"), escapedAndDoubled("'"), doubled("'"), escaped("'", 'E')],
      ...[between('$$', '$$'), between('$t$', '$t$'), ...anywhere],
    ],
    comments: [block, line, nested],
    names: ['"Order Lines"', 'public.orders'],
    templates: ['COPY N FROM L CREDENTIALS L', "UNLOAD ('SELECT B') TO L IAM_ROLE L"],
  },
  mysql: {
    dialects: ['mysql', 'mariadb', 'tidb', 'starrocks', 'doris'],
    values: [
      ...[escaped("'"), escapedAndDoubled("'"), escaped('"'), escapedAndDoubled('"')],
      ...[escaped("'", '_utf8mb4'), escaped("'", 'N'), ...anywhere],
    ],
    comments: [block, line, hash, hint],
    names: ['`order lines`', 'shop.orders', '`a`.`b`'],
    templates: [
      'SELECT /*!40001 SQL_NO_CACHE */ a /*!50000 , L */ FROM N WHERE b = L',
      'SELECT /*M!100100 L, */ a FROM N',
      'SELECT b--1, L FROM N',
      'SET GLOBAL x = B; SET PASSWORD FOR u = L',
    ],
  },
  mysqlWithoutBackslashes: {
    dialects: ['mysql', 'mariadb'],
    values: [doubled("'"), doubled('"'), ...anywhere],
    comments: [block, line, hash],
    names: ['`order lines`', 'shop.orders'],
  },
  oracle: {
    dialects: ['oracle', 'oracle.db'],
    values: [
      ...[doubled("'"), doubled("'", 'N'), between("q'[", "]'"), between("nq'{", "}'")],
      ...[between("Q'!", "!'"), between("q'<", ">'"), doubled("'", 'DATE '), ...anywhere],
      between("q'(", ")'"),
    ],
    comments: [block, line, hint],
    names: ['"Order Lines"', 'hr.emp', 'v$session', 'emp@remote', 'emp#2'],
    templates: [
      'ALTER USER u IDENTIFIED BY "B" REPLACE "B"',
      'ALTER USER u IDENTIFIED BY B REPLACE B',
      'CREATE DATABASE LINK l CONNECT TO u IDENTIFIED BY B USING L',
    ],
  },
  tsql: {
    dialects: ['tsql', 'sqlserver', 'microsoft.sql_server'],
    values: [doubled("'"), doubled("'", 'N'), doubled('"'), ...anywhere],
    comments: [block, line, nested],
    names: ['[Order Lines]', '[a]]b]', 'dbo.orders', '#temp', '##all'],
    templates: [
      'EXEC p @a = L, @b = B',
      'CREATE LOGIN u WITH PASSWORD = L',
      'CREATE CREDENTIAL c WITH IDENTITY = B, SECRET = L',
    ],
  },
  snowflake: {
    dialects: ['snowflake'],
    values: [escaped("'"), escapedAndDoubled("'"), between('$$', '$$'), ...anywhere],
    comments: [block, line, slashes],
    names: ['"Order Lines"', 'db.public.orders'],
    templates: [
      'COPY INTO N FROM @stage/B/B.csv FILE_FORMAT = (TYPE = B)',
      'PUT file:///B @~/B',
      'LIST @%t/B',
      'CREATE STAGE s URL = L CREDENTIALS = (AWS_KEY_ID = B)',
    ],
  },
  bigquery: {
    dialects: ['bigquery', 'gcp.bigquery'],
    values: [
      ...[
        escaped("'"),
        escaped('"'),
        escaped("'", 'b'),
        triple("'"),
        triple('"'),
        triple('"', 'rb'),
      ],
      ...[raw("'", 'r'), raw('"', 'R'), raw("'", 'br'), triple("'", 'r'), ...anywhere],
    ],
    comments: [block, line, hash],
    names: ['`project-x.data.orders`', 'data.orders'],
  },
  spark: {
    dialects: ['spark', 'databricks', 'sparksql'],
    values: [
      ...[escaped("'"), escaped('"'), raw("'", 'r'), raw('"', 'R'), escaped("'", 'DATE ')],
      ...[between('$$', '$$'), ...anywhere],
    ],
    comments: [block, line, nested, hint],
    names: ['`order lines`', 'cat.db.orders'],
    templates: [
      'SELECT a FROM parquet.`/B/B.parquet` WHERE b = L',
      'SET spark.hadoop.fs.s3a.secret.key=B',
    ],
  },
  hive: {
    dialects: ['hive', 'impala'],
    values: [escaped("'"), escaped('"'), ...anywhere],
    comments: [block, line],
    names: ['`order lines`', 'db.orders'],
    templates: ['SET javax.jdo.option.ConnectionPassword=B', 'LOAD DATA INPATH L INTO TABLE N'],
  },
  vertica: {
    dialects: ['vertica'],
    values: [
      ...[doubled("'"), escaped("'", 'E'), doubled("'", 'U&')],
      ...[between('$$', '$$'), between('$t$', '$t$'), ...anywhere],
    ],
    comments: [block, line, hint],
    names: ['"Order Lines"', 'public.orders'],
  },
  trino: {
    dialects: ['trino', 'presto', 'athena', 'db2', 'teradata', 'exasol', 'derby', 'sap.hana'],
    values: [doubled("'"), doubled("'", 'DATE '), doubled("'", 'U&'), ...anywhere],
    comments: [block, line],
    names: ['"Order Lines"', 'cat.db.orders'],
  },
  clickhouse: {
    dialects: ['clickhouse'],
    values: [escaped("'"), escapedAndDoubled("'"), between('$h$', '$h$'), ...anywhere],
    comments: [block, line, hash, bang],
    names: ['"Order Lines"', '`order lines`', 'db.orders'],
    templates: [
      'INSERT INTO N (a, b) FORMAT JSONEachRow {"a": "R", "b": R}',
      'INSERT INTO N FORMAT CSV R,R\nR,R',
      "SELECT a FROM s3(L, 'B', L) WHERE b = L",
    ],
  },
  sqlite: {
    dialects: ['sqlite'],
    values: [doubled("'"), doubled('"'), ...anywhere],
    comments: [block, line],
    names: ['[Order Lines]', '`order lines`', 'orders'],
  },
};

/** L: a value, J: one of Jinja, R: characters without quotes, C: a comment, N: a name, B: a bare word that is a value. */
const TEMPLATES = [
  'SELECT a, L FROM N WHERE b = L AND c IN (L, L) C ORDER BY d LIMIT 10',
  'SELECT C a FROM N AS t JOIN N ON t.x = y.x AND t.z <> L WHERE t.n BETWEEN L AND L',
  'INSERT INTO N (a, b) VALUES (L, L), (L,L)',
  'UPDATE N SET a = L, b = b + L WHERE c LIKE L C',
  'DELETE FROM N WHERE a=L OR b>=L;SELECT L',
  'WITH q AS (SELECT L AS v FROM N WHERE x = L) SELECT * FROM q WHERE v = L',
  'CREATE TABLE N (a varchar(10) DEFAULT L, b int CHECK (b > L))',
  'CREATE VIEW N AS SELECT CASE WHEN a = L THEN L ELSE b END FROM N',
  'MERGE INTO N USING N s ON s.k = L WHEN MATCHED THEN UPDATE SET v = L',
  'C SELECT f(L, g(L)), L||L FROM N',
  'SELECT * FROM N WHERE a = L LIMIT 10 OFFSET L',
  'CALL p(L, L)',
  'EXPLAIN SELECT L FROM N C WHERE a IN (L)',
  'CREATE USER u IDENTIFIED BY B',
  'ALTER USER u PASSWORD B VALID',
  'CREATE ROLE r WITH LOGIN PASSWORD = B AND PASSWORD = L',
  'SET SESSION app.token = B',
  'SET app.token TO B; SELECT L FROM N',
  'ALTER SYSTEM SET x = B',
  'CREATE SECRET s (TYPE B, SECRET L)',
  'GRANT SELECT ON N TO u IDENTIFIED BY B',
  'CONNECT u/B',
  'EXEC p B, L',
  'SELECT {{ var("x", J) }} FROM N WHERE a = L',
  '{% if x == J %} SELECT a FROM N WHERE b = L {% endif %}',
  '{# B #} SELECT a FROM N WHERE b = L',
  'VALIDATE B',
  'SET LOCAL app.token = B',
  'ALTER ROLE r SET x = B',
  'ALTER DATABASE d SET x TO B',
  'CREATE SERVER s FOREIGN DATA WRAPPER w OPTIONS (host L, password L)',
  'CREATE USER MAPPING FOR u SERVER s OPTIONS (user B, password L)',
  'CREATE CONNECTION c OPTIONS (token B)',
  'LOAD DATA INLINE B',
  'SELECT a FROM N WHERE b = TRUE AND c = L;',
] as const;

/** A statement of a family around a canary. The same dice give the same statement around another one. */
export function statement(family: Family, dice: Dice, secret: Canary): string {
  const content = () => {
    let text = '';
    for (let at = 0; at < CANARY_LENGTH; at += 8) {
      text += secret.letters.slice(at, at + 8);
      if (dice.roll(3) === 0) text += dice.pick(TROUBLE);
    }
    return text;
  };
  const value = () => {
    const flavour = dice.pick(family.values);
    return flavour(content(), secret) ?? `'${secret.letters}'`;
  };
  const comment = () => dice.pick(family.comments)(content()) ?? `/* ${secret.letters} */`;
  const templates = family.templates && dice.roll(4) === 0 ? family.templates : TEMPLATES;
  return dice.pick(templates).replace(/\b[LJRCNB]\b/g, (slot) => {
    if (slot === 'L') return value();
    if (slot === 'J') return escaped('"')(content(), secret) as string;
    if (slot === 'R') return content();
    if (slot === 'C') return comment();
    return slot === 'N' ? dice.pick(family.names) : secret.letters;
  });
}
