/** A failure the user can act on: the message is one sentence that says what to do; entry points print only that. */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** Runs an entry point: prints a UserError's sentence, or a hint for anything unexpected, and exits 1. Never a stack trace. */
export async function runEntryPoint(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`);
    process.exit(1);
  }
}

/** The line shown for an error. DEBUG=1 shows where an unexpected one came from. */
export function sentenceOf(error: unknown): string {
  if (error instanceof UserError) return error.message;
  const name = error instanceof Error ? error.name : 'Error';
  const text = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  const trace = process.env.DEBUG && error instanceof Error ? `\n${error.stack}` : '';
  return `Unexpected ${name}: ${text}. Run npm run reset and try again, or set DEBUG=1 to see where it came from.${trace}`;
}
