/** One refused request, without anything that its sender wrote. */
export interface RejectionSample {
  /** RFC 3339 UTC, our own clock. */
  readonly at: string;
  readonly requestId: string;
  /** Resource of the API, such as `/v1/traces`. */
  readonly route: string;
  /** A {@link fixedPath}. */
  readonly path: string;
  /** Size of the request body as sent, as a power of two. */
  readonly bytesBucket: number;
}

/** What is refused by one request under one rule. */
export interface Rejection {
  /** `YYYY-MM-DDTHH`, UTC. */
  readonly hour: string;
  readonly producerId: string;
  readonly rule: string;
  /** Events, exports or spans. */
  readonly refused: number;
  readonly sample: RejectionSample;
}

/** What was refused within one hour to one producer under one rule. */
export interface RejectionCount {
  readonly producerId: string;
  readonly rule: string;
  readonly refused: number;
  /** Some of the first of them, at most {@link MAX_SAMPLES}. */
  readonly samples: readonly RejectionSample[];
}

/** Enough to find the requests in a log and see what is wrong; keeps an item below 3 KB. */
export const MAX_SAMPLES = 10;

/** Counters are dropped after this, four days after the longest interval that an audit takes could be replayed. */
export const COUNTER_DAYS = 35;

const RULE = /^[a-z][a-z0-9_]{0,63}$/;

/** Rules are constants of ours; what does not look like one is not written down. */
export function namedRule(rule: string): string {
  return RULE.test(rule) ? rule : 'unnamed_rule';
}

/** Member names that the receiver itself looks for; every other one in a path was chosen by a producer. */
const KNOWN_MEMBERS: ReadonlySet<string> = new Set([
  ...['eventType', 'eventTime', 'producer', 'schemaURL'],
  ...['run', 'runId', 'job', 'dataset', 'inputs', 'outputs', 'namespace', 'name', 'facets'],
  ...['resourceSpans', 'scopeSpans', 'resource', 'scope', 'spans', 'traceId', 'spanId'],
]);

const STEP = /\.([A-Za-z]+)((?:\[\d+\])*)|((?:\[\d+\])+)/y;

/** A path reduced to what is ours: positions left open, and cut (`.*`) at the first name that may be a producer's. */
export function fixedPath(path: string): string {
  let fixed = '$';
  STEP.lastIndex = 1;
  while (STEP.lastIndex > 0 && STEP.lastIndex < path.length) {
    const step = STEP.exec(path);
    const name = step?.[1];
    if (!step || (name !== undefined && !KNOWN_MEMBERS.has(name))) return `${fixed}.*`;
    const positions = (step[2] ?? step[3] ?? '').replace(/\d+/g, '');
    fixed += `${name === undefined ? '' : `.${name}`}${positions}`;
  }
  return fixed;
}
