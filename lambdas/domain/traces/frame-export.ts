import { TooLargeError } from '../errors.ts';
import { type Acceptance, acceptDelivery } from '../evidence/accept.ts';
import type { OutgoingRecord } from '../evidence/ports.ts';
import type { AcceptedExport } from './accept-export.ts';
import type { TraceDeviation } from './departures.ts';

/**
 * What the records of one export may come to, as much as a request may have on the wire. Resource and scope
 * are repeated in every record; where they do not compress, 94 KB sent would be 22 MB to publish, which no
 * stream takes in the time of an answer, however often it is sent again.
 */
const MAX_FRAMED_BYTES = 4_500_000;

/**
 * Frames the parts of an export for the stream.
 * @param requestDeviations departures that the text shows nothing of any more
 * @throws TooLargeError when one record, or all of them together, are larger than the stream takes
 */
export function frameExport(
  { records, deviations }: AcceptedExport,
  requestDeviations: readonly TraceDeviation[],
  acceptance: Acceptance,
): OutgoingRecord[] {
  const receiverDeviations = [...requestDeviations, ...deviations];
  const framed: OutgoingRecord[] = [];
  let bytes = 0;
  for (const { body, partitionKey } of records) {
    const delivery = { received: body, body, partitionKey, receiverDeviations, deviations };
    const { record } = acceptDelivery(delivery, acceptance);
    bytes += record.data.length + partitionKey.length;
    // Before the next is compressed: that is most of the work.
    if (bytes > MAX_FRAMED_BYTES) {
      throw new TooLargeError('the export, cut by trace and compressed,', MAX_FRAMED_BYTES);
    }
    framed.push(record);
  }
  return framed;
}
