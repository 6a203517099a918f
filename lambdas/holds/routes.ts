import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { DocumentVault, EvidenceVault } from '../domain/evidence/ports.ts';
import { type AskedHold, releaseHold, setHold } from '../domain/holds/change-hold.ts';
import { type Hold, setStepOf } from '../domain/holds/hold.ts';
import { invalidHold } from '../domain/holds/hold-errors.ts';
import { findRun, readHoldRequest } from '../domain/holds/hold-request.ts';
import {
  type HoldOutcome,
  type ReconcileHoldDependencies,
  reconcileHold,
} from '../domain/holds/reconcile-hold.ts';
import { settleRelease } from '../domain/holds/settle-release.ts';
import { DigestSearch } from '../domain/integrity/sealing-digests.ts';
import { runKeyOf } from '../domain/openlineage/run-key.ts';
import type { Handle } from '../shared/http/administration.ts';

import { readJsonBody } from '../shared/http/json-body.ts';
import { pageOf } from '../shared/http/page.ts';
import { HttpProblem } from '../shared/http/problem.ts';
import { jsonResponse } from '../shared/http/response.ts';

export interface RouteDependencies extends Omit<ReconcileHoldDependencies, 'vault'> {
  readonly vault: EvidenceVault & DocumentVault;
}

/** The gateway waits 29 s and the function lives 25: what is not begun by then, the schedule goes on with. */
const WORK_MILLIS = 18_000;

export const setOnRun: Handle<RouteDependencies> = async (event, by, dependencies) => {
  const request = await asked(event, by, dependencies);
  const hold = await setHold(request, dependencies);
  const { held, free: _none, ...outcome } = await within(reconcileHold, hold, dependencies);
  return jsonResponse(200, {
    ...outcome,
    hold: viewHold(hold),
    ...noteOn(hold, request),
    held: held.length,
    versions: held.map(({ key, versionId }) => ({ key, versionId })),
  });
};

export const releaseRun: Handle<RouteDependencies> = async (event, by, dependencies) => {
  const request = await asked(event, by, dependencies);
  const hold = await releaseHold(request, dependencies);
  const { held, free, ...outcome } = await within(settleRelease, hold, dependencies);
  return jsonResponse(200, {
    ...outcome,
    hold: viewHold(hold),
    ...noteOn(hold, request),
    released: free.length,
    deletable: free,
    stillHeld: held,
  });
};

export const listHolds: Handle<RouteDependencies> = async (event, _by, { holds }) => {
  const { runId } = queryOf(event);
  if (runId) {
    const items = await holds.ofRun(runKeyOf(runId));
    return jsonResponse(200, { items: items.map(viewHold), cursor: null });
  }
  const { cursor, limit } = pageOf(event);
  const { holds: items, next } = await holds.list(limit, cursor);
  return jsonResponse(200, { items: items.map(viewHold), cursor: next ?? null });
};

async function asked(
  event: APIGatewayProxyEvent,
  by: string,
  stores: RouteDependencies,
): Promise<AskedHold> {
  const { runId, submitter } = queryOf(event);
  if (!runId) throw new HttpProblem(400, 'Bad Request', 'give the run id: ?runId=');
  const request = readHoldRequest(
    readJsonBody(event, (rule) => invalidHold([{ path: '$', rule }])),
  );
  return { ...request, by, run: await findRun(runId, submitter, stores) };
}

/** The query, in which a name stands once: of several values none is what was surely meant. @throws HttpProblem 400 */
function queryOf(event: APIGatewayProxyEvent): Readonly<Record<string, string | undefined>> {
  const values = Object.values(event.multiValueQueryStringParameters ?? {});
  if (values.some((ofName) => (ofName?.length ?? 0) > 1)) {
    throw new HttpProblem(400, 'Bad Request', 'give each query parameter once');
  }
  return event.queryStringParameters ?? {};
}

/** Makes the bits say how a hold stands, for as long as a request may take. */
function within(
  settle: typeof reconcileHold,
  hold: Hold,
  dependencies: RouteDependencies,
): Promise<HoldOutcome> {
  const until = dependencies.clock() + WORK_MILLIS;
  const digests = new DigestSearch(dependencies, dependencies.clock);
  return settle(hold, digests, () => dependencies.clock() < until, dependencies);
}

/** Tells whoever asks when the reason that is kept is not the one given: a step is taken once and says why once. */
function noteOn({ status, reason }: Hold, asked: AskedHold): { readonly note?: string } {
  if (reason === asked.reason) {
    return asked.isReasonRedacted
      ? {
          note: 'something in the reason was replaced, as secret or personal, before it was stored',
        }
      : {};
  }
  const taken = status === 'active' ? 'set' : 'released';
  return { note: `the hold was ${taken} before for another reason, which stands` };
}

/** A hold as it was set, and its release. */
function viewHold(hold: Hold) {
  const {
    hold: _kind,
    runKey: _key,
    number: _number,
    status: _status,
    set: _set,
    ...set
  } = setStepOf(hold);
  const { at, by, reason, status } = hold;
  return { ...set, status, released: status === 'released' ? { reason, by, at } : null };
}
