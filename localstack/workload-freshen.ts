import { createHash } from 'node:crypto';

/** Replaces identifiers and moves times in the text of a recorded body. */
export type Freshen = (body: string) => string;

export interface FreshenOptions {
  /** The newest time in the bodies ends up at most 2 s before this one. */
  readonly now: Date;
  /** Equal seeds yield equal identifiers. */
  readonly seed: string;
}

const RUN_ID = /"runId"\s*:\s*"([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"/g;
const TRACE_ID = /"traceId"\s*:\s*"([0-9a-f]{32})"/g;
const SPAN_ID = /"(?:spanId|parentSpanId)"\s*:\s*"([0-9a-f]{16})"/g;
const EVENT_TIME = /("eventTime"\s*:\s*")(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)/g;
const SPAN_TIME = /("(?:startT|endT|t)imeUnixNano"\s*:\s*")(\d+)(?=")/g;
const SECOND_NANOS = 1_000_000_000n;

/**
 * Prepares the substitution for all bodies of one recording together, so that an identifier gets the
 * same replacement everywhere. Works on the text: whatever is no identifier or time keeps its bytes.
 * Times move by whole seconds, so that fractions and offsets stay as the client spelled them.
 */
export function createFreshen(bodies: readonly string[], { now, seed }: FreshenOptions): Freshen {
  const fresh = new Map<string, string>();
  for (const body of bodies) {
    for (const [, id = ''] of body.matchAll(RUN_ID)) fresh.set(id, freshUuid(seed, id));
    for (const [, id = ''] of body.matchAll(TRACE_ID)) fresh.set(id, hash(seed, id).slice(0, 32));
    for (const [, id = ''] of body.matchAll(SPAN_ID)) fresh.set(id, hash(seed, id).slice(0, 16));
  }
  // Also inside other text, as in a traceparent comment; a longer hex number is something else.
  const known = new RegExp(
    `(?<![0-9a-fA-F])(?:${[...fresh.keys()].join('|')})(?![0-9a-fA-F])`,
    'g',
  );
  const seconds = Math.floor(now.getTime() / 1000) - secondAfterNewest(bodies);

  return (body) =>
    (fresh.size === 0 ? body : body.replace(known, (id) => fresh.get(id) ?? id))
      .replace(EVENT_TIME, (_, before: string, time: string) => before + shift(time, seconds))
      .replace(
        SPAN_TIME,
        (_, before: string, nanos: string) =>
          before + (BigInt(nanos) + BigInt(seconds) * SECOND_NANOS),
      );
}

/** Nothing may lie in the future, whatever fraction of a second it has. */
function secondAfterNewest(bodies: readonly string[]): number {
  let newest = 0;
  for (const body of bodies) {
    for (const [, , time = ''] of body.matchAll(EVENT_TIME)) {
      newest = Math.max(newest, Date.parse(`${time}Z`) / 1000);
    }
    for (const [, , nanos = ''] of body.matchAll(SPAN_TIME)) {
      newest = Math.max(newest, Number(BigInt(nanos) / SECOND_NANOS));
    }
  }
  return newest + 1;
}

/** Moves a local date and time; its offset, which follows in the text, is not touched. */
function shift(time: string, seconds: number): string {
  return new Date(Date.parse(`${time}Z`) + seconds * 1000).toISOString().slice(0, time.length);
}

/** A version 4 UUID by its form, made of the seed. */
function freshUuid(seed: string, id: string): string {
  const hex = hash(seed, id);
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function hash(seed: string, id: string): string {
  return createHash('sha256').update(`${seed}\n${id}`).digest('hex');
}
