import { foldedCharacter } from './folded-character.ts';

/** A text as it is read, and where each of its code units stands in the text as it is written. */
export interface FoldedText {
  readonly text: string;
  /** Offsets in the original, and behind them its length. */
  readonly offsets: Uint32Array;
}

/**
 * Printable ASCII as URLs (up to four times over), JSON and HTML escape it, and what is beyond ASCII.
 * A digit's escape stays one in `%25`: it may be the head of another.
 */
const ESCAPED =
  /%(?:25){0,3}[2-7][0-9a-f]|\\u00[2-7][0-9a-f]|&#(?:\d{2,3}|x[0-9a-f]{2});|[^\0-\x7f]/giu;

/** A text with its escapes and odd characters resolved; undefined when it has none. */
export function foldText(text: string): FoldedText | undefined {
  let folded = '';
  let copied = 0;
  const offsets = new Uint32Array(text.length + 1);
  const copyTo = (end: number) => {
    for (let at = copied; at < end; at++) offsets[folded.length + at - copied] = at;
    folded += text.slice(copied, end);
  };
  for (const { 0: written, index } of text.matchAll(ESCAPED)) {
    const read = readAs(written);
    if (read === written) continue;
    copyTo(index);
    if (read !== '') offsets[folded.length] = index;
    folded += read;
    copied = index + written.length;
  }
  if (copied === 0) return undefined;
  copyTo(text.length);
  offsets[folded.length] = text.length;
  return { text: folded, offsets: offsets.subarray(0, folded.length + 1) };
}

function readAs(written: string): string {
  if (written.charCodeAt(0) >= 128) return foldedCharacter(written);
  const code = written.startsWith('&')
    ? Number(`0${written.slice(2, -1)}`)
    : Number(`0x${written.slice(-2)}`);
  return code >= 32 && code < 127 ? String.fromCharCode(code) : written;
}

/** Whether an escape starts at a `%`, `\\` or `&`; anything else asked for is a character that is read as another. */
export function mayStartEscape(text: string, at: number): boolean {
  const next = text[at + 1] ?? '';
  switch (text[at]) {
    case '%':
      return next >= '2' && next <= '7';
    case '\\':
      return next === 'u';
    case '&':
      return next === '#';
    default:
      return true;
  }
}
