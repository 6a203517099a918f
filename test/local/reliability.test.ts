import { beforeAll, expect, inject, it } from 'vitest';
import { VaultReader } from '../../reliability/read-back.ts';
import { runScenario } from '../../reliability/run-scenario.ts';
import type { Scenario } from '../../reliability/scenario.ts';
import { SCENARIOS } from '../../reliability/scenarios.ts';
import { newCanary } from '../../reliability/traffic.ts';
import { findEverywhere } from '../support/everything-stored.ts';
import { localLogs } from '../support/local-logs.ts';
import { StoreClient } from '../support/store-client.ts';

/** The whole size is `npm run reliability`; what is shown here needs batches and neighbours, not thousands. */
const SIZE = { events: 100, senders: 20, faultSeconds: 5 };
/** A bound for a hang: a shared machine may take minutes. */
const TEST_MILLIS = 600_000;

const environment = inject('environment');
const store = new StoreClient(environment);
const place = {
  store,
  reader: new VaultReader(store),
  // The suite goes on with the emulator it has.
  restartEmulator: () => Promise.reject(new Error('the suite needs its emulator')),
};

beforeAll(() => place.reader.passOver());

// The other faults are in load.test.ts and store-outages.test.ts.
it.each(['dynamodb-throttled', 'poison', 'duplicates'])(
  'has each event once, and no payload anywhere: %s',
  async (name) => {
    const canary = newCanary();
    const scenario = SCENARIOS[name] as Scenario;
    const outcome = await runScenario(name, scenario, SIZE, canary, place);
    expect(outcome.problems).toEqual([]);
    expect(outcome.stored).toBeGreaterThanOrEqual(SIZE.events);
    const { hits } = await findEverywhere(environment, [canary], localLogs());
    expect(hits).not.toEqual([]);
    expect(hits.filter(({ kind }) => kind !== 'stream')).toEqual([]);
  },
  TEST_MILLIS,
);
