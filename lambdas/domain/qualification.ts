/** A sentence that a reader of an answer must know, in a form that a program can act on. */
export interface Qualification {
  readonly code: string;
  readonly text: string;
  readonly from: 'producer' | 'store';
  /** Where the producer says it. */
  readonly path?: string;
}

/** Everything the store says about an answer: which answer, and what the reader cannot conclude from it. */
export const STORE_QUALIFICATIONS = {
  not_sealed: { of: 'run, trace', means: 'no digest covers it yet: only the lock protects it' },
  statement_not_read: {
    of: 'run',
    means: 'row limits of a statement are not known: it was not read in full',
  },
  contested: { of: 'run', means: 'more than one group sent events under the run id' },
  run_not_held: { of: 'run', means: 'others refer to it, no event of it was received' },
  missing_start: { of: 'run', means: 'no START is held: when it began is not known' },
  missing_terminal: {
    of: 'run',
    means: 'no COMPLETE, FAIL or ABORT is held: the outcome is not known',
  },
  no_terminal_expected: { of: 'run', means: 'a streaming job or service does not end by itself' },
  conflicting_terminals: { of: 'run', means: 'it ended more than once, in different ways' },
  job_name_changed: { of: 'run', means: 'its events name more than one job' },
  datasets_not_listed: {
    of: 'run',
    means: 'an event names over 5,000 datasets: the rest stand in its document',
  },
  version_missing: { of: 'run', means: 'an object version that held events of it is gone' },
  stored_reduced: { of: 'run, trace', means: 'something of it is held as a skeleton only' },
  trace_in_staging: { of: 'run, trace', means: 'spans are held and not locked yet' },
  trace_not_held: { of: 'trace', means: 'no span of it was received' },
  delivery_unreadable: {
    of: 'trace',
    means: 'spans are missing: they do not lie where the index says',
  },
  conflicting_span: { of: 'trace', means: 'a span was delivered with different content' },
  links_not_listed: {
    of: 'trace',
    means: 'one record has over 5,000 links: the rest of the run ids stand in the spans',
  },
  spans_left_out: { of: 'trace', means: 'spans are held and not shown: the answer is too long' },
} as const satisfies Record<string, { readonly of: string; readonly means: string }>;

/** What the store itself has to say about an answer. */
export function storeSays(code: keyof typeof STORE_QUALIFICATIONS, text: string): Qualification {
  return { code, text, from: 'store' };
}
