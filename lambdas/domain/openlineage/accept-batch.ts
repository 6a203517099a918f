import { InvalidEventError, LineageError, type RuleViolation, violationsOf } from '../errors.ts';
import type { Acceptance, AcceptedDelivery } from '../evidence/accept.ts';
import { JsonDocument } from '../json/document.ts';
import { JsonSyntaxError, Kind } from '../json/scanner.ts';
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
 * @throws JsonSyntaxError when an array is broken, InvalidEventError when there are too many items
 */
export function acceptBatch(text: string, acceptance: Acceptance): BatchItem[] {
  const texts = splitBatch(text);
  if (texts.length > MAX_BATCH_ITEMS) {
    throw new InvalidEventError([{ path: '$', rule: TOO_MANY_ITEMS }]);
  }
  return texts.map((item, index) => {
    try {
      return { index, accepted: acceptEvent(item, acceptance) };
    } catch (error) {
      if (!(error instanceof LineageError)) throw error;
      return { index, refused: reasonOf(error), violations: violationsOf(error) };
    }
  });
}

function splitBatch(text: string): string[] {
  const isArray = text.trimStart().startsWith('[');
  try {
    const document = new JsonDocument(text);
    if (document.kind(document.root) !== Kind.array) return [text];
    return document.items(document.root).map((item) => document.raw(item));
  } catch (error) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    if (isArray || lines.length === 0 || !(error instanceof JsonSyntaxError)) throw error;
    return lines;
  }
}

/** Rules and fixed paths only: nothing of the item, and nothing of a parser's message. */
function reasonOf(error: LineageError): string {
  if (!(error instanceof InvalidEventError)) return error.code;
  return error.violations.map(({ path, rule }) => `${rule} at ${path}`).join('; ');
}
