/** A step into a JSON document: a member name or an array index. */
export type Step = string | number;

/**
 * Reads a path back by the grammar of RFC 9535: written independently of the code that prints paths.
 * @throws Error when the text is no such path
 */
export function stepsOf(path: string): Step[] {
  const token = /\.([A-Za-z_][A-Za-z0-9_]*)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]/gsy;
  token.lastIndex = 1;
  const steps: Step[] = [];
  while (token.lastIndex < path.length) {
    const match = token.exec(path);
    if (!match) throw new Error('no path');
    const [, plain, index, quoted] = match;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(plain ?? decode(quoted as string));
  }
  return steps;
}

function decode(quoted: string): string {
  return JSON.parse(`"${quoted.replace(/\\'|"/g, (found) => (found === '"' ? '\\"' : "'"))}"`);
}

/** The value with what stands at these paths taken out: two documents that differ nowhere else are equal then. */
export function without(value: unknown, paths: readonly string[]): unknown {
  const copy = structuredClone(value);
  for (const path of paths) {
    const steps = stepsOf(path);
    const last = steps.pop();
    // biome-ignore lint/suspicious/noExplicitAny: any JSON value
    let at: any = copy;
    for (const step of steps) at = at[step];
    if (last === undefined || !(last in at)) throw new Error(`${path} leads nowhere`);
    at[last] = '<redacted>';
  }
  return copy;
}
