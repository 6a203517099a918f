import { beforeAll, describe, expect, it } from 'vitest';
import { type Exchange, type Fault, textOf } from '../support/recording-proxy.ts';
import type { ClientEnvironment } from './environment.ts';
import { createPlan, type WorkloadPlan } from './plan.ts';
import { expectPlannedRuns, plannedEvents, sensitivePaths } from './planned-runs.ts';
import { type Proxied, useProxy } from './proxied.ts';
import { literals } from './statements.ts';
import {
  countDuplicates,
  delivered,
  distinctBodies,
  expectRunsComplete,
  expectStoredToTheByte,
  receiptOf,
  storedDocument,
} from './stored.ts';

// Installing the client is part of the first run of it.
const SETUP_MILLIS = 540_000;
const READ_MILLIS = 180_000;

/** A program that reports the runs of a plan through one OpenLineage client. */
export interface LineageClient {
  /** Sends the plan through an origin that stands for the API's. Returns how many emits failed, as the program saw it. */
  send(plan: WorkloadPlan, origin: string, environment: ClientEnvironment): Promise<number>;
  /** How many of the events are compressed. */
  readonly gzipped: number;
  /** What goes wrong with which of its requests, in the order in which they arrive. */
  readonly faults: readonly (Fault | undefined)[];
  /** Emits that then fail: the client gives up and says so. */
  readonly gaveUp: number;
  /** Events that then never reach the store. */
  readonly lost: number;
  /** Deliveries that then arrive beyond one for each event. */
  readonly repeated: number;
}

/** What every OpenLineage client must find in the store, undisturbed and with each fault. */
export function describeLineageClient(name: string, client: LineageClient): void {
  describe(name, { timeout: READ_MILLIS }, () => {
    const plan = createPlan(new Date());
    const proxied = useProxy();
    let sent: readonly Exchange[];

    /** Sends a plan through the proxy. */
    const send = ({ environment, proxy, during }: Proxied, sending: WorkloadPlan) =>
      during(async () => ({ gaveUp: await client.send(sending, proxy.origin, environment) }));

    beforeAll(async () => {
      ({ exchanges: sent } = await send(proxied, plan));
    }, SETUP_MILLIS);

    it('gets 201 and an own receipt for each event, at the first attempt', () => {
      expect(sent).toHaveLength(plannedEvents(plan));
      expect(sent.map(({ response }) => response?.status)).toEqual(sent.map(() => 201));
      expect(new Set(sent.map(receiptOf)).size).toBe(sent.length);
      expect(sent.filter(({ gzip }) => gzip)).toHaveLength(client.gzipped);
    });

    it('finds every event stored to the byte, but for the declared redactions', async () => {
      const redacted = await expectStoredToTheByte(proxied.environment, sent);
      expect(redacted).toEqual(sent.map(sensitivePaths));
    });

    it('finds no literal of a statement or an error in what is stored', async () => {
      for (const exchange of sent) {
        const values = JSON.stringify(
          JSON.parse(await storedDocument(proxied.environment, exchange)),
        );
        expect(literals.filter((literal) => values.includes(literal))).toEqual([]);
      }
      // The check above would notice: the literals were sent.
      const bodies = sent.map((exchange) => JSON.stringify(JSON.parse(textOf(exchange)))).join();
      expect(literals.filter((literal) => !bodies.includes(literal))).toEqual([]);
    });

    it('shows every run as it was reported', async () => {
      const runs = await expectPlannedRuns(proxied.environment, plan, sent);
      for (const { runId, traceId } of plan.runs) {
        expect(JSON.stringify(runs.get(runId)?.traces)).toContain(traceId);
      }
    });

    it(`loses ${client.lost} and gives up ${client.gaveUp} when ${nameOf(client.faults)}`, async () => {
      const disturbed = createPlan(new Date());
      proxied.proxy.inject(...client.faults);
      const { gaveUp, exchanges } = await send(proxied, disturbed);
      const faulty = exchanges.filter(({ fault }) => fault !== undefined);
      expect(faulty).toHaveLength(client.faults.filter((fault) => fault !== undefined).length);
      expect(gaveUp).toBe(client.gaveUp);
      expect(distinctBodies(exchanges)).toHaveLength(plannedEvents(disturbed));

      const arrived = delivered(exchanges);
      expect(distinctBodies(arrived)).toHaveLength(plannedEvents(disturbed) - client.lost);
      expect(arrived).toHaveLength(distinctBodies(arrived).length + client.repeated);
      await expectRunsComplete(proxied.environment, arrived);
      expect(await countDuplicates(proxied.environment, arrived)).toBe(client.repeated);
      const struck = distinctBodies(faulty);
      const afterwards = arrived.filter((exchange) => struck.includes(textOf(exchange)));
      await expectStoredToTheByte(proxied.environment, afterwards);
    });
  });
}

function nameOf(faults: readonly (Fault | undefined)[]): string {
  return faults
    .map((fault) => (fault?.kind === 'answer' ? String(fault.status) : (fault?.kind ?? 'pass')))
    .join(', ');
}

/** Stands in the statement that fails at dbt and at Spark, so in the error as well. */
const FAILED_LITERAL = 'CH9300762011623852957';

/** What is stored of an integration that sends what it likes, among it a statement that fails. */
export function itIsStoredWithoutTheLiteral(
  proxied: Proxied,
  sent: () => readonly Exchange[],
): void {
  it('finds every event stored to the byte, but for the declared redactions', async () => {
    await expectStoredToTheByte(proxied.environment, sent());
  });

  it('finds no literal of the failed statement in what is stored', async () => {
    expect(sent().some((exchange) => textOf(exchange).includes(FAILED_LITERAL))).toBe(true);
    for (const exchange of sent()) {
      expect(await storedDocument(proxied.environment, exchange)).not.toContain(FAILED_LITERAL);
    }
  });
}
