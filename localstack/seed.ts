import { Administration } from '../lambdas/adapters/administration.ts';
import { SCOPES, type Scope } from '../lambdas/domain/producers/registration.ts';
import { environments } from '../lib/config/environments.ts';
import { retentionSetting } from '../lib/config/retention-setting.ts';
import { createClients } from './clients.ts';
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
export const seed: Seed = async ({ endpointUrl, buckets, tables, hmacKeyArn }) => {
  const administration = new Administration(
    createClients(endpointUrl),
    {
      vaultBucket: buckets.vault,
      producersTable: tables.producers,
      hmacKeyArn,
      retention: retentionSetting(environments.local),
    },
    Date.now,
  );
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
