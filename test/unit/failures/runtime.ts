import { json } from 'node:stream/consumers';
import { inspect } from 'node:util';

/**
 * A process of its own, for runtime.test.ts: loads a function, and does with what it throws what the Node runtime of
 * Lambda does (aws-lambda-nodejs-runtime-interface-client): prints it whole, and what nobody caught as well.
 * Arguments: the module that exports `handler`. Standard input: the events, as a JSON array.
 */
const show = (error: unknown) => process.stdout.write(`${inspect(error, { depth: null })}\n`);
for (const [event, code] of [
  ['uncaughtException', 129],
  ['unhandledRejection', 128],
] as const) {
  process.on(event, (error: unknown) => {
    show(error);
    process.exit(code);
  });
}

const { handler } = await import(process.argv[2] as string);
const context = { getRemainingTimeInMillis: () => 60_000 };
for (const event of (await json(process.stdin)) as unknown[]) {
  try {
    process.stdout.write(`answered ${JSON.stringify(await handler(event, context))}\n`);
  } catch (error) {
    show(error);
  }
}
process.exit();
