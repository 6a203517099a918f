import type { APIGatewayProxyEvent } from 'aws-lambda';
import { matchesKeyHash, readBearerKey } from '../../domain/producers/bearer-key.ts';
import type { ProducerRegistry } from '../../domain/producers/ports.ts';
import { hasScope, type Registration, type Scope } from '../../domain/producers/registration.ts';
import { readAssumedRole } from '../../domain/producers/role-arn.ts';
import { headerValues } from './body.ts';
import { forbidden, unauthorized } from './problem.ts';

const BEARER = /^bearer\s+(\S+)\s*$/i;

/** Where the key goes when the gateway asks for SigV4, which takes the Authorization header for itself. */
const KEY_HEADER = 'x-evidence-key';

/** What the gateway has checked before a function is called: nothing, or a SigV4 signature. */
export type AuthMode = 'bearer' | 'iam';

export interface AuthenticationDependencies {
  readonly registry: ProducerRegistry;
  /** Of the deployment, never of a request. */
  readonly authMode: AuthMode;
}

/**
 * Who sends a request, and that they may use it for this; one of several scopes is enough.
 * @throws HttpProblem 401 or 403; UnavailableError when the registry does not answer, never open
 */
export async function authenticate(
  event: APIGatewayProxyEvent,
  scope: Scope | readonly Scope[],
  dependencies: AuthenticationDependencies,
): Promise<Registration> {
  const registration = await identify(event, dependencies);
  requireScope(registration, scope);
  return registration;
}

/** @throws HttpProblem 403 */
export function requireScope(registration: Registration, scope: Scope | readonly Scope[]): void {
  const scopes = [scope].flat();
  if (!scopes.some((one) => hasScope(registration, one))) throw forbidden(scopes.join(' or '));
}

/**
 * Says who sends a request. A key counts before the role that signed: several producers may stand
 * behind one role, and a bad key is never made good by it.
 * @throws HttpProblem 401; UnavailableError when the registry does not answer, never open
 */
export async function identify(
  event: APIGatewayProxyEvent,
  { registry, authMode }: AuthenticationDependencies,
): Promise<Registration> {
  const presented = presentedKey(event, authMode);
  return presented === undefined && authMode === 'iam'
    ? await byRole(event, registry)
    : await byKey(presented, registry);
}

/** Of several Authorization lines the bearer one counts (the Java client can send two). */
function presentedKey(event: APIGatewayProxyEvent, authMode: AuthMode): string | undefined {
  const bearer = headerValues(event, 'authorization')
    // Several lines may arrive joined by commas; a bearer key holds none.
    .flatMap((value) => value.split(','))
    .flatMap((value) => BEARER.exec(value.trim())?.[1] ?? [])
    .at(-1);
  if (bearer !== undefined || authMode === 'bearer') return bearer;
  return headerValues(event, KEY_HEADER).at(-1)?.trim();
}

/** Form and checksum first, then the registry. */
async function byKey(
  presented: string | undefined,
  registry: ProducerRegistry,
): Promise<Registration> {
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

/** `userArn` is the gateway's own word about the signature; no header can set it. */
async function byRole(
  event: APIGatewayProxyEvent,
  registry: ProducerRegistry,
): Promise<Registration> {
  const role = readAssumedRole(event.requestContext.identity?.userArn ?? '');
  if (!role) throw unauthorized(`sign with an IAM role, or send a bearer key in ${KEY_HEADER}`);
  const registration = await registry.findByRole(role);
  if (!registration || registration.disabled) {
    throw unauthorized(
      `the role that signed is no registered producer, or a disabled one: have it registered, or send a bearer key in ${KEY_HEADER}`,
    );
  }
  return registration;
}
