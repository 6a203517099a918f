import { UnreadableRecordError } from '../errors.ts';
import type { StreamPosition } from './envelope.ts';

/** What the beginning of a stored line says: when it was accepted, and where in the stream it stood. */
export interface LineHead extends StreamPosition {
  /** RFC 3339 UTC. */
  readonly acceptedAt: string;
}

/**
 * An envelope begins with members in this order (createEnvelope), so that they can be cut out without parsing the
 * document behind them. Texts with an escape in them do not match and are parsed.
 */
const HEAD = new RegExp(
  [
    '^\\{"evidence":1,"receiptId":"S","acceptedAt":"(S)",',
    '"submitter":\\{"producerId":"S","group":"S"\\},"retentionClass":"S",',
    '(?:"registeredBasis":\\{"derivation":"S","completeness":"S"\\},)?',
    '"kind":"S",(?:"traceId":"S",)?"stream":\\{"shardId":"(S)","sequenceNumber":"(S)"\\}',
  ]
    .join('')
    .replaceAll('S', '[^"\\\\]*'),
);

/** Longer than the head of any line whose names are of usual length. */
const HEAD_BYTES = 1024;

/**
 * The head of a line, without its newline.
 * @throws UnreadableRecordError when it is no envelope
 */
export function lineHead(line: Buffer): LineHead {
  const cut = HEAD.exec(line.toString('utf8', 0, HEAD_BYTES));
  if (!cut) return parsedHead(line);
  const [, acceptedAt, shardId, sequenceNumber] = cut as unknown as [string, ...string[]];
  return headOf({ acceptedAt, stream: { shardId, sequenceNumber } });
}

function parsedHead(line: Buffer): LineHead {
  try {
    return headOf(JSON.parse(line.toString('utf8')));
  } catch {
    throw new UnreadableRecordError('object_unreadable'); // what the parser says quotes its input
  }
}

const SEQUENCE_NUMBER = /^\d+$/;

function headOf(envelope: unknown): LineHead {
  const { acceptedAt, stream } = envelope as { acceptedAt?: unknown; stream?: Partial<LineHead> };
  const { shardId, sequenceNumber } = stream ?? {};
  if (
    typeof acceptedAt !== 'string' ||
    typeof shardId !== 'string' ||
    typeof sequenceNumber !== 'string' ||
    !SEQUENCE_NUMBER.test(sequenceNumber)
  ) {
    throw new UnreadableRecordError('object_unreadable');
  }
  return { acceptedAt, shardId, sequenceNumber };
}
