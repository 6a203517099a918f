/** One question to an emulator. Its answer is short and the same every time: `ok`, the name of an error, a few values. */
export interface Call {
  readonly name: string;
  readonly ask: () => Promise<string>;
}

/** What a call is answered with: its own words, or the name of the error. */
export async function answerOf({ ask }: Call): Promise<string> {
  try {
    return await ask();
  } catch (error) {
    return (error as Error).name;
  }
}

/** For calls of which only the success matters. */
export async function ok(work: Promise<unknown>): Promise<string> {
  await work;
  return 'ok';
}
