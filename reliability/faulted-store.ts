import { ReceiveMessageCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { AwsFault } from '../test/support/aws-fault-proxy.ts';
import { type AwsFaultProxy, startAwsFaultProxy } from '../test/support/aws-fault-proxy.ts';
import { changeTimeout, changeVariables } from '../test/support/function-variables.ts';
import type { StoreClient } from '../test/support/store-client.ts';

const SEED = 20_261_130;
/** A failed redrive is tried again after a third of the fault, so that none of its five tries are used up by it. */
const VISIBILITY_PART = 3;
/** Longer than a redrive takes on a busy machine: a message that comes back while it is worked on counts as tried. */
const SHORTEST_VISIBILITY_SECONDS = 30;
/** What the template says. */
const VISIBILITY_SECONDS = 1_800;

/** A store whose functions reach stream, vault, tables and keys through a proxy that can fail. */
export interface FaultedStore {
  readonly proxy: AwsFaultProxy;
  /** What happens to calls from now on. */
  setPlan(plan: Readonly<Record<string, ReadonlyArray<readonly [AwsFault, number]>>>): void;
  /** New containers for both functions. */
  renew(): Promise<void>;
  limitArchive(seconds: number): Promise<() => Promise<void>>;
  /** The messages that wait in the failure queue now, as text; each look counts as a delivery. */
  failureMessages(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Leads the functions through a proxy, until it is closed. */
export async function openFaultedStore(
  { clients, environment }: StoreClient,
  faultSeconds: number,
): Promise<FaultedStore> {
  const { endpointUrl, functions, queues } = environment;
  const plan: Record<string, ReadonlyArray<readonly [AwsFault, number]>> = {};
  const proxy = await startAwsFaultProxy(endpointUrl, plan, SEED);
  const names = [functions.ingest, functions.archive];
  const lead = (extra: Record<string, string> = {}) =>
    Promise.all(
      names.map((name) =>
        changeVariables(clients, name, {
          AWS_ENDPOINT_URL_KINESIS: proxy.endpointUrl,
          AWS_ENDPOINT_URL_S3: proxy.endpointUrl,
          AWS_ENDPOINT_URL_DYNAMODB: proxy.endpointUrl,
          AWS_ENDPOINT_URL_KMS: proxy.endpointUrl,
          ...extra,
        }),
      ),
    );
  const setVisibility = (seconds: number) =>
    clients.sqs.send(
      new SetQueueAttributesCommand({
        QueueUrl: queues.lineageFailures,
        Attributes: { VisibilityTimeout: `${seconds}` },
      }),
    );
  const restore = await lead();
  await setVisibility(
    Math.max(SHORTEST_VISIBILITY_SECONDS, Math.ceil(faultSeconds / VISIBILITY_PART)),
  );

  let renewals = 0;
  return {
    proxy,
    setPlan: (next) => {
      for (const action of Object.keys(plan)) delete plan[action];
      Object.assign(plan, next);
    },
    renew: async () => void (await lead({ RENEWED: `${++renewals}` })),
    limitArchive: (seconds) => changeTimeout(clients, functions.archive, seconds),
    failureMessages: async () => {
      const { Messages = [] } = await clients.sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: queues.lineageFailures,
          MaxNumberOfMessages: 10,
          VisibilityTimeout: 0,
        }),
      );
      return Messages.map((message) => JSON.stringify(message));
    },
    close: async () => {
      await setVisibility(VISIBILITY_SECONDS);
      for (const undo of restore) await undo();
      await proxy.close();
    },
  };
}
