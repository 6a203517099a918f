import { describeHoldIndexContract } from '../../support/contracts/hold-index-contract.ts';
import { describeLegalHoldsContract } from '../../support/contracts/legal-holds-contract.ts';
import { describeProducersContract } from '../../support/contracts/producers-contract.ts';
import { describeRunIndexContract } from '../../support/contracts/run-index-contract.ts';
import { describeSubjectKeysContract } from '../../support/contracts/subject-keys-contract.ts';
import { describeUsageContract } from '../../support/contracts/usage-contract.ts';
import { describeVaultContract } from '../../support/contracts/vault-contract.ts';
import { InMemoryVault } from '../../support/fakes/bucket.ts';
import { InMemoryHoldIndex, InMemoryLegalHolds } from '../../support/fakes/holds.ts';
import { InMemorySubjectKeys } from '../../support/fakes/keys.ts';
import { InMemoryProducers } from '../../support/fakes/producers.ts';
import { inspectorOver, readerOver, streamsOver } from '../../support/fakes/readers.ts';
import { InMemoryRunIndex } from '../../support/fakes/run-index.ts';
import { InMemoryUsage } from '../../support/fakes/usage.ts';

const lock = {
  mode: 'GOVERNANCE',
  retainUntil: '2026-06-01T00:00:00.000Z',
  clamped: false,
} as const;

describeVaultContract('in memory', () => {
  const vault = new InMemoryVault();
  return {
    vault,
    reader: readerOver(vault),
    streams: streamsOver(vault),
    inspector: inspectorOver(vault),
    bucket: vault.bucket,
    lock,
  };
});

describeProducersContract('in memory', () => {
  const producers = new InMemoryProducers(Date.now);
  return { directory: producers, freshRegistry: () => producers };
});

describeRunIndexContract('in memory', () => new InMemoryRunIndex());

describeHoldIndexContract('in memory', () => new InMemoryHoldIndex());

describeLegalHoldsContract('in memory', () => {
  const vault = new InMemoryVault();
  return {
    vault,
    legalHolds: new InMemoryLegalHolds(vault),
    inspector: inspectorOver(vault),
    lock,
  };
});

describeUsageContract('in memory', () => new InMemoryUsage());

describeSubjectKeysContract('in memory', () => new InMemorySubjectKeys());
