import { describe, expect, it } from 'vitest';
import { matchesKeyHash, readBearerKey } from '../../../lambdas/domain/producers/bearer-key.ts';
import { registerProducer } from '../../../lambdas/domain/producers/register-producer.ts';
import { NOW, RETENTION, registration } from '../../support/builders.ts';
import { InMemoryVault } from '../../support/fakes.ts';

function register(vault = new InMemoryVault()) {
  const filed: Array<readonly [string, string]> = [];
  const key = registerProducer(registration(), {
    ...{ vault, retention: RETENTION, clock: () => NOW },
    putKey: async (keyId, keyHash) => void filed.push([keyId, keyHash]),
    randomText: (alphabet, length) => alphabet.slice(-1).repeat(length),
  });
  return { vault, filed, key };
}

describe('registering a producer', () => {
  it('issues a key that the filed hash recognises', async () => {
    const { filed, key } = register();
    const issued = await key;
    const [keyId, keyHash] = filed[0] as readonly [string, string];
    expect(readBearerKey(issued)?.id).toBe(keyId);
    expect(matchesKeyHash(issued, keyHash)).toBe(true);
  });

  it('locks the registration before the key is filed', async () => {
    const vault = new InMemoryVault();
    vault.faults.refuse('putDocument');
    const { filed, key } = register(vault);
    await expect(key).rejects.toThrow();
    expect(filed).toEqual([]);
  });

  it('writes neither the key nor its hash into the vault', async () => {
    const { vault, filed, key } = register();
    const secret = (await key).split('_')[2] as string;
    const text = Buffer.from(vault.versions[0]?.body as Uint8Array).toString();
    expect(text).toContain('"producerId":"producer-1"');
    expect(text).not.toContain(secret);
    expect(text).not.toContain(filed[0]?.[1]);
  });
});
