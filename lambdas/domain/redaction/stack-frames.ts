/** Lines longer than this are no frames: no class and file together has as many characters. */
const MAX_FRAME_CHARACTERS = 1_000;

const JAVA_FRAME =
  /^\s{0,16}at ([\w$.<>/@-]{1,400})\(([\w$.+-]{1,128}(?::\d{1,7})?|<generated>|Native Method|Unknown Source)\)(?: ~?\[[\w.?:+-]{1,128}\])?\s{0,4}$/;
const JS_FRAME =
  /^\s{0,16}at (?:(async )?(new )?([\w$.<>]{1,200})(?: \[as [\w$]{1,64}\])? \()?([\w$.:/\\@%+~-]{1,500}):(\d{1,7}):(\d{1,7})\)?\s{0,4}$/;
const PYTHON_FRAME =
  /^\s{0,16}File "([^"\n]{1,500})", line (\d{1,7})(?:, in ([\w<>.]{1,128}))?\s{0,4}$/;
const ELIDED = /^\s{0,16}\.\.\. \d{1,5} (?:more|common frames omitted)\s{0,4}$/;
const REPEATED = /^\s{0,16}\[Previous line repeated \d{1,7} more times?\]\s{0,4}$/;

const FIXED_LINES = new Set([
  'Traceback (most recent call last):',
  'The above exception was the direct cause of the following exception:',
  'During handling of the above exception, another exception occurred:',
]);

/** A line of a stack trace as it may be stored. */
export interface Frame {
  readonly text: string;
  /** Source code may follow, further to the right. */
  readonly hasSource: boolean;
}

/** The frame, or fixed line of a trace, that a line is; undefined when it is anything else. */
export function frameOf(line: string): Frame | undefined {
  if (line.length > MAX_FRAME_CHARACTERS) return undefined;
  const trimmed = line.trim();
  if (FIXED_LINES.has(trimmed)) return { text: trimmed, hasSource: false };
  if (ELIDED.test(line) || REPEATED.test(line)) return { text: `\t${trimmed}`, hasSource: false };
  const python = PYTHON_FRAME.exec(line);
  if (python) {
    const [, path = '', row, name] = python;
    const where = name === undefined ? '' : `, in ${name}`;
    return { text: `  File "${fileOf(path)}", line ${row}${where}`, hasSource: true };
  }
  if (!trimmed.startsWith('at ')) return undefined;
  const java = JAVA_FRAME.exec(line);
  if (java) return { text: `\tat ${java[1]}(${java[2]})`, hasSource: false };
  const js = JS_FRAME.exec(line);
  if (js === null) return undefined;
  const [, isAsync = '', isNew = '', name, path = '', row, column] = js;
  const place = `${fileOf(path)}:${row}:${column}`;
  const text = name === undefined ? place : `${isAsync}${isNew}${name} (${place})`;
  return { text: `    at ${text}`, hasSource: false };
}

const PACKAGES = ['site-packages/', 'dist-packages/', 'node_modules/'];
const SAFE_FILE = /^[\w.@<>+/:-]{1,200}$/;

/** A path from its package on, or its last name: what is in front is the machine's and may name a person. */
function fileOf(path: string): string {
  const plain = path.replaceAll('\\', '/');
  const start = Math.max(...PACKAGES.map((directory) => plain.lastIndexOf(directory)));
  const file = start === -1 ? plain.slice(plain.lastIndexOf('/') + 1) : plain.slice(start);
  return SAFE_FILE.test(file) ? file : '?';
}
