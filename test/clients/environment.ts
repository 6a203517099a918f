import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { inject } from 'vitest';

/** The part of environment.json (contract.md) that the client tests need. */
export interface ClientEnvironment {
  /** Of an emulator; absent on AWS itself. */
  readonly endpointUrl?: string;
  readonly region: string;
  readonly apiUrl: string;
  readonly clientUrls: {
    readonly python: string;
    readonly spark: { readonly endpoint: string };
    readonly otel: string;
  };
  readonly keys: { readonly lineage: string; readonly traces: string; readonly read: string };
}

/** The deployed environment: the file that ENVIRONMENT_JSON names, else what the global set-up provides. */
export function clientEnvironment(): ClientEnvironment {
  const file = process.env.ENVIRONMENT_JSON;
  if (file) return JSON.parse(readFileSync(file, 'utf8'));
  return inject('environment' as never) as unknown as ClientEnvironment;
}

/** S3 as the environment has it: the emulator takes any credentials, AWS those of the caller. */
export function vaultClient({ endpointUrl, region }: ClientEnvironment): S3Client {
  if (!endpointUrl) return new S3Client({ region });
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  return new S3Client({ region, endpoint: endpointUrl, forcePathStyle: true, credentials });
}

// Accepted to readable is a few seconds on the emulator; a full batching window and a cold start on AWS.
const READABLE_LIMIT_MILLIS = 60_000;
const POLL_MILLIS = 250;

/** Reads a path of the query API until the answer is 200 and as expected; its text. Fails after 60 s with the last answer. */
export async function readUntil(
  { apiUrl, keys }: ClientEnvironment,
  path: string,
  expected: (text: string) => boolean = () => true,
): Promise<string> {
  const deadline = Date.now() + READABLE_LIMIT_MILLIS;
  for (;;) {
    const response = await fetch(apiUrl + path, {
      headers: { Authorization: `Bearer ${keys.read}` },
      signal: AbortSignal.timeout(READABLE_LIMIT_MILLIS),
    });
    const text = await response.text();
    if (response.status === 200 && expected(text)) return text;
    if (Date.now() > deadline) throw new Error(`${path} still says ${response.status} ${text}`);
    await sleep(POLL_MILLIS);
  }
}
