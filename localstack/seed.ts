import { type Administration, administrationOf, OPERATOR } from '../bin/evidence/administration.ts';
import { registerProducer, rotateKey } from '../lambdas/domain/producers/change-producer.ts';
import { checkRegistration } from '../lambdas/domain/producers/check-registration.ts';
import { SCOPES, type Scope } from '../lambdas/domain/producers/registration.ts';
import type { Keys, Seed } from './environment.ts';

interface DemoProducer {
  readonly name: keyof Keys;
  readonly group: string;
  readonly scopes: readonly Scope[];
}

/** Two planes of one tool server, a reader and an administrator. */
const PRODUCERS: readonly DemoProducer[] = [
  { name: 'lineage', group: 'demo', scopes: ['ingest:lineage'] },
  { name: 'traces', group: 'demo', scopes: ['ingest:traces'] },
  { name: 'read', group: 'demo-read', scopes: ['read', 'audit'] },
  { name: 'admin', group: 'demo-admin', scopes: SCOPES },
];

/** Makes HMAC key epoch 0 and registers the demo producers, as an operator would in an account. */
export const seed: Seed = async (environment) => {
  const administration = administrationOf(environment);
  await administration.ensureFirstEpoch();
  const keys: Partial<Record<keyof Keys, string>> = {};
  for (const producer of PRODUCERS) keys[producer.name] = await keyOf(producer, administration);
  return keys as Keys;
};

/** A producer of a start that broke off is there already; its key was shown to nobody and ends. */
async function keyOf(
  { name, group, scopes }: DemoProducer,
  { producers }: Administration,
): Promise<string> {
  const registration = checkRegistration({ producerId: `demo-${name}`, group, scopes });
  const { producerId } = registration;
  const { key } = (await producers.directory.find(producerId))
    ? await rotateKey(producerId, 0, OPERATOR, producers)
    : await registerProducer(registration, OPERATOR, producers);
  return key as string;
}
