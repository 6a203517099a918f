import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ErasableSubjects, SubjectKeys } from '../../../lambdas/domain/subjects/ports.ts';

/** What every table of subject keys does. Look-ups are fresh, so that it can run on a table in use. */
export function describeSubjectKeysContract(
  name: string,
  create: () => SubjectKeys & ErasableSubjects,
): void {
  describe(`subject keys contract: ${name}`, () => {
    const keys = create();
    const erasure = (erasureId: string) => ({
      ...{ erasureId, erasedAt: '2026-03-04T05:06:07.890Z', reference: 'DSR-1' },
    });

    it('makes a key of 32 bytes once, and another for another person', async () => {
      const lookup = randomUUID();
      expect(await keys.find(lookup)).toBeUndefined();
      const secret = Buffer.from((await keys.secretOf(lookup)) as Uint8Array);
      expect(secret).toHaveLength(32);
      expect(secret.equals((await keys.secretOf(lookup)) as Uint8Array)).toBe(true);
      expect(secret.equals((await keys.secretOf(randomUUID())) as Uint8Array)).toBe(false);
      expect(await keys.find(lookup)).toEqual({ secret: expect.anything() });
    });

    it('gives everybody who comes at one time the same key', async () => {
      const lookup = randomUUID();
      const secrets = await Promise.all(Array.from({ length: 8 }, () => keys.secretOf(lookup)));
      const texts = secrets.map((secret) => Buffer.from(secret as Uint8Array).toString('hex'));
      expect(new Set(texts).size).toBe(1);
    });

    it('puts a tombstone in the place of a key, and makes none there again', async () => {
      const lookup = randomUUID();
      await keys.secretOf(lookup);
      const tombstone = { ...erasure('first'), hadKey: true };
      expect(await keys.erase(lookup, erasure('first'))).toEqual(tombstone);
      expect(await keys.secretOf(lookup)).toBeUndefined();
      expect(await keys.erase(lookup, erasure('second'))).toEqual(tombstone);
      expect(await keys.find(lookup)).toEqual(tombstone);
    });

    it('puts one where no key was', async () => {
      const lookup = randomUUID();
      expect(await keys.erase(lookup, erasure('first'))).toMatchObject({ hadKey: false });
      expect(await keys.secretOf(lookup)).toBeUndefined();
    });
  });
}
