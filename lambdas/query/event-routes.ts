import { UnreadableRecordError } from '../domain/errors.ts';
import type { Envelope } from '../domain/evidence/envelope.ts';
import { readLine } from '../domain/evidence/evidence-object.ts';
import type { DeliveryEntry } from '../domain/evidence/index-entries.ts';
import { openReceipt, receiptEpoch } from '../domain/evidence/receipt.ts';
import type { EpochKeys } from '../domain/ports.ts';
import { jsonResponse, jsonTextResponse, notFound } from '../shared/http/problem.ts';
import type { Route } from '../shared/http/router.ts';
import type { ReadDependencies } from './run-routes.ts';

export function eventRoutes({
  index,
  reader,
  epochKeys,
}: ReadDependencies & { readonly epochKeys: EpochKeys }): Route[] {
  /** The delivery a receipt names; undefined while it is on its way. @throws HttpProblem 404 for a forged one */
  const find = async (receiptId: string): Promise<DeliveryEntry | { acceptedAt: string }> => {
    const epoch = receiptEpoch(receiptId);
    const key = epoch === undefined ? undefined : await epochKeys.byEpoch(epoch);
    const receipt = key && openReceipt(key, receiptId);
    if (!receipt) throw notFound('this store never issued that receipt');
    const acceptedAt = new Date(receipt.acceptedAtMillis).toISOString();
    return (await index.delivery(receiptId)) ?? { acceptedAt };
  };
  const pending = (acceptedAt: string) => jsonResponse(202, { status: 'pending', acceptedAt });

  return [
    {
      path: '/events/{receiptId}',
      handle: async ({ parameters }) => {
        const entry = await find(parameters.receiptId as string);
        if (!('location' in entry)) return pending(entry.acceptedAt);
        const { location, lock } = entry;
        if (entry.kind === 'quarantine') {
          return jsonResponse(200, { status: 'quarantined', ...entry });
        }
        const envelope = await readEnvelope(entry);
        // The row is all that is left of it: an audit names the loss, and the answer must not hide it.
        if (!envelope) return jsonResponse(200, { status: 'missing', ...entry });
        const duplicateOf = await originalOf(entry);
        return jsonResponse(200, {
          status: 'stored',
          ...envelope,
          location,
          lock,
          ...(duplicateOf && { duplicateOf }),
        });
      },
    },
    {
      path: '/events/{receiptId}/document',
      handle: async ({ parameters }) => {
        const entry = await find(parameters.receiptId as string);
        if (!('location' in entry)) return pending(entry.acceptedAt);
        if (entry.kind === 'quarantine') {
          throw notFound('this delivery stands in quarantine: no document of it was kept');
        }
        const envelope = await readEnvelope(entry);
        if (!envelope)
          throw notFound('the object version that held this document is not there any more');
        return jsonTextResponse(200, envelope.document);
      },
    },
  ];

  /** Undefined when the object version is gone, or does not hold the line. */
  async function readEnvelope({ location }: DeliveryEntry): Promise<Envelope | undefined> {
    try {
      return readLine(await reader.read(location), location.line);
    } catch (error) {
      if (error instanceof UnreadableRecordError) return undefined;
      throw error;
    }
  }

  /** The first receipt of the same bytes from the same producer, when this one is not the first. */
  async function originalOf(entry: DeliveryEntry): Promise<string | undefined> {
    if (entry.runKey === undefined) return undefined;
    const same = (await index.runEvents(entry.runKey)).filter(
      ({ submitter, receivedHmac }) =>
        submitter.producerId === entry.submitter.producerId && receivedHmac === entry.receivedHmac,
    );
    const [first] = same
      .map(({ acceptedAt, receiptId }) => ({ acceptedAt, receiptId }))
      .sort((a, b) =>
        `${a.acceptedAt} ${a.receiptId}` < `${b.acceptedAt} ${b.receiptId}` ? -1 : 1,
      );
    return first && first.receiptId !== entry.receiptId ? first.receiptId : undefined;
  }
}
