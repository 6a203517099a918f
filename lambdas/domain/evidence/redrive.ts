import { UnavailableError } from '../errors.ts';
import { openFinding, type StreamPlane } from '../findings.ts';
import type { ConsumedRecord } from './consumed-record.ts';
import { nameNotStored } from './not-stored.ts';
import { positionText } from './quarantine.ts';
import { type RecordDependencies, recordFinding } from './record-finding.ts';

/** What an on-failure message says of a batch: sequence numbers, never a payload. */
export interface FailedBatch {
  readonly plane: StreamPlane;
  readonly shardId: string;
  readonly startSequenceNumber: string;
  readonly endSequenceNumber: string;
  /** RFC 3339 UTC: when the stream took the first of them. */
  readonly firstArrivedAt: string;
}

/** Reads exactly the records of a failed batch back, in order; what the stream has let go is absent. */
export interface StreamReader {
  readRange(batch: FailedBatch): AsyncIterable<ConsumedRecord>;
}

/**
 * Hands one record to the archive function, in an invocation of its own.
 * `refused`: the infrastructure failed, try again later. `crashed`: the function did.
 */
export interface SingleArchiver {
  /** Whether the archive function of a plane works at all: an invocation without records succeeds. */
  isSound(plane: StreamPlane): Promise<boolean>;
  archive(plane: StreamPlane, record: ConsumedRecord): Promise<'archived' | 'refused' | 'crashed'>;
}

export interface RedriveDependencies extends RecordDependencies {
  readonly stream: StreamReader;
  readonly archiver: SingleArchiver;
}

/**
 * Archives the records of a failed batch one by one, so that a crashing record costs no neighbour.
 * What still crashes is named in quarantine with a finding; what is gone from the stream is a finding.
 * @throws UnavailableError when a record was refused or the archive function is broken: the message must come again
 */
export async function redriveBatch(
  batch: FailedBatch,
  dependencies: RedriveDependencies,
): Promise<{ archived: number; quarantined: number }> {
  let archived = 0;
  let quarantined = 0;
  const seen: string[] = [];
  for await (const record of dependencies.stream.readRange(batch)) {
    seen.push(record.position.sequenceNumber);
    const outcome = await dependencies.archiver.archive(batch.plane, record);
    if (outcome === 'refused') throw new UnavailableError('archive');
    // A function that cannot even do nothing is broken itself: no record is given up because of that.
    if (outcome === 'crashed' && !(await dependencies.archiver.isSound(batch.plane))) {
      throw new UnavailableError('archive');
    }
    if (outcome === 'archived') {
      archived++;
      continue;
    }
    await nameNotStored(record, 'archive_crashed', batch.plane, dependencies);
    quarantined++;
  }
  const { startSequenceNumber: first, endSequenceNumber: last } = batch;
  if (seen[0] !== first || seen.at(-1) !== last) await nameLost(batch, dependencies);
  return { archived, quarantined };
}

async function nameLost(batch: FailedBatch, dependencies: RedriveDependencies): Promise<void> {
  const { plane, shardId, startSequenceNumber, endSequenceNumber, firstArrivedAt } = batch;
  await recordFinding(
    openFinding('accepted_not_stored', {
      plane,
      subject: `${positionText({ shardId, sequenceNumber: startSequenceNumber })}-${endSequenceNumber}`,
      at: firstArrivedAt,
      runKeys: [],
      detail: { reason: 'gone_from_stream' },
    }),
    dependencies,
  );
}
