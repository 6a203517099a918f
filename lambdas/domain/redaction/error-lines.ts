import { frameOf } from './stack-frames.ts';

/** How much of a line is looked at to say what it is. */
export const SHOWN_LINE_CHARACTERS = 200;
const BLOCK_HEAD =
  /^\s{0,8}(?:(?:Caused by|Suppressed|ERROR|FATAL|PANIC|WARNING|DETAIL|HINT|CONTEXT|LOCATION|STATEMENT|QUERY|LINE \d{1,9}|Detail|Hint|Where): |\[SQL: |\[parameters: |\(Background on this error at: |== .{1,64} ==$|Exception in thread "|\[redacted:error\]$)/;

/** Offset of the end of a line, or of the text. */
export function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** `== SQL ==` and its like. */
export function isSection(line: string): boolean {
  return (
    line.startsWith('== ') && line.length < SHOWN_LINE_CHARACTERS && line.trimEnd().endsWith(' ==')
  );
}

/** End of the lines from a line's start on that may belong to one message: a value may have line breaks in it. */
export function endOfBlock(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const end = endOfLine(text, at);
    const head = text.slice(at, Math.min(end, at + SHOWN_LINE_CHARACTERS));
    if (BLOCK_HEAD.test(head) || frameOf(text.slice(at, end)) !== undefined) break;
    at = end + 1;
  }
  return Math.min(at, text.length);
}
