import { endOfRun } from './characters.ts';
import type { Piece, Reading } from './error-fields.ts';
import { endOfLine } from './error-lines.ts';
import { isKept, isNamePart, isType, isTypePart, MAX_NAME_CHARACTERS } from './error-names.ts';
import { type SlotKind, type TemplatePart, templatesFor } from './error-templates.ts';

/** The fields that names in slots are. */
const FIELDS = {
  constraint: 'constraint',
  table: 'table',
  column: 'column',
  columns: 'column',
  type: 'type',
} as const;

/** Reads messages that are known but for their values. */
export class TemplateReader {
  private readonly text: string;
  /** End of the lines that may belong to the message. */
  private readonly blockEnd: number;

  constructor(text: string, blockEnd: number) {
    this.text = text;
    this.blockEnd = blockEnd;
  }

  /** The message of a known template that starts at an offset. */
  read(at: number): Reading | undefined {
    for (const { system, head, tails } of templatesFor(this.text[at] ?? '')) {
      const pieces: Piece[] = [];
      const value = this.parts(head, at, pieces, false);
      if (value === undefined) continue;
      const end = this.parts(this.closingTail(tails, value), value, pieces, true);
      if (end !== undefined) return { end, pieces, fields: { system } };
    }
    return undefined;
  }

  /** Of the templates that are the same up to a value, the one whose next words stand furthest behind. */
  private closingTail(
    tails: ReadonlyArray<readonly TemplatePart[]>,
    at: number,
  ): readonly TemplatePart[] {
    let best: readonly TemplatePart[] = tails[0] ?? [];
    if (tails.length === 1) return best;
    const block = this.text.slice(at, this.blockEnd);
    let furthest = -1;
    for (const tail of tails) {
      const close = tail[1];
      const literal = close && 'literal' in close ? close.literal : '';
      // A lone quote stands anywhere, so it is the end only when no words are.
      const found = literal.length > 1 ? block.lastIndexOf(literal) : -1;
      if (found > furthest || (furthest === -1 && literal.length === 1))
        [best, furthest] = [tail, found];
    }
    return best;
  }

  /** @returns the offset behind the parts; undefined when they do not stand here, which a value in them rules out */
  private parts(
    parts: readonly TemplatePart[],
    from: number,
    kept: Piece[],
    isBehindValue: boolean,
  ): number | undefined {
    const { text } = this;
    let at = from;
    let hasValue = false;
    for (const [index, part] of parts.entries()) {
      if ('literal' in part) {
        const end = endOfLiteral(text, at, part.literal);
        if (end === undefined) return hasValue ? at : undefined;
        kept.push({ text: part.literal });
        at = end;
        continue;
      }
      const next = parts[index + 1];
      const close = next && 'literal' in next ? next.literal : undefined;
      if (part.slot === '*') {
        hasValue = true;
        kept.push({ text: '?' });
        at = this.endOfValue(at, close);
        continue;
      }
      const slot = this.slot(part.slot, at, close);
      // What a message begins with must be known, or any text would be one.
      const isUnknownStart =
        index === 0 && !isBehindValue && slot?.text === '?' && text[at] !== '?';
      if (slot === undefined || isUnknownStart) return hasValue ? at : undefined;
      const field = part.slot in FIELDS ? FIELDS[part.slot as keyof typeof FIELDS] : undefined;
      kept.push({ text: slot.text, field, isBehindValue: isBehindValue && part.slot !== '#' });
      at = slot.end;
    }
    return at;
  }

  /** A value ends where its closing words stand last in the message, else first behind it, else with the text. */
  private endOfValue(at: number, close: string | undefined): number {
    if (close === undefined)
      return Math.max(at, this.blockEnd - (this.text[this.blockEnd - 1] === '\n' ? 1 : 0));
    const last = this.text.slice(at, this.blockEnd).lastIndexOf(close);
    if (last !== -1) return at + last;
    const later = this.text.indexOf(close, Math.max(at, this.blockEnd));
    return later === -1 ? this.text.length : later;
  }

  private slot(
    kind: SlotKind,
    at: number,
    close: string | undefined,
  ): { text: string; end: number } | undefined {
    const { text } = this;
    // What stood here is gone already.
    if (text[at] === '?' && (close === undefined || text.startsWith(close, at + 1))) {
      return { text: '?', end: at + 1 };
    }
    const lineEnd = endOfLine(text, at);
    const end =
      close === undefined
        ? endOfRun(text, at, kind === 'type' ? isTypePart : isNamePart, MAX_NAME_CHARACTERS)
        : text.slice(at, lineEnd).indexOf(close) + at;
    if (end < at || (close === undefined && end === at)) return undefined;
    // Without closing words a name may end in the full stop of its sentence.
    const stop = close === undefined && text[end - 1] === '.' ? end - 1 : end;
    const name = text.slice(at, stop);
    if (kind === '#' && !/^\d{1,12}$/.test(name)) return undefined;
    if (kind === 'type' && !isType(name))
      return at === end || close === undefined ? undefined : { text: '?', end: stop };
    return { text: isKept(kind, name) ? name : '?', end: stop };
  }
}

/** Offset behind a literal, whose spaces stand for any number of them; undefined when it does not stand here. */
function endOfLiteral(text: string, from: number, literal: string): number | undefined {
  if (text.startsWith(literal, from)) return from + literal.length;
  let at = from;
  for (const char of literal) {
    if (char === ' ') {
      const end = endOfRun(text, at, (code) => code === 32 || code === 9, 8);
      // The space at the end of a line may be gone.
      const isLineEnd = end === text.length || text[end] === '\n';
      if (end === at && !(isLineEnd && literal.endsWith(' '))) return undefined;
      at = end;
    } else if (text[at++] !== char) return undefined;
  }
  return at;
}
