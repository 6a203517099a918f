import { createHash } from 'node:crypto';
import { readRecording, type WorkloadRequest } from '../localstack/workload-recording.ts';
import { type LabelledStatement, publicStatements } from '../test/unit/redaction/sql/corpus.ts';

/** Recorded events up to this size are about 2 KB; the longer ones carry column lineage. */
const MAX_EVENT_BYTES = 2_500;
const RUN_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Run events of about 2 KB as a real client sent them, each with ids of its own. They differ in nothing else and compress together to a tenth. */
export function recordedEvents(count: number): string[] {
  return recordedRuns(count).map(({ text }) => text);
}

/** With the run of the recording that each belongs to, and how often the recording was begun before. */
function recordedRuns(count: number): Array<{ text: string; run: string }> {
  const recorded = readRecording().filter(
    ({ path, body }) => path === '/api/v1/lineage' && body.length <= MAX_EVENT_BYTES,
  );
  return Array.from({ length: count }, (_, i) => {
    const { body, run } = recorded[i % recorded.length] as WorkloadRequest;
    const text = body.replace(RUN_ID, (id) => freshId(id, i));
    return { text, run: `${run} ${Math.floor(i / recorded.length)}` };
  });
}

/** The same for every run of a benchmark, so that every run measures the same bytes. */
function freshId(id: string, index: number): string {
  return id.slice(0, -6) + ((index * 2_654_435) & 0xff_ff_ff).toString(16).padStart(6, '0');
}

const HEX_ID = /\b[0-9a-f]{16,32}\b|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const QUERY = /(?<="query": )"(?:[^"\\]|\\.)*"/g;
const SCHEMA = /sales\.(?=\w+\.)/g;
const SECONDS = /(?<=:)\d\d(?=\.\d{6})/;
/** The statements of the recording are about as long. */
const STATEMENT_CHARACTERS = { least: 100, most: 400 };

/**
 * The same events, of which no two runs share a statement, a table, a trace or a time. The statements are those of public
 * projects in the dialect that the events name, each with a comment of its own, as dbt writes them.
 */
export function distinctEvents(count: number): string[] {
  const statements = publicStatements().filter(
    ({ dialect, sql: { length } }) =>
      dialect === 'postgres' &&
      length >= STATEMENT_CHARACTERS.least &&
      length <= STATEMENT_CHARACTERS.most,
  );
  const runs = new Map<string, number>();
  return recordedRuns(count).map(({ text, run }) => {
    const number = runs.get(run) ?? runs.size;
    runs.set(run, number);
    const { sql } = statements[number % statements.length] as LabelledStatement;
    return text
      .replace(HEX_ID, hexDigitsOf(run))
      .replace(SECONDS, String(number % 60).padStart(2, '0'))
      .replace(SCHEMA, `sales_${number}.`)
      .replace(QUERY, () => JSON.stringify(`/* {"node": "model.${number}"} */ ${sql}`));
  });
}

/** Replaces hex digits, the same ones in the same order for all events of a run. */
function hexDigitsOf(run: string): (text: string) => string {
  const digits = createHash('sha512').update(run).digest('hex');
  let used = 0;
  return (text) => text.replace(/[0-9a-f]/g, () => digits[used++ % digits.length] as string);
}
