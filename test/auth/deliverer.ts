import { randomUUID } from 'node:crypto';
import { type AttributeValue, PutItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { expect } from 'vitest';
import type { ConsumedRecord } from '../../lambdas/domain/evidence/consumed-record.ts';
import { runEvent, span, spanExport } from '../support/events.ts';
import { kinesisEvent } from '../support/kinesis-event.ts';
import type { Bench } from './bench.ts';
import { delivered } from './deliveries.ts';
import { removeVersion } from './front-door-checks.ts';

type Span = Record<string, unknown>;

/** Brings records to the archive functions, as their consumers do. */
export class Deliverer {
  readonly #bench: Bench;

  constructor(bench: Bench) {
    this.#bench = bench;
  }

  /** @throws Error unless the record is done with */
  async consume(fn: 'archive' | 'archiveTraces', record: ConsumedRecord): Promise<void> {
    const answer = await this.#bench.invoke(fn, kinesisEvent([record]));
    expect(answer.batchItemFailures).toEqual([]);
  }

  /** Removes what became of a record, past its lock. */
  async removeObjectOf(
    { position }: ConsumedRecord,
    bucket: string,
    prefix: string,
  ): Promise<void> {
    const versions = await this.#bench.store.versions(bucket, prefix);
    const mine = versions.filter(({ key }) => key.includes(position.sequenceNumber));
    expect(mine.length).toBeGreaterThan(0);
    for (const { key, versionId } of mine) {
      await removeVersion(this.#bench, { bucket, key, versionId });
    }
  }

  /** A trace in staging, without its object where so asked. */
  async staged({ isGone = false } = {}): Promise<Span> {
    const one = span();
    const record = traced(one);
    await this.consume('archiveTraces', record);
    const { staging } = this.#bench.environment.buckets;
    if (isGone) await this.removeObjectOf(record, staging, 'traces/');
    return one;
  }

  /** A trace in the vault that the index has in staging: a promotion broke off. */
  async halfPromoted(): Promise<Span> {
    const one = await this.staged();
    const before = await rowsNaming(this.#bench, String(one.traceId));
    await this.consume('archive', naming(one));
    const { environment, store } = this.#bench;
    for (const Item of before) {
      await store.clients.dynamodb.send(
        new PutItemCommand({ TableName: environment.tables.index, Item }),
      );
    }
    return one;
  }
}

/** A record of the traces stream with one span. */
export const traced = (one: Span): ConsumedRecord => delivered(spanExport(one), 'traces');

/** An event of a run that names a span as its own. */
export const naming = ({ traceId, spanId }: Span, runId: string = randomUUID()): ConsumedRecord =>
  delivered(
    runEvent({ run: { runId, facets: { bearingnode_traceContext: { traceId, spanId } } } }),
  );

/** Items of the index that hold a text. */
export async function rowsNaming({ environment, store }: Bench, text: string) {
  const TableName = environment.tables.index;
  const rows: Record<string, AttributeValue>[] = [];
  for await (const { Items = [] } of paginateScan(
    { client: store.clients.dynamodb },
    { TableName },
  )) {
    rows.push(...Items.filter((item) => JSON.stringify(item).includes(text)));
  }
  expect(rows.length).toBeGreaterThan(0);
  return rows;
}
