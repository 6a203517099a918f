import { setTimeout as sleep } from 'node:timers/promises';
import { entryPoint } from '../../../lambdas/shared/entry-point.ts';

interface Crash {
  readonly how: 'throws' | 'rejects unheard' | 'throws in a callback';
  readonly canary: string;
}

/** A function that fails in each way there is, with an error that quotes its event. */
async function crash({ how, canary }: Crash): Promise<void> {
  const error = Object.assign(new TypeError(`cannot take ${canary}`, { cause: canary }), {
    canary,
  });
  if (how === 'throws') throw error;
  if (how === 'rejects unheard') void Promise.reject(error);
  else
    setTimeout(() => {
      throw error;
    });
  await sleep(1_000);
}

export const handler = process.env.WITHOUT_ENTRY_POINT ? crash : entryPoint(crash);
