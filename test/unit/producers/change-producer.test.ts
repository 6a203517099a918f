import { beforeEach, describe, expect, it } from 'vitest';
import { matchesKeyHash, readBearerKey } from '../../../lambdas/domain/producers/bearer-key.ts';
import {
  changeRegistration,
  endKey,
  registerProducer,
  rotateKey,
  setDisabled,
} from '../../../lambdas/domain/producers/change-producer.ts';
import type {
  ChangedBy,
  Producer,
  ProducerRecord,
} from '../../../lambdas/domain/producers/producer.ts';
import {
  ProducerConflictError,
  UnknownProducerError,
} from '../../../lambdas/domain/producers/producer-errors.ts';
import { NOW, NOW_TEXT, RETENTION, registration } from '../../support/builders.ts';
import { InMemoryVault } from '../../support/fakes/bucket.ts';
import { InMemoryProducers } from '../../support/fakes/producers.ts';

const HOUR = 3_600_000;
const BY: ChangedBy = { via: 'api', producerId: 'boss' };
const ROLE = 'arn:aws:iam::111122223333:role/spark';
const WHO = { account: '111122223333', name: 'spark' };

function store() {
  const time = { now: NOW };
  const clock = () => time.now;
  const vault = new InMemoryVault();
  const directory = new InMemoryProducers(clock);
  let n = 0;
  const randomText = (alphabet: string, length: number) =>
    (alphabet[n++ % alphabet.length] as string).repeat(length);
  const dependencies = { vault, directory, clock, retention: RETENTION, randomText };
  const records = () =>
    vault.versions.map(({ body }) => JSON.parse(Buffer.from(body).toString()) as ProducerRecord);
  /** Whether a request with this key would be let in. */
  const works = async (key: string | undefined) => {
    const known = await directory.findByKeyId(readBearerKey(key ?? '')?.id ?? '');
    return known !== undefined && matchesKeyHash(key ?? '', known.keyHash)
      ? !known.registration.disabled
      : false;
  };
  return { time, vault, directory, dependencies, records, works };
}

describe('a producer', () => {
  let held: ReturnType<typeof store>;
  let first: string;
  beforeEach(async () => {
    held = store();
    const made = await registerProducer(registration(), BY, held.dependencies);
    first = made.key as string;
  });
  const rotate = (hours: number) => rotateKey('producer-1', hours, BY, held.dependencies);
  const conflict = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ProducerConflictError);
    return (error as ProducerConflictError).code;
  };

  it('has a key from registration on, and only one registration', async () => {
    expect(await held.works(first)).toBe(true);
    const again = registerProducer(registration(), BY, held.dependencies);
    expect(await conflict(again)).toBe('producer_exists');
    expect(held.records()).toHaveLength(1);
  });

  it('keeps the old key for the overlap and not longer', async () => {
    const { key: second } = await rotate(2);
    expect([await held.works(first), await held.works(second)]).toEqual([true, true]);
    held.time.now += 2 * HOUR - 1;
    expect(await held.works(first)).toBe(true);
    held.time.now += 1;
    expect([await held.works(first), await held.works(second)]).toEqual([false, true]);
  });

  it('is refused a third key while two are valid, and gets one when the overlap is over', async () => {
    await rotate(2);
    expect(await conflict(rotate(2))).toBe('two_keys_are_valid');
    held.time.now += 2 * HOUR;
    const { producer } = await rotate(2);
    expect(producer.keys).toHaveLength(2);
  });

  it('loses every other key when it rotates without an overlap', async () => {
    const { key: second } = await rotate(2);
    const { key: third } = await rotate(0);
    expect(await Promise.all([first, second, third].map(held.works))).toEqual([false, false, true]);
  });

  it('never makes a key last longer by rotating', async () => {
    const { producer } = await rotate(2);
    await endKey('producer-1', producer.keys[1]?.keyId as string, BY, held.dependencies);
    await rotate(100);
    held.time.now += 2 * HOUR;
    expect(await held.works(first)).toBe(false);
  });

  it('loses one key alone', async () => {
    const { key: second, producer } = await rotate(2);
    await endKey('producer-1', producer.keys[0]?.keyId as string, BY, held.dependencies);
    expect([await held.works(first), await held.works(second)]).toEqual([false, true]);
    const other = endKey('producer-1', 'unknown', BY, held.dependencies);
    expect(await conflict(other)).toBe('key_not_valid');
  });

  it('stops with all its keys when disabled, and goes on with those that are valid', async () => {
    const { key: second } = await rotate(2);
    await setDisabled('producer-1', true, BY, held.dependencies);
    expect([await held.works(first), await held.works(second)]).toEqual([false, false]);
    held.time.now += 3 * HOUR;
    await setDisabled('producer-1', false, BY, held.dependencies);
    expect([await held.works(first), await held.works(second)]).toEqual([false, true]);
  });

  it('is changed for all its keys', async () => {
    const { key: second } = await rotate(2);
    const group = (current: ReturnType<typeof registration>) => ({ ...current, group: 'other' });
    await changeRegistration('producer-1', group, BY, held.dependencies);
    for (const key of [first, second]) {
      const known = await held.directory.findByKeyId(readBearerKey(key as string)?.id as string);
      expect(known?.registration.group).toBe('other');
    }
  });

  it('has a locked record of every change, in order, and of nothing else', async () => {
    const { producer } = await rotate(2);
    await setDisabled('producer-1', true, BY, held.dependencies);
    await setDisabled('producer-1', true, BY, held.dependencies);
    await setDisabled('producer-1', false, BY, held.dependencies);
    await changeRegistration('producer-1', (same) => ({ ...same }), BY, held.dependencies);
    await changeRegistration('producer-1', (r) => ({ ...r, group: 'g' }), BY, held.dependencies);
    await endKey('producer-1', producer.keys[0]?.keyId as string, BY, held.dependencies);
    expect(held.records().map(({ version, change }) => [version, change])).toEqual([
      [1, 'registered'],
      [2, 'key_issued'],
      [3, 'disabled'],
      [4, 'enabled'],
      [5, 'changed'],
      [6, 'key_ended'],
    ]);
    const keys = held.vault.versions.map(({ key }) => key);
    expect(keys[0]).toBe('producers/producer-1/00000001.json');
    expect(keys).toEqual(keys.toSorted());
    expect(held.records()[0]).toEqual({
      ...{ producer: 1, version: 1, at: NOW_TEXT, change: 'registered', by: BY },
      keyId: readBearerKey(first)?.id,
      ...registration(),
      keys: [{ keyId: readBearerKey(first)?.id, issuedAt: NOW_TEXT }],
    });
    for (const { lock } of held.vault.versions) expect(lock?.mode).toBe(RETENTION.mode);
  });

  it('leaves neither a secret nor a hash in the vault or in what is listed', async () => {
    const { key: second } = await rotate(2);
    await rotate(0);
    const told = held.vault.versions.map(({ body }) => Buffer.from(body).toString()).join();
    const listed = JSON.stringify((await held.directory.list(10)).producers);
    const hidden = [first, second].flatMap((key) => (key as string).split('_').slice(2));
    for (const { keyHash } of held.directory.rows.values()) hidden.push(keyHash as string);
    expect(hidden.length).toBeGreaterThan(5);
    for (const text of hidden) expect(told + listed).not.toContain(text);
  });

  it('is in the vault before it is in the table', async () => {
    held.vault.faults.refuse('putDocument');
    await expect(setDisabled('producer-1', true, BY, held.dependencies)).rejects.toThrow();
    expect(await held.works(first)).toBe(true);
  });

  it('takes one of two changes at the same time, and says so to the other', async () => {
    const both = await Promise.allSettled([
      rotate(2),
      setDisabled('producer-1', true, BY, held.dependencies),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const lost = both.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(await conflict(Promise.reject(lost.reason))).toBe('changed_meanwhile');
    expect(held.records()).toHaveLength(2);
  });

  it('gets the rows of a change that broke off behind its record, once nobody writes them any more', async () => {
    held.directory.faults.refuse('put');
    await expect(setDisabled('producer-1', true, BY, held.dependencies)).rejects.toThrow();
    expect(await conflict(rotate(2))).toBe('changed_meanwhile');
    expect(await held.works(first)).toBe(true);
    held.time.now += 60_000;
    expect(await conflict(rotate(2))).toBe('changed_meanwhile');
    expect(await held.works(first)).toBe(false);
    expect((await rotate(2)).producer).toMatchObject({
      version: 3,
      registration: { disabled: true },
    });
  });

  it.each([
    [0, 'two', 100],
    [0, 'one', undefined],
    [2, 'one', undefined],
  ])(
    'keeps the keys it has when a rotation with %i hours broke off, %s of them',
    async (hours, _n, earlier) => {
      if (earlier !== undefined) await rotate(earlier);
      const before = (await held.directory.find('producer-1')) as Producer;
      held.directory.faults.refuse('put');
      await expect(rotate(hours)).rejects.toThrow();
      held.time.now += 60_000;
      const group = (current: ReturnType<typeof registration>) => ({ ...current, group: 'other' });
      const unrelated = () => changeRegistration('producer-1', group, BY, held.dependencies);
      expect(await conflict(unrelated())).toBe('changed_meanwhile');
      const finished = await held.directory.find('producer-1');
      expect(finished).toEqual({ ...before, version: before.version + 1 });
      expect(await held.works(first)).toBe(true);
      expect((await unrelated()).producer.keys).toEqual(before.keys);
    },
  );

  it('forgets a key that was issued and shown to nobody', async () => {
    held.directory.faults.refuse('put');
    await expect(rotate(2)).rejects.toThrow();
    held.time.now += 60_000;
    await conflict(rotate(2));
    const { producer } = await rotate(2);
    expect(producer.keys.map(({ keyId }) => keyId)).toContain(readBearerKey(first)?.id);
    expect(producer.keys).toHaveLength(2);
  });

  it('is registered in full when its registration broke off, and then wants a key', async () => {
    held.directory.faults.refuse('put');
    const other = registration({ producerId: 'producer-2' });
    await expect(registerProducer(other, BY, held.dependencies)).rejects.toThrow();
    held.time.now += 60_000;
    await conflict(registerProducer(other, BY, held.dependencies));
    expect(await held.directory.find('producer-2')).toMatchObject({
      registration: other,
      keys: [],
    });
    const { key } = await rotateKey('producer-2', 2, BY, held.dependencies);
    expect(await held.works(key)).toBe(true);
  });

  it('shares its role with no other producer', async () => {
    const withRole = (current: ReturnType<typeof registration>) => ({ ...current, roleArn: ROLE });
    await changeRegistration('producer-1', withRole, BY, held.dependencies);
    const other = registration({ producerId: 'producer-2', roleArn: ROLE });
    expect(await conflict(registerProducer(other, BY, held.dependencies))).toBe('role_is_taken');
    expect(held.records()).toHaveLength(2);
  });

  it('reserves no role by a registration that failed', async () => {
    held.vault.faults.refuse('putDocument');
    const typo = registration({ producerId: 'typo', roleArn: ROLE });
    await expect(registerProducer(typo, BY, held.dependencies)).rejects.toThrow();
    const right = registration({ producerId: 'right', roleArn: ROLE });
    await registerProducer(right, BY, held.dependencies);
    expect(await held.directory.findByRole(WHO)).toEqual(right);
  });

  it('gets a role that two want at once only once, and goes on without it otherwise', async () => {
    const [a, b] = ['a', 'b'].map((producerId) => registration({ producerId, roleArn: ROLE }));
    const both = [a, b].map((one) => registerProducer(one as never, BY, held.dependencies));
    const made = await Promise.allSettled(both);
    expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [won, lost] = (made[0]?.status === 'fulfilled' ? [a, b] : [b, a]) as [typeof a, typeof b];
    held.time.now += 60_000;
    const { roleArn: _role, ...without } = lost as NonNullable<typeof lost>;
    const again = registerProducer(without, BY, held.dependencies);
    expect(await conflict(again)).toBe('changed_meanwhile');
    expect(await held.directory.find(without.producerId)).toMatchObject({ registration: without });
    expect(await held.directory.findByRole(WHO)).toEqual(won);
    const { key } = await rotateKey(without.producerId, 0, BY, held.dependencies);
    expect(await held.works(key)).toBe(true);
  });

  it('is not found under another id', async () => {
    for (const change of [
      rotateKey('nobody', 0, BY, held.dependencies),
      setDisabled('nobody', true, BY, held.dependencies),
      endKey('nobody', 'k', BY, held.dependencies),
    ]) {
      await expect(change).rejects.toThrow(UnknownProducerError);
    }
  });
});

describe('a producers table that was lost or restored', () => {
  const registered = registration({ roleArn: ROLE });
  const lost = 'table_is_behind';
  const code = (work: Promise<unknown>) =>
    work.then(
      () => 'made',
      (error: ProducerConflictError) => error.code,
    );
  const known = async (held: ReturnType<typeof store>) => {
    const { producers } = await held.directory.list(10);
    return [...producers, await held.directory.findByRole(WHO)].filter(Boolean);
  };
  let held: ReturnType<typeof store>;
  let first: Producer;
  beforeEach(async () => {
    held = store();
    first = (await registerProducer(registered, BY, held.dependencies)).producer;
  });
  const disable = () => setDisabled('producer-1', true, BY, held.dependencies);
  const empty = () => {
    for (const rows of [held.directory.producers, held.directory.roles, held.directory.rows]) {
      rows.clear();
    }
    held.time.now += 60_000;
  };

  it('does not bring a disabled role back by registering again', async () => {
    await disable();
    empty();
    for (let n = 0; n < 3; n++) {
      expect(await code(registerProducer(registered, BY, held.dependencies))).toBe(lost);
      expect(await known(held)).toEqual([]);
    }
    expect(held.records()).toHaveLength(2);
  });

  it('replays no older change', async () => {
    await disable();
    await setDisabled('producer-1', false, BY, held.dependencies);
    await disable();
    empty();
    await held.directory.put(undefined, first);
    const group = (current: ReturnType<typeof registration>) => ({ ...current, group: 'other' });
    for (const change of [
      () => rotateKey('producer-1', 0, BY, held.dependencies),
      () => changeRegistration('producer-1', group, BY, held.dependencies),
    ]) {
      expect(await code(change())).toBe(lost);
      expect(await held.directory.find('producer-1')).toEqual(first);
    }
    expect(held.records()).toHaveLength(4);
  });

  it('gets the newest change back when it lacks no other', async () => {
    await disable();
    empty();
    await held.directory.put(undefined, first);
    expect(await code(rotateKey('producer-1', 0, BY, held.dependencies))).toBe('changed_meanwhile');
    expect(await held.directory.find('producer-1')).toMatchObject({
      version: 2,
      registration: { disabled: true },
    });
  });
});
