import { EnableKeyRotationCommand, GetKeyRotationStatusCommand } from '@aws-sdk/client-kms';
import { GetQueueAttributesCommand, type QueueAttributeName } from '@aws-sdk/client-sqs';
import type { Clients } from '../clients.ts';
import type { Properties, Setting } from './setting.ts';

/** Queue attributes whose loss would change how failures travel. */
const QUEUE_ATTRIBUTES = ['VisibilityTimeout', 'MessageRetentionPeriod', 'KmsMasterKeyId'] as const;

/** Settings of queues and keys; the emulator keeps the queues' own. */
export const queueAndKeySettings: readonly Setting[] = [
  ...QUEUE_ATTRIBUTES.map(
    (name): Setting => ({
      type: 'AWS::SQS::Queue',
      name,
      expected: (properties) => asText(properties[name]),
      read: (clients, id) => attribute(clients, id, name),
    }),
  ),
  {
    type: 'AWS::SQS::Queue',
    name: 'dead-letter queue',
    expected: (properties) => describeRedrive(properties.RedrivePolicy),
    read: async (clients, id) => {
      const policy = await attribute(clients, id, 'RedrivePolicy');
      return policy === undefined ? undefined : describeRedrive(JSON.parse(policy));
    },
  },
  {
    type: 'AWS::KMS::Key',
    name: 'rotation',
    expected: ({ EnableKeyRotation }) => EnableKeyRotation,
    apply: ({ kms }, KeyId, { EnableKeyRotation }) =>
      EnableKeyRotation ? kms.send(new EnableKeyRotationCommand({ KeyId })) : Promise.resolve(),
    read: async ({ kms }, KeyId) =>
      (await kms.send(new GetKeyRotationStatusCommand({ KeyId }))).KeyRotationEnabled ?? false,
  },
];

async function attribute(
  { sqs }: Clients,
  id: string,
  name: QueueAttributeName,
): Promise<string | undefined> {
  const command = new GetQueueAttributesCommand({ QueueUrl: id, AttributeNames: [name] });
  return (await sqs.send(command)).Attributes?.[name];
}

function describeRedrive(policy: unknown): unknown {
  if (typeof policy !== 'object' || policy === null) return undefined;
  const { deadLetterTargetArn, maxReceiveCount } = policy as Properties;
  return { deadLetterTargetArn, maxReceiveCount: Number(maxReceiveCount) };
}

function asText(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}
