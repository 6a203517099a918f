import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { administrationOf, configOf } from '../../../bin/evidence/administration.ts';
import {
  clientUrlsOf,
  type DeploymentRecord,
  resourcesFrom,
} from '../../../bin/evidence/deployment.ts';

let signedBy: string[];
let endpointUrl: string;
let close: () => void;

beforeEach(async () => {
  signedBy = [];
  const server = createServer((request, response) => {
    const signature = request.headers.authorization ?? '';
    signedBy.push(/Credential=([^/]+)\//.exec(signature)?.[1] ?? 'nobody');
    response.writeHead(403).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpointUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = () => {
    server.close();
    server.closeAllConnections();
  };
});

afterEach(() => {
  close();
  vi.unstubAllEnvs();
});

const deployment = (overrides: Partial<DeploymentRecord>): DeploymentRecord => ({
  ...{ stage: 'local', region: 'us-east-1', apiUrl: 'http://a' },
  ...{ clientUrls: clientUrlsOf('http://a'), ...resourcesFrom((name) => name.toLowerCase()) },
  ...overrides,
});

describe('administrationOf', () => {
  it('needs no credentials on an emulator, and shows it none', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'of-an-account');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'of-an-account');
    await expect(
      administrationOf(deployment({ endpointUrl })).ensureFirstEpoch(),
    ).rejects.toThrow();
    expect(new Set(signedBy)).toEqual(new Set(['test']));
  });

  it('signs with the credentials of the caller in an account', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'of-an-account');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'of-an-account');
    vi.stubEnv('AWS_ENDPOINT_URL', endpointUrl);
    // A path-style name keeps the request on this machine.
    const { buckets } = deployment({});
    const record = deployment({ stage: 'dev', buckets: { ...buckets, vault: 'dotted.Name' } });
    await expect(administrationOf(record).ensureFirstEpoch()).rejects.toThrow();
    expect(new Set(signedBy)).toEqual(new Set(['of-an-account']));
  });
});

describe('configOf', () => {
  it('knows the stages of lib/config and no other', () => {
    expect(configOf('trial').name).toBe('trial');
    expect(() => configOf('constructor')).toThrow(/no environment constructor/);
  });
});
