import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type {
  ProducerDirectory,
  ProducerRegistry,
} from '../../../lambdas/domain/producers/ports.ts';
import type { Producer } from '../../../lambdas/domain/producers/producer.ts';
import { registration } from '../builders.ts';

/** The producers from both sides: who changes them, and who is asked about every request. */
export interface ProducersUnderTest {
  readonly directory: ProducerDirectory;
  /** One that has cached nothing. */
  readonly freshRegistry: () => ProducerRegistry;
}

/** What every store of producers does, the fake as well as DynamoDB. Ids are fresh, so that it can run on a table in use. */
export function describeProducersContract(name: string, create: () => ProducersUnderTest): void {
  describe(`producers contract: ${name}`, () => {
    const { directory, freshRegistry } = create();
    const key = (keyId: string, validUntil?: string) => ({
      ...{ keyId, issuedAt: '2026-01-01T00:00:00.000Z' },
      ...(validUntil !== undefined && { validUntil }),
    });
    const fresh = (overrides: Partial<Producer> = {}): Producer => ({
      version: 1,
      registration: registration({ producerId: `contract-${randomUUID()}` }),
      keys: [key(randomUUID())],
      ...overrides,
    });
    const keyOf = (producer: Producer, at = 0) => producer.keys[at]?.keyId as string;
    const put = async (producer: Producer, before?: Producer) =>
      directory.put(before, producer, {
        keyId: keyOf(producer),
        keyHash: `hash of ${keyOf(producer)}`,
      });
    const role = () => {
      const roleName = `r-${randomUUID()}`;
      return {
        roleArn: `arn:aws:iam::111122223333:role/some/path/${roleName}`,
        identity: { account: '111122223333', name: roleName },
      };
    };

    it('knows nobody whom nobody registered', async () => {
      expect(await directory.find(randomUUID())).toBeUndefined();
      expect(await freshRegistry().findByKeyId(randomUUID())).toBeUndefined();
      expect(await freshRegistry().findByRole(role().identity)).toBeUndefined();
    });

    it('gives a producer back as it was put, and finds it by its key', async () => {
      const full = fresh({
        registration: registration({
          producerId: `contract-${randomUUID()}`,
          jobNamespaces: { allowed: ['a', 'b*'], outside: 'refuse' },
          eventsPerSecond: 5,
          expectedActivity: { everyMinutes: 60 },
          basis: { derivation: 'parsed-intent', completeness: 'not-guaranteed' },
          roleArn: role().roleArn,
        }),
      });
      expect(await put(full)).toBe(true);
      expect(await directory.find(full.registration.producerId)).toEqual(full);
      expect(await freshRegistry().findByKeyId(keyOf(full))).toMatchObject({
        keyHash: `hash of ${keyOf(full)}`,
        registration: full.registration,
      });
    });

    it('takes a change only from who saw the last one', async () => {
      const first = fresh();
      await put(first);
      const second = { ...first, version: 2 };
      expect(await put(first)).toBe(false);
      expect(await directory.put(first, second)).toBe(true);
      const late = { ...second, registration: { ...first.registration, disabled: true } };
      expect(await directory.put(first, late)).toBe(false);
      expect(await directory.find(first.registration.producerId)).toEqual(second);
      const found = await freshRegistry().findByKeyId(keyOf(first));
      expect(found?.registration.disabled).toBe(false);
    });

    it('tells all keys of a change, and keeps their hashes', async () => {
      const first = fresh();
      await put(first);
      const newId = randomUUID();
      const rotated = { ...first, version: 2, keys: [...first.keys, key(newId)] };
      await directory.put(first, rotated, { keyId: newId, keyHash: 'hash of the new one' });
      const disabled = { ...first.registration, disabled: true };
      await directory.put(rotated, { ...rotated, version: 3, registration: disabled });
      for (const [keyId, keyHash] of [
        [keyOf(first), `hash of ${keyOf(first)}`],
        [newId, 'hash of the new one'],
      ] as const) {
        expect(await freshRegistry().findByKeyId(keyId)).toMatchObject({
          keyHash,
          registration: disabled,
        });
      }
    });

    it('knows a key for as long as it is valid', async () => {
      const ended = fresh();
      await put(ended);
      const keys = [key(keyOf(ended), new Date(Date.now() - 1).toISOString())];
      await directory.put(ended, { ...ended, version: 2, keys });
      expect(await freshRegistry().findByKeyId(keyOf(ended))).toBeUndefined();

      const ending = fresh({
        keys: [key(randomUUID(), new Date(Date.now() + 3.6e6).toISOString())],
      });
      await put(ending);
      expect(await freshRegistry().findByKeyId(keyOf(ending))).toBeDefined();
    });

    it('lets no key in whose hash it does not have', async () => {
      const first = fresh();
      await put(first);
      const lost = key(randomUUID());
      await directory.put(first, { ...first, version: 2, keys: [...first.keys, lost] });
      expect(await freshRegistry().findByKeyId(lost.keyId)).toBeUndefined();
    });

    it('finds a producer by its role, whatever the path, until it gives the role up', async () => {
      const { roleArn, identity } = role();
      const withRole = fresh({ registration: { ...fresh().registration, roleArn } });
      expect(await directory.mayHaveRole(withRole.registration)).toBe(true);
      await put(withRole);
      expect(await freshRegistry().findByRole(identity)).toEqual(withRole.registration);

      const other = { ...fresh().registration, roleArn };
      expect(await directory.mayHaveRole(other)).toBe(false);
      expect(await directory.mayHaveRole(withRole.registration)).toBe(true);

      const { roleArn: _given, ...without } = withRole.registration;
      await directory.put(withRole, { ...withRole, version: 2, registration: without });
      expect(await freshRegistry().findByRole(identity)).toBeUndefined();
      expect(await directory.mayHaveRole(other)).toBe(true);
      expect(await put(fresh({ registration: other }))).toBe(true);
      expect(await freshRegistry().findByRole(identity)).toEqual(other);
    });

    it('reserves no role by asking for it, nor by a put that fails', async () => {
      const { roleArn, identity } = role();
      const wants = fresh({ registration: { ...fresh().registration, roleArn } });
      expect(await directory.mayHaveRole(wants.registration)).toBe(true);
      expect(await put(wants, { ...wants, version: 7 })).toBe(false);
      const other = fresh({ registration: { ...fresh().registration, roleArn } });
      expect(await directory.mayHaveRole(other.registration)).toBe(true);
      expect(await put(other)).toBe(true);
      expect(await freshRegistry().findByRole(identity)).toEqual(other.registration);
    });

    it('writes nothing of a producer whose role another has', async () => {
      const { roleArn, identity } = role();
      const first = fresh({ registration: { ...fresh().registration, roleArn } });
      await put(first);
      const second = fresh({ registration: { ...fresh().registration, roleArn } });
      expect(await put(second)).toBe(false);
      expect(await directory.find(second.registration.producerId)).toBeUndefined();
      expect(await freshRegistry().findByKeyId(keyOf(second))).toBeUndefined();
      expect(await freshRegistry().findByRole(identity)).toEqual(first.registration);
    });

    it('lists every producer once, page by page', async () => {
      const put3 = [fresh(), fresh(), fresh()];
      for (const producer of put3) await put(producer);
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const { producers, next } = await directory.list(2, after);
        expect(producers.length).toBeLessThanOrEqual(2);
        seen.push(...producers.map(({ registration: { producerId } }) => producerId));
        after = next;
      } while (after !== undefined);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual(expect.arrayContaining(put3.map((p) => p.registration.producerId)));
    });
  });
}
