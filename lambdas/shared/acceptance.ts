import { randomFillSync } from 'node:crypto';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { v7 as uuidv7 } from 'uuid';
import type { Acceptance } from '../domain/evidence/accept.ts';
import type { EpochKeys } from '../domain/evidence/ports.ts';
import type { Scope } from '../domain/producers/registration.ts';
import { type AuthenticationDependencies, identify, requireScope } from './http/authenticate.ts';
import { HttpProblem } from './http/problem.ts';
import { countUnauthenticated, RequestUsage, type UsageDependencies } from './request-usage.ts';

export interface AcceptanceDependencies extends UsageDependencies, AuthenticationDependencies {
  readonly epochKeys: EpochKeys;
  readonly maxRecordBytes: number;
}

/**
 * Frames the work of a request that brings evidence: establishes who sends and under which key epoch,
 * spends one token of the producer's limit before the body is looked at, and counts what is refused for
 * good before the answer leaves.
 * @throws HttpProblem 401 or 403; UnavailableError when registry, key or limit cannot be had;
 *   RateLimitedError; whatever the work throws
 */
export async function withAcceptance(
  event: APIGatewayProxyEvent,
  scope: Scope,
  dependencies: AcceptanceDependencies,
  work: (acceptance: Acceptance, usage: RequestUsage) => Promise<APIGatewayProxyResult>,
): Promise<APIGatewayProxyResult> {
  const acceptance = await beginAcceptance(event, dependencies).catch((error: unknown) => {
    if (error instanceof HttpProblem && error.status === 401) countUnauthenticated(dependencies);
    throw error;
  });
  const usage = new RequestUsage(event, acceptance, dependencies);
  try {
    await usage.admit(1);
    requireScope(acceptance.registration, scope);
    const response = await work(acceptance, usage);
    await usage.settle();
    return response;
  } catch (error) {
    await usage.settleRefusal(error);
    throw error;
  }
}

async function beginAcceptance(
  event: APIGatewayProxyEvent,
  dependencies: AcceptanceDependencies,
): Promise<Acceptance> {
  const { epochKeys, maxRecordBytes, clock } = dependencies;
  const acceptedAtMillis = clock();
  const [registration, epochKey] = await Promise.all([
    identify(event, dependencies),
    epochKeys.at(acceptedAtMillis),
  ]);
  const newDeliveryId = () => uuidv7({ msecs: acceptedAtMillis, random: randomBytesOfId() });
  return { registration, epochKey, acceptedAtMillis, newDeliveryId, maxRecordBytes };
}

const ID_BYTES = 16;
/** Drawn for many ids at once: a draw of its own costs an id more than everything else about it. */
const randomness = Buffer.alloc(ID_BYTES * 256);
let drawn = randomness.length;

function randomBytesOfId(): Uint8Array {
  if (drawn === randomness.length) {
    randomFillSync(randomness);
    drawn = 0;
  }
  drawn += ID_BYTES;
  return randomness.subarray(drawn - ID_BYTES, drawn);
}
