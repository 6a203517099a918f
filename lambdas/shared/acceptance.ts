import { randomFillSync } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { v7 as uuidv7 } from 'uuid';
import type { Acceptance } from '../domain/evidence/accept.ts';
import type { Clock, EpochKeys, ProducerRegistry } from '../domain/ports.ts';
import type { Scope } from '../domain/producers/registration.ts';
import type { ApiLogger } from './http/api-handler.ts';
import { authenticate } from './http/authenticate.ts';

export interface AcceptanceDependencies {
  readonly registry: ProducerRegistry;
  readonly epochKeys: EpochKeys;
  readonly maxRecordBytes: number;
  readonly clock: Clock;
  readonly logger: ApiLogger;
}

/**
 * Establishes who sends and under which key epoch, once for all deliveries of a request.
 * @throws HttpProblem 401 or 403; UnavailableError when registry or key cannot be had
 */
export async function beginAcceptance(
  event: APIGatewayProxyEvent,
  scope: Scope,
  { registry, epochKeys, maxRecordBytes, clock }: AcceptanceDependencies,
): Promise<Acceptance> {
  const acceptedAtMillis = clock();
  const [registration, epochKey] = await Promise.all([
    authenticate(event, scope, registry),
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
