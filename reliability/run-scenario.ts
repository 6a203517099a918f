import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreClient } from '../test/support/store-client.ts';
import { openFaultedStore } from './faulted-store.ts';
import { judge } from './judge.ts';
import { putPoison } from './poison.ts';
import { untilAnswered, untilVaulted, type VaultReader } from './read-back.ts';
import type { FaultControl, Outcome, Scenario, Size, Traffic } from './scenario.ts';
import { newEvents, type Sent, sendAll } from './traffic.ts';

/** What a scenario is run on. */
export interface Place {
  readonly store: StoreClient;
  /** One for all scenarios of a deployment: what it has read is not read again. */
  readonly reader: VaultReader;
  /** Ends the emulator and starts it again with what it had saved. */
  readonly restartEmulator: () => Promise<void>;
}

const ONCE: Traffic = { copies: 1, unheard: 0 };
/** The fault begins when this part of the events is accepted. */
const BEGINS_AT = 0.1;
const LOOK_MILLIS = 100;
/** A bound for a hang: a shared machine may archive ten events a second on an emulator. */
const DRAINED_WITHIN_MILLIS = 3_600_000;

/**
 * Sends events while a fault happens, waits until all is read back, and says what was lost, doubled or leaked.
 * @param canary stands in each place of every event that must not be kept
 */
export async function runScenario(
  name: string,
  scenario: Scenario,
  size: Size,
  canary: string,
  { store, reader, restartEmulator }: Place,
): Promise<Outcome> {
  const began = Date.now();
  const quarantinedBefore = await countQuarantined(store);
  const sent: Sent = {
    events: newEvents(size.events, canary),
    refused: {},
    leaks: 0,
  };
  const events = [...sent.events];
  let unreadable = 0;
  const faulted = await openFaultedStore(store, size.faultSeconds);
  try {
    const control: FaultControl = {
      during: async (plan, part = 1) => {
        faulted.setPlan(plan);
        await sleep(size.faultSeconds * part * 1_000);
        faulted.setPlan({});
      },
      renew: () => faulted.renew(),
      limitArchive: (seconds) => faulted.limitArchive(seconds),
      poison: async () => {
        const poisoned = await putPoison(store, canary);
        events.push(...poisoned.neighbours);
        unreadable += poisoned.unreadable;
      },
      restartEmulator,
    };
    let isSent = false;
    const sending = sendAll(store, sent, {
      senders: size.senders,
      canary,
      traffic: { ...ONCE, ...scenario.traffic },
    }).finally(() => {
      isSent = true;
    });
    const failing = until(() => isSent || acceptedOf(sent) >= size.events * BEGINS_AT).then(() =>
      scenario.fault(control),
    );
    await Promise.all([sending, failing]);
    const over = Date.now();
    const messages = await faulted.failureMessages();

    const deadline = over + DRAINED_WITHIN_MILLIS;
    const vaulted = await untilVaulted(reader, events, deadline);
    const answered = await untilAnswered(store, vaulted, deadline);
    const quarantined = await untilQuarantined(store, quarantinedBefore + unreadable, deadline);
    const drained = Date.now();
    const verdict = judge(events, vaulted, answered);
    const named = quarantined - quarantinedBefore;
    const leaks = sent.leaks + messages.filter((text) => text.includes(canary)).length;
    return {
      scenario: name,
      ...verdict,
      refused: sent.refused,
      quarantined: named,
      faults: sum(
        [...faulted.proxy.counts].flatMap(([what, count]) => (what.includes(': ') ? [count] : [])),
      ),
      drainSeconds: (drained - over) / 1_000,
      totalSeconds: (drained - began) / 1_000,
      problems: [
        ...verdict.problems,
        ...(named === unreadable ? [] : [`${named} of ${unreadable} unreadable records are named`]),
        ...(leaks > 0 ? [`${leaks} answers or failure messages held a payload`] : []),
        ...scenario.meets
          .filter((what) => !faulted.proxy.counts.has(what))
          .map((what) => `no call met the fault: ${what}`),
      ],
    };
  } finally {
    await faulted.close();
  }
}

async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await sleep(LOOK_MILLIS);
}

function acceptedOf({ events }: Sent): number {
  return events.filter(({ receipts }) => receipts.length > 0).length;
}

async function countQuarantined(store: StoreClient): Promise<number> {
  return (await store.versions(store.environment.buckets.vault, 'quarantine/')).length;
}

async function untilQuarantined(
  store: StoreClient,
  wanted: number,
  deadline: number,
): Promise<number> {
  for (;;) {
    const count = await countQuarantined(store);
    if (count >= wanted || Date.now() > deadline) return count;
    await sleep(LOOK_MILLIS);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
