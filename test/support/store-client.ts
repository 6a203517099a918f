import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import {
  GetObjectCommand,
  GetObjectRetentionCommand,
  ListObjectVersionsCommand,
} from '@aws-sdk/client-s3';
import type { Envelope } from '../../lambdas/domain/evidence/envelope.ts';
import { createClients } from '../../localstack/clients.ts';
import type { Environment, Keys } from '../../localstack/environment.ts';

/** An HTTP answer, read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly bytes: Uint8Array;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers by path
  readonly json: any;
}

/** A version of an object, or the marker that hides the others. */
interface ListedVersion {
  readonly key: string;
  readonly versionId: string;
  readonly deleteMarker: boolean;
}

const STORED_WITHIN_MILLIS = 30_000;

/** A caller of the deployed store, and an independent reader of what lies in its buckets. */
export class StoreClient {
  readonly environment: Environment;
  readonly clients: ReturnType<typeof createClients>;

  constructor(environment: Environment) {
    this.environment = environment;
    this.clients = createClients(environment.endpointUrl);
  }

  async post(
    path: string,
    body: string | Uint8Array,
    key: keyof Keys | string = 'lineage',
    headers: Record<string, string> = {},
  ) {
    return this.#send(path, key, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  }

  patch(path: string, body: unknown, key: keyof Keys | string): Promise<Answer> {
    return this.#send(path, key, { method: 'PATCH', body: JSON.stringify(body) });
  }

  get(path: string, key: keyof Keys | string = 'read'): Promise<Answer> {
    return this.#send(path, key, {});
  }

  /** Posts an event and waits until its receipt is answered with 200. */
  async store(event: unknown): Promise<Answer> {
    const posted = await this.post(
      '/api/v1/lineage',
      typeof event === 'string' ? event : JSON.stringify(event),
    );
    if (posted.status !== 201) throw new Error(`refused with ${posted.status}: ${posted.text}`);
    return this.stored(posted.json.receiptId);
  }

  /** Waits until a path answers 200 and the answer is as wanted. */
  async until(path: string, wanted: (answer: Answer) => boolean = () => true): Promise<Answer> {
    const deadline = Date.now() + STORED_WITHIN_MILLIS;
    for (;;) {
      const answer = await this.get(path);
      if (answer.status === 200 && wanted(answer)) return answer;
      if (Date.now() > deadline)
        throw new Error(`${path} still answers ${answer.status}: ${answer.text.slice(0, 500)}`);
      await sleep(100);
    }
  }

  stored(receiptId: string): Promise<Answer> {
    return this.until(`/api/v1/events/${receiptId}`);
  }

  /** A stored line, read through S3 alone. */
  async line(location: {
    bucket: string;
    key: string;
    versionId: string;
    line: number;
  }): Promise<Envelope> {
    const body = await this.object(location);
    return JSON.parse(gunzipSync(body).toString('utf8').split('\n')[location.line] as string);
  }

  async object({
    bucket,
    key,
    versionId,
  }: {
    bucket: string;
    key: string;
    versionId?: string;
  }): Promise<Buffer> {
    const { Body } = await this.clients.s3.send(
      new GetObjectCommand({ Bucket: bucket, Key: key, VersionId: versionId }),
    );
    return Buffer.from(await (Body as NonNullable<typeof Body>).transformToByteArray());
  }

  async lockOf({ bucket, key, versionId }: { bucket: string; key: string; versionId: string }) {
    const { Retention } = await this.clients.s3.send(
      new GetObjectRetentionCommand({ Bucket: bucket, Key: key, VersionId: versionId }),
    );
    return Retention;
  }

  /** Every version and delete marker of a bucket below a prefix. */
  async versions(bucket: string, prefix = ''): Promise<ListedVersion[]> {
    const found: ListedVersion[] = [];
    let KeyMarker: string | undefined;
    let VersionIdMarker: string | undefined;
    do {
      const page = await this.clients.s3.send(
        new ListObjectVersionsCommand({
          Bucket: bucket,
          Prefix: prefix,
          KeyMarker,
          VersionIdMarker,
        }),
      );
      for (const [deleteMarker, versions = []] of [
        [false, page.Versions],
        [true, page.DeleteMarkers],
      ] as const) {
        for (const { Key, VersionId } of versions) {
          found.push({ key: Key as string, versionId: VersionId as string, deleteMarker });
        }
      }
      KeyMarker = page.IsTruncated ? page.NextKeyMarker : undefined;
      VersionIdMarker = page.NextVersionIdMarker;
    } while (KeyMarker);
    return found;
  }

  async #send(path: string, key: keyof Keys | string, init: RequestInit): Promise<Answer> {
    const bearer = key in this.environment.keys ? this.environment.keys[key as keyof Keys] : key;
    const response = await fetch(this.environment.apiUrl + path, {
      ...init,
      headers: { ...(bearer && { authorization: `Bearer ${bearer}` }), ...init.headers },
    });
    const { status, headers: answered } = response;
    const bytes = Buffer.from(await response.arrayBuffer());
    const text = bytes.toString();
    return { status, headers: answered, text, bytes, json: parse(text) };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
