import { PutRecordsCommand } from '@aws-sdk/client-kinesis';
import { encodeStreamRecord } from '../lambdas/domain/evidence/stream-record.ts';
import type { StoreClient } from '../test/support/store-client.ts';
import { newEvents, type SentEvent } from './traffic.ts';

/** Good records of a put; the bad one stands before, between and behind them. */
const GOOD = 4;

/** What was put beside the front door. */
export interface Poisoned {
  /** The good neighbours, with the receipts that they were given. */
  readonly neighbours: readonly SentEvent[];
  /** Records that cannot be read. */
  readonly unreadable: number;
}

/** Puts every kind of unreadable record in every position among good ones, straight into the stream. */
export async function putPoison(
  { clients, environment }: StoreClient,
  canary: string,
): Promise<Poisoned> {
  const neighbours: SentEvent[] = [];
  let unreadable = 0;
  for (const kind of KINDS) {
    for (let position = 0; position <= GOOD; position++) {
      const events = newEvents(GOOD, canary);
      const records = events.map(goodRecord);
      records.splice(position, 0, kind(events[0] as SentEvent, canary));
      const { Records = [] } = await clients.kinesis.send(
        new PutRecordsCommand({
          StreamName: environment.streams.lineage,
          Records: records.map((Data) => ({ PartitionKey: events[0]?.runId, Data })),
        }),
      );
      if (Records.some(({ ErrorCode }) => ErrorCode))
        throw new Error('the stream took a part only');
      neighbours.push(...events);
      unreadable++;
    }
  }
  return { neighbours, unreadable };
}

type Kind = (neighbour: SentEvent, canary: string) => Uint8Array;

const KINDS: readonly Kind[] = [
  (_, canary) => Buffer.from(`no head ${canary}`),
  (_, canary) => Buffer.from(`{"record":1}\n${canary}`),
  (neighbour, canary) => recordOf(neighbour, `{"not json ${canary}`),
  (neighbour, canary) => recordOf(neighbour, JSON.stringify({ [canary]: 'no event' })),
  (neighbour) => recordOf(neighbour, neighbour.text, { epoch: 4_242, hmac: 'forged' }),
];

function goodRecord(event: SentEvent): Uint8Array {
  const record = { receiptId: `test-${event.runId}-${event.eventTime.slice(-4)}` };
  event.receipts.push(record.receiptId);
  return recordOf(event, event.text, undefined, record.receiptId);
}

function recordOf(
  { runId, eventTime }: SentEvent,
  body: string,
  received = { epoch: 0, hmac: `${runId}${eventTime}` },
  receiptId = `test-${runId}-unreadable`,
): Uint8Array {
  const head = {
    receiptId,
    acceptedAt: new Date().toISOString(),
    submitter: { producerId: 'demo-lineage', group: 'demo' },
    retentionClass: 'standard',
    received,
    deviations: [],
  };
  return encodeStreamRecord({ head, body: Buffer.from(body) });
}
