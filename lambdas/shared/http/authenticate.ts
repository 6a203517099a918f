import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { ProducerRegistry } from '../../domain/ports.ts';
import { matchesKeyHash, readBearerKey } from '../../domain/producers/bearer-key.ts';
import { hasScope, type Registration, type Scope } from '../../domain/producers/registration.ts';
import { headerValues } from './body.ts';
import { forbidden, unauthorized } from './problem.ts';

const BEARER = /^bearer\s+(\S+)\s*$/i;

/** Where the key goes when the gateway asks for SigV4, which takes the Authorization header for itself. */
const KEY_HEADER = 'x-evidence-key';

/**
 * Who sends a request, and that they may use it for this.
 * @throws HttpProblem 401 or 403; UnavailableError when the registry does not answer, never open
 */
export async function authenticate(
  event: APIGatewayProxyEvent,
  scope: Scope,
  registry: ProducerRegistry,
): Promise<Registration> {
  const registration = await identify(event, registry);
  requireScope(registration, scope);
  return registration;
}

/** @throws HttpProblem 403 */
export function requireScope(registration: Registration, scope: Scope): void {
  if (!hasScope(registration, scope)) throw forbidden(scope);
}

/**
 * Checks the bearer key of a request: form and checksum first, then the registry. Of several Authorization lines the bearer one counts (the Java client can send two).
 * @throws HttpProblem 401; UnavailableError when the registry does not answer, never open
 */
export async function identify(
  event: APIGatewayProxyEvent,
  registry: ProducerRegistry,
): Promise<Registration> {
  const presented =
    headerValues(event, 'authorization')
      // Several lines may arrive joined by commas; a bearer key holds none.
      .flatMap((value) => value.split(','))
      .flatMap((value) => BEARER.exec(value.trim())?.[1] ?? [])
      .at(-1) ?? headerValues(event, KEY_HEADER).at(-1);
  if (presented === undefined) throw unauthorized('send a bearer key in the Authorization header');
  const key = readBearerKey(presented);
  if (!key)
    throw unauthorized('the bearer key is mistyped or incomplete: its form or checksum is wrong');
  const known = await registry.findByKeyId(key.id);
  if (!known || !matchesKeyHash(key.presented, known.keyHash) || known.registration.disabled) {
    throw unauthorized('the bearer key is not known or no longer valid');
  }
  return known.registration;
}
