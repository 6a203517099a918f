import { createEnvelope, type Envelope } from '../../../lambdas/domain/evidence/envelope.ts';
import { packObjects } from '../../../lambdas/domain/evidence/evidence-object.ts';
import type { Digest, Recount } from '../../../lambdas/domain/integrity/digest.ts';
import { recount } from '../../../lambdas/domain/integrity/recount.ts';
import { head, NOW } from '../../support/builders.ts';
import { InMemoryStaging, InMemoryVault } from '../../support/fakes/bucket.ts';
import { inspectorOver, readerOver } from '../../support/fakes/readers.ts';
import { InMemoryStreamCounter } from '../../support/fakes/streams.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** Midday, so that intervals around it lie in one day and in several hours. */
export const FROM = Math.floor(NOW / HOUR) * HOUR;
export const text = (millis: number) => new Date(millis).toISOString();

/** A record that a stream took. */
export interface Taken {
  readonly plane: 'lineage' | 'traces';
  readonly shardId: string;
  readonly sequenceNumber: string;
  readonly arrivedAtMillis: number;
  readonly acceptedAt?: string;
  readonly retentionClass?: string;
}

const LOCK = {
  mode: 'GOVERNANCE',
  retainUntil: text(NOW + 365 * 24 * HOUR),
  clamped: false,
} as const;

function envelopeOf(taken: Taken, traceId?: string): Envelope {
  const { plane, shardId, sequenceNumber, arrivedAtMillis } = taken;
  return createEnvelope({
    head: head({
      receiptId: `receipt-${sequenceNumber}`,
      acceptedAt: taken.acceptedAt ?? text(arrivedAtMillis),
      retentionClass: taken.retentionClass ?? 'standard',
    }),
    receivedBytes: 2,
    stream: { shardId, sequenceNumber },
    kind: plane === 'traces' ? 'trace' : 'run',
    ...(traceId !== undefined && { traceId }),
    redaction: { policy: 'strict/1', mode: 'full', fields: [] },
    facts: { statements: [] },
    deviations: [],
    document: '{"stream":{"shardId":"x","sequenceNumber":"0"}}',
  });
}

/** Streams, buckets and the recount between them. */
export function recountedStore() {
  const time = { now: FROM };
  const counter = new InMemoryStreamCounter();
  const vault = new InMemoryVault('vault', () => time.now);
  const staging = new InMemoryStaging('staging', () => time.now);
  const inspector = inspectorOver(vault, staging);
  const reader = readerOver(vault, staging);
  const reads: string[] = [];

  const take = (...records: readonly Taken[]) => {
    for (const { plane, shardId, acceptedAt, ...record } of records) {
      const shards = counter.shardsOf[plane];
      const shard = shards.get(shardId) ?? [];
      shard.push({ ...record, acceptedAt: acceptedAt ?? text(record.arrivedAtMillis) });
      shards.set(shardId, shard);
    }
  };
  /** Stores records of one shard as the archive does with one batch, at a time after their arrival. */
  const store = async (records: readonly Taken[], staged = false, atMillis?: number) => {
    const [first] = records;
    if (!first) return;
    time.now =
      atMillis ?? Math.max(...records.map(({ arrivedAtMillis }) => arrivedAtMillis)) + 1_500;
    for (const object of packObjects(
      first.plane,
      records.map((record) => envelopeOf(record)),
    )) {
      if (staged) await staging.putObject(object);
      else await vault.putObject(object, LOCK);
    }
  };
  const count = async (
    interval: { from: number; to: number },
    options: {
      asOf?: number;
      now?: number;
      previous?: Pick<Digest, 'recounts'>;
      hasTime?: () => boolean;
      read?: typeof reader.read;
    } = {},
  ) => {
    const asOfMillis = options.asOf ?? interval.to + 5 * MINUTE;
    return recount({ from: text(interval.from), to: text(interval.to) }, options.previous, {
      ...{ counter, inspector, vaultBucket: 'vault', stagingBucket: 'staging', asOfMillis },
      graceMillis: 60 * MINUTE,
      reader: {
        read: (version) => {
          reads.push(version.key);
          return (options.read ?? reader.read)(version);
        },
      },
      clock: () => options.now ?? asOfMillis,
      hasTime: options.hasTime ?? (() => true),
    });
  };
  return { time, counter, vault, staging, inspector, reads, take, store, count };
}

export const statusOf = ({ plane, shardId, status }: Recount) => `${plane} ${shardId} ${status}`;
