import { applyEdits } from '../json/edit.ts';
import { foldText } from './folded-text.ts';
import { type ScanEdit, TextScan } from './text-scan.ts';
import type { RedactedText } from './url.ts';

/** `a@b.de`, or `pw=1` */
const SHORTEST_CHARACTERS = 4;

/**
 * Replaces, in place, what gives itself away in a free text: keys and tokens, secrets behind their
 * names, user info and signatures of URLs, e-mail addresses, card numbers, IBANs and national
 * numbers. The rest stays to the character. A text with escapes (`%40`, `\u0040`, `&#64;`) or with
 * characters that are read as others (`４`, a zero-width space) is read once more without them.
 * Takes linear time; a second run changes nothing.
 * @returns undefined when nothing had to go
 */
export function scanText(text: string): RedactedText | undefined {
  if (text.length < SHORTEST_CHARACTERS) return undefined;
  const scan = new TextScan(text);
  scan.run();
  const { edits, isOdd } = scan;
  const stored = edits.length === 0 ? text : scan.applied();
  const hidden = isOdd ? editsOfFolded(stored) : [];
  if (edits.length + hidden.length === 0) return undefined;
  const rules = new Set([...edits, ...hidden].flatMap((edit) => edit.rules));
  return { text: applyEdits(stored, hidden), rules: [...rules] };
}

/** What only shows when the text is read without its escapes, as edits of what is written. */
function editsOfFolded(text: string): readonly ScanEdit[] {
  const folded = foldText(text);
  if (folded === undefined) return [];
  const scan = new TextScan(folded.text);
  scan.run();
  return scan.edits.map((edit) => ({
    ...edit,
    start: folded.offsets[edit.start] as number,
    end: folded.offsets[edit.end] as number,
  }));
}
