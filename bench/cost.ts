import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import {
  type BatchGetItemCommandInput,
  DynamoDBClient,
  type PutItemCommandInput,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { DynamoHoldIndex } from '../lambdas/adapters/dynamo-hold-index.ts';
import { DynamoRunIndex } from '../lambdas/adapters/dynamo-run-index.ts';
import { DynamoTable } from '../lambdas/adapters/dynamo-table.ts';
import { S3EvidenceVault } from '../lambdas/adapters/s3-vault.ts';
import { TableAttribute } from '../lambdas/adapters/table-layout.ts';
import { archiveRecords } from '../lambdas/domain/evidence/archive-records.ts';
import { holdingEvents } from '../lambdas/domain/holds/hold-arrivals.ts';
import { prepareEvent } from '../lambdas/domain/openlineage/prepare-event.ts';
import { storeEvents } from '../lambdas/domain/openlineage/store-events.ts';
import { STRICT } from '../lambdas/domain/redaction/policy.ts';
import { environments } from '../lib/config/environments.ts';
import { retentionSetting } from '../lib/config/retention-setting.ts';
import { REDACTION, toRecord } from './archive-input.ts';
import type { Benchmark, Cell } from './benchmark.ts';
import { recordedEvents } from './events.ts';

/** Counted for so many and scaled up: what is counted depends on the batch, not on how many there are. */
const EVENTS = 1_000;
const MILLION = 1_000_000;

/** Events a second over the whole store, each a request of its own. */
const RATES = [1, 10, 100, 1_000];

const PUT_UNIT_BYTES = 25 * 1_024;
const WRITE_UNIT_BYTES = 1_024;
/** What DynamoDB bills of a stored item beside its bytes. */
const ITEM_OVERHEAD_BYTES = 100;

const { archive, join, streams } = environments.prod;
const SHARDS = streams.capacity.mode === 'provisioned' ? streams.capacity.shards : 1;

/** Calls of AWS for a million events of 2 KB, from the code that makes them; the clients count and answer. */
export const cost: Benchmark = {
  summary: 'calls of AWS for a million events of 2 KB, by how busy the store is',

  async run() {
    const bodies = recordedEvents(EVENTS).map((text) => Buffer.from(text));
    const rows = [];
    for (const eventsPerSecond of RATES) {
      const batchSize = batchAt(eventsPerSecond);
      rows.push({ eventsPerSecond, batchSize, ...(await countArchive(bodies, batchSize)) });
    }
    return {
      rows,
      notes: [
        `prod: windows of ${archive.windowSeconds} s, batches of ${archive.batchSize} at most, ${SHARDS} shards; one event a request`,
        'PUT units: of 25 KB; write units: of 1 KB, the table and its index by hour together; read units: of 4 KB, of items that are not there; stored: gzipped, rows: as DynamoDB bills them',
        'beside these, for each event: 1 API Gateway request, 1 invocation of ingest, 1 PutRecords; for each batch 1 invocation of archive',
      ],
    };
  },
};

/** What one shard has after a window. */
function batchAt(eventsPerSecond: number): number {
  const waiting = Math.round((eventsPerSecond * archive.windowSeconds) / SHARDS);
  return Math.min(archive.batchSize, Math.max(1, waiting));
}

async function countArchive(
  bodies: readonly Buffer[],
  batchSize: number,
): Promise<Record<string, Cell>> {
  const counts = {
    s3Puts: 0,
    storedBytes: 0,
    dynamoPuts: 0,
    writeUnits: 0,
    dynamoReads: 0,
    readUnits: 0,
    rowBytes: 0,
  };
  const s3 = new S3Client({});
  const dynamo = new DynamoDBClient({});
  mockClient(s3)
    .onAnyCommand()
    .callsFake(({ Body }: { Body?: Uint8Array }) => {
      counts.s3Puts++;
      counts.storedBytes += Body?.length ?? 0;
      return { VersionId: 'v' };
    });
  mockClient(dynamo)
    .onAnyCommand()
    .callsFake((input: DynamoInput) => {
      if (!('Item' in input && input.Item)) {
        counts.dynamoReads++;
        counts.readUnits += readUnits(input);
        return { Items: [], Responses: {} };
      }
      counts.dynamoPuts++;
      const bytes = sizeOf(input.Item);
      const copies = TableAttribute.hour in input.Item ? 2 : 1;
      counts.writeUnits += copies * Math.ceil(bytes / WRITE_UNIT_BYTES);
      counts.rowBytes += copies * (bytes + ITEM_OVERHEAD_BYTES);
      return {};
    });

  const table = new DynamoTable(dynamo, 'index');
  const stores = {
    vault: new S3EvidenceVault(s3, 'vault'),
    index: new DynamoRunIndex(table),
    holds: new DynamoHoldIndex(table),
    legalHolds: undefined as never, // nothing is held
    retention: retentionSetting(environments.prod),
    clock: () => Date.parse('2026-11-29T10:00:00Z'),
  };
  const records = bodies.map(toRecord);
  for (let from = 0; from < records.length; from += batchSize) {
    const { failures, quarantined } = await archiveRecords(
      records.slice(from, from + batchSize),
      {
        ...stores,
        plane: 'lineage',
        epochKeys: { byEpoch: async () => REDACTION.key },
        subjectKeys: { secretOf: async () => undefined },
        recordPolicy: async () => undefined,
        prepare: (record, key) => prepareEvent(record, { policy: STRICT, key }),
        store: holdingEvents(
          (dated) =>
            storeEvents(dated, { ...stores, ...join, onTraceNamed: async () => undefined }),
          join.traceContextFacets,
          stores,
        ),
      },
      () => Number.POSITIVE_INFINITY,
    );
    if (failures.size + quarantined > 0) throw new Error('an event of the recording is not stored');
  }
  const million = (count: number) => Math.round((count * MILLION) / bodies.length);
  return {
    putUnits: million(records.reduce((sum, { data }) => sum + putUnits(data), 0)),
    archiveInvocations: million(Math.ceil(bodies.length / batchSize)),
    s3Puts: million(counts.s3Puts),
    storedMb: Math.round(million(counts.storedBytes) / 1e6),
    dynamoPuts: million(counts.dynamoPuts),
    dynamoWriteUnits: million(counts.writeUnits),
    rowsMb: Math.round(million(counts.rowBytes) / 1e6),
    dynamoReads: million(counts.dynamoReads),
    dynamoReadUnits: million(counts.readUnits),
  };
}

function putUnits(data: Uint8Array): number {
  return Math.ceil(data.length / PUT_UNIT_BYTES);
}

type DynamoInput = PutItemCommandInput | BatchGetItemCommandInput | QueryCommandInput;

/** Of a read that finds nothing: one for each key or query, half of one where it need not be consistent. */
function readUnits(input: BatchGetItemCommandInput | QueryCommandInput): number {
  const reads =
    'RequestItems' in input
      ? Object.values(input.RequestItems ?? {}).map((asked) => ({
          count: asked.Keys?.length ?? 0,
          isConsistent: asked.ConsistentRead,
        }))
      : [{ count: 1, isConsistent: (input as QueryCommandInput).ConsistentRead }];
  return reads.reduce(
    (sum, { count, isConsistent }) => sum + (isConsistent ? count : count / 2),
    0,
  );
}

/**
 * Bytes of an item as DynamoDB counts them, near enough: names, texts, digits, and three bytes for each nested value.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
function sizeOf(item: Readonly<Record<string, AttributeValue>>): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOfValue(value),
    0,
  );
}

function sizeOfValue({ S, N, L, M }: AttributeValue): number {
  if (S !== undefined) return Buffer.byteLength(S);
  if (N !== undefined) return Math.ceil(N.length / 2) + 1;
  if (L !== undefined) return 3 + L.reduce((sum, value) => sum + 1 + sizeOfValue(value), 0);
  if (M !== undefined) return 3 + Object.keys(M).length + sizeOf(M);
  return 1;
}
