import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Bench } from './bench.ts';
import type { Check } from './check.ts';
import type { World } from './world.ts';

/** Sets or releases a hold through the API. */
async function change(...asked: Parameters<typeof request>) {
  const answer = await request(...asked);
  expect(answer.status).toBe(200);
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers by path
  return (await answer.json()) as any;
}

function request(
  { environment }: Bench,
  method: 'PUT' | 'DELETE',
  runId: string,
  reference: string,
) {
  return fetch(`${environment.apiUrl}/api/v1/hold?runId=${runId}`, {
    method,
    headers: { authorization: `Bearer ${environment.keys.admin}` },
    body: JSON.stringify({ reference, reason: 'a test' }),
  });
}

/** Sets a hold and answers its reference. */
export async function setHold(bench: Bench, runId: string): Promise<string> {
  const reference = `case-${randomUUID()}`;
  await change(bench, 'PUT', runId, reference);
  return reference;
}

export function holdChecks(bench: Bench, world: World): readonly Check[] {
  const references = new Map<string, string>();
  /** A check that failed may have left its hold. */
  const releaseLeft = async () => {
    for (const [reference, runId] of references) await request(bench, 'DELETE', runId, reference);
    references.clear();
  };
  const covers = (runId: string, missing: number) => async () => {
    const reference = `case-${randomUUID()}`;
    references.set(reference, runId);
    const set = await change(bench, 'PUT', runId, reference);
    expect(set).toMatchObject({ status: 'complete', failed: [], pending: 0 });
    expect(set.missing).toHaveLength(missing);
    const released = await change(bench, 'DELETE', runId, reference);
    expect(released).toMatchObject({ status: 'complete', failed: [], pending: 0 });
  };
  return [
    {
      fn: 'holds',
      name: 'holds and releases a run and its digest',
      prepare: releaseLeft,
      run: covers(world.runId, 0),
    },
    {
      fn: 'holds',
      name: 'says what of a run is gone',
      prepare: releaseLeft,
      run: covers(world.goneRunId, 1),
    },
  ];
}
