import { administrationOf } from '../bin/evidence/administration.ts';
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
  for (const { name, group, scopes } of PRODUCERS) {
    keys[name] = await administration.register({
      producerId: `demo-${name}`,
      group,
      scopes,
      retentionClass: 'standard',
      disabled: false,
    });
  }
  return keys as Keys;
};
