import { LineageError } from '../errors.ts';
import { bytesBucket, type RedactedField } from '../evidence/envelope.ts';
import { FactList } from './fact-list.ts';

/**
 * Real events have tens of redactions. Long names above many sensitive values would multiply: 4 MB
 * of them have made 80 GB of paths. What goes beyond this is stored as a skeleton.
 */
const MAX_LISTED_CHARACTERS = 8 * 1024 * 1024;
const LISTED_PER_FIELD = 64;

/**
 * Values visited plus characters judged or listed. The largest accepted body (6 MB) needs fewer,
 * however it is made, unless nearly all of it is brackets that only look like JSON. What needs more is
 * a mistake in the redactor, which must not hold up a shard: it is stored as a skeleton. The dearest
 * unit measured is 0.4 us (names that are all new), so the bound is 16 s of an invocation's 60; the
 * dearest body takes 2.
 */
export const MAX_WORK = 40_000_000;

/** What is listed of a document, and what it took. */
export class Changes {
  readonly fields: RedactedField[] = [];
  readonly facts = new FactList();
  private readonly maxWork: number;
  private worked = 0;
  private listed = 0;

  constructor(maxWork: number) {
    this.maxWork = maxWork;
  }

  work(units: number): void {
    this.worked += units;
    if (this.worked > this.maxWork) {
      throw new LineageError('too_much_work', 'the redaction outgrows its bound');
    }
  }

  list(path: string, rules: readonly string[], bytes: number, mode?: RedactedField['mode']): void {
    for (const rule of rules) {
      this.listed += path.length + LISTED_PER_FIELD;
      if (this.listed > MAX_LISTED_CHARACTERS) {
        throw new LineageError('too_many_redactions', 'the list of redactions outgrows its bound');
      }
      this.fields.push({ path, rule, ...(mode && { mode }), bytesBucket: bytesBucket(bytes) });
    }
  }
}
