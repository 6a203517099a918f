import type { APIGatewayProxyEvent } from 'aws-lambda';
import { v7 as uuidv7 } from 'uuid';
import type { Acceptance } from '../domain/evidence/accept.ts';
import type { Clock, EpochKeys } from '../domain/ports.ts';
import type { Scope } from '../domain/producers/registration.ts';
import type { ApiLogger } from './http/api-handler.ts';
import { type AuthenticationDependencies, authenticate } from './http/authenticate.ts';

export interface AcceptanceDependencies extends AuthenticationDependencies {
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
  dependencies: AcceptanceDependencies,
): Promise<Acceptance> {
  const { epochKeys, maxRecordBytes, clock } = dependencies;
  const acceptedAtMillis = clock();
  const [registration, epochKey] = await Promise.all([
    authenticate(event, scope, dependencies),
    epochKeys.at(acceptedAtMillis),
  ]);
  const newDeliveryId = () => uuidv7({ msecs: acceptedAtMillis });
  return { registration, epochKey, acceptedAtMillis, newDeliveryId, maxRecordBytes };
}
