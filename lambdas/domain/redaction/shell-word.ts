import { isSpace } from './characters.ts';

/** A word of a command line by the quoting rules of a shell. */
interface ShellWord {
  /** Without its quotes. */
  readonly text: string;
  readonly end: number;
}

/** The word that starts at an offset; an open quote goes to the end. */
export function wordAt(line: string, start: number): ShellWord {
  let text = '';
  let at = start;
  while (at < line.length) {
    const char = line[at] as string;
    if (char === "'" || char === '"') {
      const end = endOfQuote(line, at + 1, char);
      text += line.slice(at + 1, end);
      at = end + 1;
    } else if (char === '\\') {
      text += line.slice(at + 1, at + 2);
      at += 2;
    } else if (char === '`' || (char === '$' && line[at + 1] === '(')) {
      // What a command inside puts out is part of the word: it is judged as free text.
      const end = endOfQuote(line, at + 1, char === '`' ? '`' : ')');
      text += ` ${line.slice(at, end)}`;
      at = end + 1;
    } else if (isSpace(line.charCodeAt(at)) || '|&;'.includes(char) || line.startsWith('<<', at)) {
      break;
    } else {
      text += char;
      at++;
    }
  }
  return { text, end: Math.min(at, line.length) };
}

/** Offset of the closing quote, or of the end. */
function endOfQuote(line: string, start: number, quote: string): number {
  for (let at = start; at < line.length; at++) {
    if (line[at] === '\\' && quote !== "'") at++;
    else if (line[at] === quote) return at;
  }
  return line.length;
}
