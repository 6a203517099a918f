import { originalOf, readDelivery } from '../domain/evidence/read-delivery.ts';
import {
  type NotProvable,
  type ProveDependencies,
  proveRecord,
} from '../domain/integrity/proof.ts';
import { traceIdOf } from '../domain/traces/ids.ts';
import { badTraceId, HttpProblem, notFound } from '../shared/http/problem.ts';
import { jsonResponse, jsonTextResponse } from '../shared/http/response.ts';
import type { Route } from '../shared/http/router.ts';

const NEVER_ISSUED = 'this store never issued that receipt';

/** Why there is no document to give, by the state of the delivery. */
const WITHOUT_DOCUMENT = {
  quarantined: 'this delivery stands in quarantine: no document of it was kept',
  missing: 'the object version that held this document is not there any more',
} as const;

/** Why there is no proof to give. */
const WITHOUT_PROOF: Readonly<Record<Exclude<NotProvable, 'contradicted'>, string>> = {
  quarantined:
    'this delivery stands in quarantine: no line of it was stored; digests seal its document by its hash',
  staged: 'these spans wait in staging: only what a run claims is kept and sealed',
  missing: 'the object version that held this record is not there any more',
  no_such_trace: 'this delivery holds nothing of that trace',
  too_large:
    'the digest holds too many records for an answer; npx evidence verify --record proves it',
};

/** Traces of one delivery that a refusal names. */
const MAX_NAMED_TRACES = 20;

export function eventRoutes(dependencies: ProveDependencies): Route[] {
  const find = async (receiptId = '') => {
    const delivery = await readDelivery(receiptId, dependencies);
    if (!delivery) throw notFound(NEVER_ISSUED);
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
    {
      path: '/events/{receiptId}/proof',
      handle: async ({ parameters: { receiptId = '' }, query }) => {
        const traceId = query.traceId === undefined ? undefined : traceIdOf(query.traceId);
        if (query.traceId !== undefined && traceId === undefined) throw badTraceId();
        const found = await proveRecord(receiptId, traceId, dependencies);
        if (!found) throw notFound(NEVER_ISSUED);
        switch (found.status) {
          case 'sealed':
            return jsonResponse(200, found.proof);
          case 'pending':
          case 'late':
            return jsonResponse(202, found);
          case 'ambiguous':
            throw manyTraces(found.traceIds);
          case 'contradicted':
            throw new HttpProblem(
              409,
              'Conflict',
              'the digests do not hold this record as the index names it; npx evidence verify says what is wrong',
            );
          default:
            throw notFound(WITHOUT_PROOF[found.status]);
        }
      },
    },
  ];
}

function manyTraces(traceIds: readonly string[]): HttpProblem {
  const named = traceIds.slice(0, MAX_NAMED_TRACES).join(', ');
  const rest = traceIds.length > MAX_NAMED_TRACES ? `, or another of ${traceIds.length}` : '';
  return new HttpProblem(
    409,
    'Conflict',
    `this delivery left a record for each of several traces; repeat with ?traceId= and one of: ${named}${rest}`,
  );
}
