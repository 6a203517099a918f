import { PublishCommand, type SNSClient } from '@aws-sdk/client-sns';
import type { AnchoredHead, HeadAnchor } from '../domain/integrity/ports.ts';
import { canonicalJson } from '../domain/json/canonical.ts';
import { attempt } from './attempt.ts';

/** Sends heads to a topic of another account: whoever subscribes there keeps what this account cannot take back. */
export class SnsHeadAnchor implements HeadAnchor {
  readonly name: string;
  readonly #client: SNSClient;

  constructor(client: SNSClient, topicArn: string) {
    this.#client = client;
    this.name = topicArn;
  }

  async publish(head: AnchoredHead): Promise<void> {
    await attempt('anchor', () =>
      this.#client.send(
        new PublishCommand({ TopicArn: this.name, Message: canonicalJson({ head: 1, ...head }) }),
      ),
    );
  }
}
