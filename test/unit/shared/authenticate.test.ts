import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../../../lambdas/domain/errors.ts';
import { composeBearerKey } from '../../../lambdas/domain/producers/bearer-key.ts';
import type { Registration } from '../../../lambdas/domain/producers/registration.ts';
import { type AuthMode, authenticate } from '../../../lambdas/shared/http/authenticate.ts';
import { HttpProblem } from '../../../lambdas/shared/http/problem.ts';
import { registration } from '../../support/builders.ts';
import type { InMemoryProducers } from '../../support/fakes/producers.ts';
import { KEY, KEY_ID, producersWith, request } from '../../support/http.ts';

const OTHER_SECRET = composeBearerKey(KEY_ID, 'T'.repeat(32));
const UNKNOWN = composeBearerKey('zzzzzzzzzzzz', 'S'.repeat(32));

const attempt = (
  authorization: string | string[] | undefined,
  producers = producersWith(),
  scope: 'read' | 'admin' = 'read',
) =>
  authenticate(
    request({
      headers: typeof authorization === 'string' ? { Authorization: authorization } : {},
      ...(Array.isArray(authorization) && { multiValueHeaders: { authorization } }),
    }),
    scope,
    { registry: producers, authMode: 'bearer' },
  );

const refusal = async (...args: Parameters<typeof attempt>): Promise<HttpProblem> => {
  const error = await attempt(...args).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(HttpProblem);
  return error as HttpProblem;
};
const lookups = ({ faults }: InMemoryProducers) => faults.calls;

describe('authenticate', () => {
  it.each([
    ['Bearer', `Bearer ${KEY}`],
    ['bearer in lower case', `bearer ${KEY}`],
    ['spaces and tabs behind it', `Bearer ${KEY} \t`],
    ['BEARER with spaces', `BEARER   ${KEY}  `],
    ['the last of several lines', ['Basic dXNlcjpwdw==', `Bearer ${UNKNOWN}`, `Bearer ${KEY}`]],
    ['the bearer line among others', [`Bearer ${KEY}`, 'Basic dXNlcjpwdw==']],
    ['lines that a proxy joined', `Basic dXNlcjpwdw==, Bearer ${KEY}`],
  ])('takes %s', async (_what, authorization) => {
    expect(await attempt(authorization)).toMatchObject({ producerId: 'producer-1' });
  });

  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['another scheme', `Basic ${KEY}`],
    ['the key alone', KEY],
    ['a scheme alone', 'Bearer '],
    ['two keys in a line', `Bearer ${KEY} ${KEY}`],
    ['a mistyped key', `Bearer ${KEY.slice(0, -1)}x`],
    ['a long line', `Bearer ${'x'.repeat(100_000)}`],
  ])('refuses %s with 401 and asks no table', async (_what, authorization) => {
    const producers = producersWith();
    expect((await refusal(authorization, producers)).status).toBe(401);
    expect(lookups(producers)).toEqual([]);
  });

  it.each([
    ['an unknown id', UNKNOWN, {}],
    ['a known id with another secret', OTHER_SECRET, {}],
    ['a disabled producer', KEY, { disabled: true }],
  ])('refuses %s with the very same 401', async (_what, key, registration) => {
    const problem = await refusal(`Bearer ${key}`, producersWith(registration));
    const unknown = await refusal(`Bearer ${UNKNOWN}`);
    expect([problem.status, problem.message, problem.headers]).toEqual([
      401,
      unknown.message,
      unknown.headers,
    ]);
  });

  it('refuses a known key without the scope with 403, and only that', async () => {
    expect((await refusal(`Bearer ${KEY}`, producersWith(), 'admin')).status).toBe(403);
    expect((await refusal(`Bearer ${OTHER_SECRET}`, producersWith(), 'admin')).status).toBe(401);
  });

  it('is unavailable when the table is, never open and never a 401', async () => {
    const producers = producersWith();
    producers.faults.refuse('findByKeyId');
    await expect(attempt(`Bearer ${KEY}`, producers)).rejects.toThrow(UnavailableError);
  });

  it('says nothing of the key it refuses', async () => {
    for (const key of [UNKNOWN, OTHER_SECRET, `${KEY}x`]) {
      const problem = await refusal(`Bearer ${key}`);
      expect(JSON.stringify([problem.message, problem.errors, problem.headers])).not.toMatch(
        /ev_|zzzz|TTTT|SSSS/,
      );
    }
  });

  it.each([
    ['beside the signature of the gateway', 'AWS4-HMAC-SHA256 Credential=x'],
    ['alone', undefined],
  ])(
    'takes the key from a header of its own where the gateway asks for a signature, %s',
    async (_what, authorization) => {
      const headers = {
        'X-Evidence-Key': KEY,
        ...(authorization && { Authorization: authorization }),
      };
      const producers = producersWith();
      const work = (authMode: AuthMode) =>
        authenticate(request({ headers }), 'read', { registry: producers, authMode });
      expect(await work('iam')).toMatchObject({ producerId: 'producer-1' });
      await expect(work('bearer')).rejects.toMatchObject({ status: 401 });
      expect(lookups(producers)).toHaveLength(1);
    },
  );

  it('takes the bearer key before the other header', async () => {
    const headers = { 'X-Evidence-Key': UNKNOWN, Authorization: `Bearer ${KEY}` };
    for (const authMode of ['bearer', 'iam'] as const) {
      const dependencies = { registry: producersWith(), authMode };
      expect(await authenticate(request({ headers }), 'read', dependencies)).toBeDefined();
    }
  });

  it('names the challenge that a client needs', async () => {
    expect((await refusal(undefined)).headers).toEqual({ 'www-authenticate': 'Bearer' });
  });
});

describe('authenticate with SigV4 at the gateway', () => {
  const ROLE = 'arn:aws:iam::111122223333:role/path/etl';
  const SESSION = 'arn:aws:sts::111122223333:assumed-role/etl/session-1';

  async function signed(
    userArn: string | undefined,
    { headers = {}, authMode = 'iam' as AuthMode, overrides = {} } = {},
  ) {
    const registry = producersWith();
    const { roleArn, ...rest } = registration({ producerId: 'by-role', roleArn: ROLE });
    const byRole = { roleArn, ...rest, ...overrides } as Registration;
    await registry.put(undefined, { version: 1, registration: byRole, keys: [] });
    const requestContext = { requestId: 'r', identity: { userArn } } as never;
    const work = authenticate(request({ headers, requestContext }), 'read', { registry, authMode });
    return work.then(
      ({ producerId }) => producerId,
      (error: HttpProblem) => error.status,
    );
  }

  it('knows a producer by the role that signed, without a key', async () => {
    expect(await signed(SESSION)).toBe('by-role');
    const Authorization = 'AWS4-HMAC-SHA256 Credential=x, SignedHeaders=host, Signature=0';
    expect(await signed(SESSION, { headers: { Authorization } })).toBe('by-role');
  });

  it.each([
    ['another role', 'arn:aws:sts::111122223333:assumed-role/other/s1'],
    ['the role of another account', 'arn:aws:sts::999922223333:assumed-role/etl/s1'],
    ['a user', 'arn:aws:iam::111122223333:user/etl'],
    ['the ARN of the role itself', ROLE],
    ['nobody', undefined],
  ])('refuses %s with 401', async (_who, userArn) => {
    expect(await signed(userArn)).toBe(401);
  });

  it('judges a producer by role like any other', async () => {
    expect(await signed(SESSION, { overrides: { disabled: true } })).toBe(401);
    expect(await signed(SESSION, { overrides: { scopes: ['hold'] } })).toBe(403);
  });

  it('takes a key before the role, and a bad key for no key of the role', async () => {
    expect(await signed(SESSION, { headers: { 'x-evidence-key': `${KEY} ` } })).toBe('producer-1');
    expect(await signed(SESSION, { headers: { 'x-evidence-key': UNKNOWN } })).toBe(401);
    expect(await signed(SESSION, { headers: { 'x-evidence-key': 'x' } })).toBe(401);
  });

  it('believes no ARN where the gateway checks no signature, and none in a header', async () => {
    expect(await signed(SESSION, { authMode: 'bearer' })).toBe(401);
    expect(
      await signed(undefined, { headers: { userArn: SESSION, 'x-amz-user-arn': SESSION } }),
    ).toBe(401);
  });

  it('is unavailable when the table is', async () => {
    const registry = producersWith();
    registry.faults.refuse('findByRole');
    const requestContext = { requestId: 'r', identity: { userArn: SESSION } } as never;
    const work = authenticate(request({ headers: {}, requestContext }), 'read', {
      ...{ registry, authMode: 'iam' as const },
    });
    await expect(work).rejects.toThrow(UnavailableError);
  });
});
