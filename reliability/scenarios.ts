import {
  type AwsFault,
  answerLost,
  type FaultPlan,
  keyDisabled,
  neverAnswered,
  partlyRefused,
  s3Broken,
  slowDown,
  throttled,
} from '../test/support/aws-fault-proxy.ts';
import type { Scenario } from './scenario.ts';

const disabledForKms: AwsFault = { kind: 'refuse', status: 400, code: 'DisabledException' };
const disabledForKinesis: AwsFault = { kind: 'refuse', status: 400, code: 'KMSDisabledException' };

/** Actions of DynamoDB that accepting and archiving use. */
const TABLE_ACTIONS = ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'];

/** Less than the tries of one call to a table that never answers: the function is ended in the middle of them. */
const KILLED_AFTER_SECONDS = 3;
/** A batch of 100 events makes about 600 rows: nearly every large batch is hit, and most of the single records go through. */
const KILLED_ROWS = 0.02;
/** Of the calls whose answer is lost: a batch must get through between two of them. */
const LOST_ROWS = 0.01;

/** Every scenario by name, in the order in which they run. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'kinesis-throttled': {
    summary: 'the stream refuses four puts of five, and half of the entries of the others',
    meets: [
      'PutRecords: ProvisionedThroughputExceededException',
      'PutRecords: refuse some entries',
    ],
    fault: ({ during }) =>
      during({
        PutRecords: [
          [throttled, 0.8],
          [partlyRefused, 0.2],
        ],
      }),
  },
  's3-unavailable': {
    summary: 'the vault answers 503 and 500 to every put',
    meets: ['PutObject lineage: SlowDown', 'PutObject lineage: InternalError'],
    fault: ({ during }) =>
      during({
        'PutObject lineage': [
          [slowDown, 0.5],
          [s3Broken, 0.5],
        ],
      }),
  },
  'kms-disabled': {
    summary: 'the keys are disabled: for HMAC secrets, for the stream, for the vault',
    meets: [
      'Decrypt: DisabledException',
      'PutRecords: KMSDisabledException',
      'PutObject lineage: KMS.DisabledException',
    ],
    fault: async ({ during, renew }) => {
      const ofStores = {
        PutRecords: [[disabledForKinesis, 1]],
        'PutObject lineage': [[keyDisabled, 1]],
      } satisfies FaultPlan;
      // Containers have their secret from before, and get as far as stream and vault; new ones have none.
      await during(ofStores, 0.5);
      const over = during({ ...ofStores, Decrypt: [[disabledForKms, 1]] }, 0.5);
      await renew();
      await over;
    },
  },
  'dynamodb-throttled': {
    summary: 'the tables refuse half of all calls',
    meets: ['GetItem', 'PutItem'].map(
      (action) => `${action}: ProvisionedThroughputExceededException`,
    ),
    fault: ({ during }) =>
      during(Object.fromEntries(TABLE_ACTIONS.map((action) => [action, [[throttled, 0.5]]]))),
  },
  'answers-lost': {
    summary:
      'stream, vault and tables do what they are asked, and their answers get lost; so do ours',
    meets: ['PutRecords', 'PutItem'].map((action) => `${action}: lose the answer`),
    traffic: { unheard: 0.05 },
    fault: ({ during }) =>
      during({
        PutRecords: [[answerLost, 0.3]],
        'PutObject lineage': [[answerLost, 0.3]],
        PutItem: [[answerLost, LOST_ROWS]],
      }),
  },
  'archive-killed': {
    summary: 'the archive is ended between the put to the vault and its rows',
    meets: ['PutItem: never answer'],
    fault: async ({ during, limitArchive }) => {
      const over = during({ PutItem: [[neverAnswered, KILLED_ROWS]] });
      const undo = await limitArchive(KILLED_AFTER_SECONDS);
      await over;
      await undo();
    },
  },
  poison: {
    summary: 'records that cannot be read, alone and among the others, in every position of a put',
    meets: [],
    fault: ({ poison }) => poison(),
  },
  duplicates: {
    summary: 'every request is sent three times, all in disorder',
    meets: [],
    traffic: { copies: 3 },
    fault: async () => undefined,
  },
  restart: {
    summary: 'the emulator is stopped in the middle and started again with what it had saved',
    meets: [],
    needsKeptData: true,
    fault: ({ restartEmulator }) => restartEmulator(),
  },
};
