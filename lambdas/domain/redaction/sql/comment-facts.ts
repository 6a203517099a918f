import { COMMENT, type TokenList } from './tokens.ts';

/** What is kept of comments. */
export interface CommentFacts {
  /** From a comment in the format of sqlcommenter, when there is only one. */
  readonly traceparent?: string;
  readonly hadHint?: true;
}

const TRACEPARENT_KEY = 'traceparent=';
const TRACEPARENT = /^'?(00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2})(?:'|,|\s|\*|$)/;
const TRACEPARENT_LENGTH = 57;
/** Of a comment with nothing in it but the sign of a hint. */
const EMPTY_HINT_LENGTH = 3;

export function commentFactsOf(text: string, tokens: TokenList): CommentFacts {
  let hadHint = false;
  const traceparents = new Set<string>();
  let key = text.indexOf(TRACEPARENT_KEY);
  for (let at = 0; at < tokens.count; at++) {
    if (tokens.kind(at) !== COMMENT) continue;
    const start = tokens.start(at);
    const end = tokens.end(at);
    hadHint ||= text[start + 2] === '+' && end - start > EMPTY_HINT_LENGTH;
    if (key !== -1 && key < start) key = text.indexOf(TRACEPARENT_KEY, start);
    if (key === -1 || key >= end) continue;
    const found = traceparentAt(text, key + TRACEPARENT_KEY.length, end);
    if (found) traceparents.add(found);
  }
  const [traceparent] = traceparents;
  return {
    ...(traceparent !== undefined && traceparents.size === 1 ? { traceparent } : {}),
    ...(hadHint ? { hadHint } : {}),
  };
}

function traceparentAt(text: string, start: number, end: number): string | undefined {
  const found = TRACEPARENT.exec(text.slice(start, Math.min(end, start + TRACEPARENT_LENGTH)))?.[1];
  if (!found) return undefined;
  const [, trace, span] = found.split('-') as [string, string, string];
  return /^0+$/.test(trace) || /^0+$/.test(span) ? undefined : found;
}
