import { buffer } from 'node:stream/consumers';
import { readBody } from '../../../lambdas/shared/http/body.ts';
import { binary, request } from '../../support/http.ts';

/**
 * A process of its own, for bombs.test.ts: reads the body on standard input under the content encoding
 * of its first argument, and prints how it ended and by how many KiB the memory peak of the process rose.
 */
const event = request(
  binary(await buffer(process.stdin), { 'content-encoding': process.argv[2] as string }),
);
const before = process.resourceUsage().maxRSS;
let outcome = 'read';
try {
  readBody(event);
} catch (error) {
  outcome = (error as Error).name;
}
const roseKib = process.resourceUsage().maxRSS - before;
process.stdout.write(JSON.stringify({ outcome, roseKib }));
