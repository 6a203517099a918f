import { expect, it } from 'vitest';
import { UnreadableRecordError } from '../../../lambdas/domain/errors.ts';
import { createHandler } from '../../../lambdas/seal/handler.ts';
import { inspectorOver, readerOver } from '../../support/fakes/readers.ts';
import { InMemoryStreamCounter } from '../../support/fakes/streams.ts';
import { recorder } from '../../support/recorder.ts';
import { envelopeOf } from '../integrity/envelopes.ts';
import { MINUTE, sealing } from '../integrity/sealing.ts';

const FIVE = Date.parse('2026-03-04T05:00:00.000Z');
const context = (left = 900_000) => ({ getRemainingTimeInMillis: () => left }) as never;

function sealer() {
  const store = sealing(FIVE);
  store.archive([envelopeOf(1)]);
  const recorded = recorder();
  const dependencies = () => {
    const { recount: _, ...rest } = store.dependencies();
    const counting = {
      counter: new InMemoryStreamCounter(),
      inspector: inspectorOver(store.vault),
      reader: readerOver(store.vault),
      ...{ vaultBucket: 'vault', stagingBucket: 'staging', graceMillis: 60 * MINUTE },
    };
    return { ...rest, counting };
  };
  const run = (request = {}, left?: number) =>
    createHandler({ ...dependencies(), ...recorded })(request, context(left));
  return { store, run, ...recorded };
}

it('answers where the chain stands, counts, and says that nothing is anchored', async () => {
  const { store, run, counted, publications } = sealer();
  store.at(FIVE + 36 * MINUTE);
  const answer = await run();
  expect(answer).toMatchObject({
    ...{ digests: 2, records: 1, late: 0, unsent: 0, isCaughtUp: true, anchor: 'unanchored' },
    head: {
      key: 'digests/dt=2026-03-04/2026-03-04T051500Z.json',
      number: 1,
      to: '2026-03-04T05:30:00.000Z',
    },
  });
  expect(counted).toMatchObject({ DigestsSealed: 2, SealedRecords: 1, UnsentHeads: 0 });
  expect(counted.DigestAgeSeconds).toBeCloseTo(6 * 60, -1);
  expect(publications).toHaveLength(1);
});

it('seals nothing that has not closed, whatever was asked for', async () => {
  const { store, run } = sealer();
  store.at(FIVE + 21 * MINUTE);
  expect(await run({ asOf: '2030-01-01T00:00:00Z' })).toMatchObject({ digests: 1 });
  expect(await run({ asOf: '2026-03-04T05:00:00Z' })).toMatchObject({ digests: 0 });
});

it('begins no interval without time for it', async () => {
  const { store, run } = sealer();
  store.at(FIVE + 21 * MINUTE);
  expect(await run({}, 60_000)).toMatchObject({ digests: 0, isCaughtUp: false });
});

it('fails loudly, with the code alone', async () => {
  const { store, run, lines, publications } = sealer();
  store.at(FIVE + 21 * MINUTE);
  store.keys.disabled.add((await store.keys.current()).fingerprint);
  await expect(run()).rejects.toThrow();
  expect(lines).toEqual([
    { level: 'error', message: 'not sealed', extra: [{ code: 'signing_refused' }] },
  ]);
  expect(publications).toHaveLength(1);
});

it('reads again what was unreadable since `from`, when a sweep is asked for', async () => {
  const { store, run } = sealer();
  const { key } = store.vault.versions[0] as { key: string };
  store.unreadable(key, new UnreadableRecordError('object_under_foreign_key'));
  store.at(FIVE + 21 * MINUTE);
  await run();
  store.at(FIVE + 5 * 24 * 60 * MINUTE);
  await run();
  store.readable(key);
  store.at(FIVE + 5 * 24 * 60 * MINUTE + 21 * MINUTE);
  expect(await run({ sweep: true })).toMatchObject({ late: 0 });
  store.at(FIVE + 5 * 24 * 60 * MINUTE + 36 * MINUTE);
  expect(await run({ sweep: true, from: '2026-03-04T05:00:00Z' })).toMatchObject({ late: 1 });
});

it('counts what it finds when it finds it first', async () => {
  const { store, run, counted } = sealer();
  store.vault.addVersion('digests/dt=2026-03-04/a', Buffer.from('x'));
  store.at(FIVE + 21 * MINUTE);
  expect(await run()).toMatchObject({ digests: 1, found: 1 });
  expect(counted).toMatchObject({ SealViolations: 1 });
  expect(await run()).toMatchObject({ digests: 0, found: 0 });
  expect(counted).toMatchObject({ SealViolations: 1 });
});

it('counts a head in the future, after a clock that jumped, as old as it is far', async () => {
  const { store, run, counted } = sealer();
  store.at(FIVE + 10 * 60 * MINUTE);
  await run();
  store.at(FIVE + 2 * 60 * MINUTE);
  expect(await run()).toMatchObject({ digests: 0, isCaughtUp: true });
  expect(counted.DigestAgeSeconds).toBeGreaterThan(7 * 3_600);
});
