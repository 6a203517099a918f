import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { WorkNotes } from '../domain/rebuild/ports.ts';
import { isMissing, s3Unavailable } from './s3-errors.ts';

/** Working papers in the staging bucket, whose lifecycle removes them. */
export class S3WorkNotes implements WorkNotes {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor(client: S3Client, bucket: string) {
    this.#client = client;
    this.#bucket = bucket;
  }

  async put(key: string, document: unknown): Promise<void> {
    try {
      await this.#client.send(
        new PutObjectCommand({
          ...{ Bucket: this.#bucket, Key: key, Body: JSON.stringify(document) },
          ContentType: 'application/json',
        }),
      );
    } catch (error) {
      throw s3Unavailable(error);
    }
  }

  async find(key: string): Promise<unknown | undefined> {
    try {
      const { Body } = await this.#client.send(
        new GetObjectCommand({ Bucket: this.#bucket, Key: key }),
      );
      return Body && JSON.parse(await Body.transformToString());
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw s3Unavailable(error);
    }
  }
}
