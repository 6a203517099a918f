import {
  InvalidEventError,
  LineageError,
  ownSentence,
  type RuleViolation,
  TooLargeError,
  violationsOf,
} from '../errors.ts';
import type { Acceptance, AcceptedDelivery } from '../evidence/accept.ts';
import { JsonDocument } from '../json/document.ts';
import { JsonSyntaxError } from '../json/scanner.ts';
import { acceptEvent } from './accept-event.ts';
import { MAX_BATCH_ITEMS, TOO_MANY_ITEMS } from './departures.ts';

/** A batch item's fate before the stream has seen it. */
export type BatchItem =
  | { readonly index: number; readonly accepted: AcceptedDelivery }
  | {
      readonly index: number;
      readonly refused: string;
      readonly violations: readonly RuleViolation[];
    };

/**
 * Judges each event of a batch alone. The text is a JSON array, one event, or one event a line.
 * @param deviations of the request, which are those of every event in it
 * @throws JsonSyntaxError when an array is broken, InvalidEventError when there are too many items
 */
export function acceptBatch(
  text: string,
  acceptance: Acceptance,
  deviations: readonly string[] = [],
): BatchItem[] {
  return splitBatch(text).map((item, index) => {
    try {
      return { index, accepted: acceptEvent(item, acceptance, { deviations }) };
    } catch (error) {
      if (!(error instanceof LineageError)) throw error;
      return { index, refused: reasonOf(error), violations: violationsOf(error) };
    }
  });
}

function splitBatch(text: string): string[] {
  if (!text.trimStart().startsWith('[')) return linesOf(text);
  // However deep an item is, it is refused alone and not with its neighbours; nothing walks down into it here.
  const document = new JsonDocument(text, Number.POSITIVE_INFINITY);
  let count = 0;
  const end = document.next(document.root);
  for (let item = document.root + 1; item < end; item = document.next(item)) {
    if (++count > MAX_BATCH_ITEMS) throw tooMany();
  }
  return document.items(document.root).map((item) => document.raw(item));
}

/** One event a line; or one event, which may be spread over lines. */
function linesOf(text: string): string[] {
  try {
    new JsonDocument(text);
    return [text];
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const lines = nonBlankLines(text);
    if (lines.length === 0) throw error;
    return lines;
  }
}

function nonBlankLines(text: string): string[] {
  const lines: string[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    if (line.trim() !== '' && lines.push(line) > MAX_BATCH_ITEMS) throw tooMany();
    start = end + 1;
  }
  return lines;
}

const tooMany = () => new InvalidEventError([{ path: '$', rule: TOO_MANY_ITEMS }]);

/** Rules and fixed paths only: nothing of the item, and nothing of a parser's message. */
function reasonOf(error: LineageError): string {
  if (error instanceof TooLargeError) return `${error.code}: ${ownSentence(error)}`;
  if (!(error instanceof InvalidEventError)) return error.code;
  return error.violations.map(({ path, rule }) => `${rule} at ${path}`).join('; ');
}
