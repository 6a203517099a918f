/**
 * Words that decide something. A word gets the number of its keyword while it is read: a hash of its
 * letters without case, then one comparison.
 */
const WORDS = [
  // Statements that hold no bare-word values.
  ...words(`SELECT INSERT UPDATE DELETE MERGE WITH REPLACE UPSERT VALUES FROM TABLE EXPLAIN DESCRIBE
    DESC SHOW ANALYZE ANALYSE TRUNCATE DROP USE BEGIN START COMMIT ROLLBACK SAVEPOINT RELEASE END IF
    ELSE WHILE DECLARE LOOP FOR RETURN LOCK UNLOCK VACUUM REFRESH CLUSTER REINDEX CALL PREPARE
    DEALLOCATE FETCH CLOSE MOVE PIVOT UNPIVOT SUMMARIZE MSCK OPTIMIZE CACHE UNCACHE CLEAR LIST REMOVE
    PURGE RENAME COMMENT LISTEN UNLISTEN DISCARD CHECKPOINT ABORT DETACH KILL FLUSH DO LOCKING SEL INS
    DEL UPD COLLECT EXISTS UNDROP REPAIR COMPUTE INVALIDATE ASSERT EXEC EXECUTE`),
  // Statements in which a bare word may be a value.
  ...words(`CREATE ALTER SET COPY LOAD UNLOAD EXPORT IMPORT ATTACH CHANGE BACKUP RESTORE OPEN INSTALL
    GRANT REVOKE DENY CONNECT VALIDATE PUT GET PRAGMA RESET NOTIFY SYSTEM`),
  // Words inside statements.
  ...words(`TRUE FALSE NULL PASSWORD IDENTIFIED BY TO STDIN FORMAT INLINE OPTIONS PROPERTIES
    TBLPROPERTIES SERDEPROPERTIES CREDENTIALS LIMIT OFFSET FIRST NEXT TOP ROW ROWS ONLY PERCENT TIES
    TABLESAMPLE SAMPLE BERNOULLI BLOCK BUCKET JOIN INTO WHERE AND OR NOT IN IS LIKE ILIKE RLIKE REGEXP
    BETWEEN DISTINCT HAVING ON QUALIFY CASE WHEN THEN AS ARRAY GROUP ORDER UNION EXCEPT INTERSECT
    WINDOW RETURNING TRANSACTION OFF OUTPUT OUT DEFAULT RECOMPILE ESCAPE OVER PARTITION RANGE ASC
    NULLS LAST CURRENT UNBOUNDED PRECEDING FOLLOWING FILTER WITHIN CAST TRY_CAST INTERVAL DATE TIME
    TIMESTAMP AT ZONE COLLATE USING DIV MOD XOR SIMILAR SOUNDS UNKNOWN BOTH LEADING TRAILING EXTRACT
    YEAR MONTH DAY HOUR MINUTE SECOND SEPARATOR IGNORE RESPECT INNER LEFT RIGHT FULL OUTER CROSS
    LATERAL ALL ANY SOME DOUBLE PRECISION CHARACTER VARYING UNSIGNED SIGNED WITHOUT LOCAL GLOBAL
    SESSION TEMP TEMPORARY UNLOGGED TRANSIENT VOLATILE PUBLIC PERSISTENT SECURE RECURSIVE UNIQUE
    CLUSTERED NONCLUSTERED MATERIALIZED FORCE NO EXTERNAL MULTISET EDITIONABLE NONEDITIONABLE LIVE
    STREAMING DYNAMIC CONSTRAINT TRUSTED FULLTEXT SPATIAL BITMAP COLUMNSTORE CONCURRENTLY VIEW INDEX
    FUNCTION PROCEDURE PROC TRIGGER SEQUENCE SCHEMA TYPE DOMAIN EXTENSION AGGREGATE OPERATOR RULE POLICY
    MACRO SYNONYM PACKAGE STREAM TASK PUBLICATION STATISTICS COLLATION SNAPSHOT`),
] as const;

const NUMBERS = new Map(WORDS.map((word, index) => [word, index + 1]));

/** The number of a keyword. @throws when it is not in the list */
export function keyword(word: string): number {
  const found = NUMBERS.get(word);
  if (found === undefined) throw new Error(`${word} is not in the list of keywords`);
  return found;
}

/** A set of keywords, tested by number. */
export function keywords(text: string): Uint8Array {
  const set = new Uint8Array(WORDS.length + 1);
  for (const word of words(text)) set[keyword(word)] = 1;
  return set;
}

export function keywordText(number: number): string {
  return WORDS[number - 1] as string;
}

/** Statements whose words are names and functions, so that `password` is a column there. */
export const PLAIN_VERBS = range('SELECT', 'EXECUTE');
/** Everything that a statement may begin with. */
export const VERBS = range('SELECT', 'SYSTEM');

const LONGEST = Math.max(...WORDS.map(({ length }) => length));
const SLOTS = 2_048;
const TABLE = slots();

/** One step of the hash over a word; case does not count. */
export function hashStep(hash: number, code: number): number {
  return (Math.imul(hash, 31) + (code | 32)) | 0;
}

/** The number of the keyword that stands at these offsets; 0 when it is none. */
export function keywordAt(hash: number, text: string, start: number, end: number): number {
  if (end - start > LONGEST) return 0;
  let slot = (hash ^ (hash >>> 11)) & (SLOTS - 1);
  for (;;) {
    const number = TABLE[slot] as number;
    if (number === 0) return 0;
    if (isWord(WORDS[number - 1] as string, text, start, end)) return number;
    slot = (slot + 1) & (SLOTS - 1);
  }
}

function isWord(word: string, text: string, start: number, end: number): boolean {
  if (word.length !== end - start) return false;
  for (let at = 0; at < word.length; at++) {
    const code = text.charCodeAt(start + at);
    const upper = code >= 97 && code <= 122 ? code - 32 : code;
    if (upper !== word.charCodeAt(at)) return false;
  }
  return true;
}

function slots(): Uint16Array {
  const table = new Uint16Array(SLOTS);
  for (const [word, number] of NUMBERS) {
    let hash = 0;
    for (let at = 0; at < word.length; at++) hash = hashStep(hash, word.charCodeAt(at));
    let slot = (hash ^ (hash >>> 11)) & (SLOTS - 1);
    while (table[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
    table[slot] = number;
  }
  return table;
}

function range(first: string, last: string): Uint8Array {
  return new Uint8Array(WORDS.length + 1).fill(1, keyword(first), keyword(last) + 1);
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
