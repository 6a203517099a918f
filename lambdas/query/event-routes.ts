import {
  originalOf,
  type ReadDeliveryDependencies,
  readDelivery,
} from '../domain/evidence/read-delivery.ts';
import { notFound } from '../shared/http/problem.ts';
import { jsonResponse, jsonTextResponse } from '../shared/http/response.ts';
import type { Route } from '../shared/http/router.ts';

/** Why there is no document to give, by the state of the delivery. */
const WITHOUT_DOCUMENT = {
  quarantined: 'this delivery stands in quarantine: no document of it was kept',
  missing: 'the object version that held this document is not there any more',
} as const;

export function eventRoutes(dependencies: ReadDeliveryDependencies): Route[] {
  const find = async (receiptId = '') => {
    const delivery = await readDelivery(receiptId, dependencies);
    if (!delivery) throw notFound('this store never issued that receipt');
    return delivery;
  };
  return [
    {
      path: '/events/{receiptId}',
      handle: async ({ parameters }) => {
        const delivery = await find(parameters.receiptId);
        const { status } = delivery;
        if (status === 'pending') return jsonResponse(202, delivery);
        if (status !== 'stored') return jsonResponse(200, { status, ...delivery.entry });
        const { envelope, entry } = delivery;
        const duplicateOf = await originalOf(entry, dependencies.index);
        const { location, lock } = entry;
        return jsonResponse(200, { status, ...envelope, location, lock, duplicateOf });
      },
    },
    {
      path: '/events/{receiptId}/document',
      handle: async ({ parameters }) => {
        const delivery = await find(parameters.receiptId);
        if (delivery.status === 'pending') return jsonResponse(202, delivery);
        if (delivery.status !== 'stored') throw notFound(WITHOUT_DOCUMENT[delivery.status]);
        return jsonTextResponse(200, delivery.envelope.document);
      },
    },
  ];
}
