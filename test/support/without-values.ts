import { type Step, stepsOf } from './json-path.ts';

/**
 * The JSON text without the values at the given paths (`$.a[0]['b c']`), everything else to the byte.
 * Written apart from the store's own scanner, so that the tests do not judge it by itself.
 */
export function withoutValues(text: string, paths: readonly string[]): string {
  const wanted = new Set(paths.map((path) => key(stepsOf(path))));
  const spans: { start: number; end: number }[] = [];
  const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[^\s"{}[\],:]+|[{}[\],:])/y;
  let position = 0;

  const token = (): string => {
    TOKEN.lastIndex = position;
    const found = TOKEN.exec(text)?.[1];
    if (found === undefined) throw new Error(`no JSON at ${position}`);
    position = TOKEN.lastIndex;
    return found;
  };
  const peek = (): string => {
    const before = position;
    const next = token();
    position = before;
    return next;
  };
  const value = (path: readonly Step[]): void => {
    const first = token();
    const start = position - first.length;
    if (first === '{') {
      while (peek() !== '}') {
        const name = JSON.parse(token()) as string;
        token();
        value([...path, name]);
        if (peek() === ',') token();
      }
      token();
    } else if (first === '[') {
      for (let index = 0; peek() !== ']'; index++) {
        value([...path, index]);
        if (peek() === ',') token();
      }
      token();
    }
    if (wanted.delete(key(path))) spans.push({ start, end: position });
  };

  value([]);
  if (wanted.size > 0) throw new Error(`no value at ${[...wanted].join(' ')}`);
  // An inner span is pushed before the outer one that holds it, and cutting from behind keeps offsets.
  return spans
    .sort((a, b) => b.start - a.start)
    .reduce((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text);
}

const key = (path: readonly Step[]) => JSON.stringify(path);
