import type { EmulatorName } from '../../localstack/emulators/kind.ts';
import type { KnownDefect } from '../support/known-defects.ts';

/** Tests of this folder that an emulator cannot pass. Each is run and has to fail, so the list shrinks by itself. */
export const KNOWN_DEFECTS: Readonly<Record<EmulatorName, readonly KnownDefect[]>> = {
  ministack: [],
  localstack: [
    {
      file: 'account-checks.test.ts',
      test: 'account checks, sent to an emulator > redrive-reads-back holds',
      defect:
        'writes the log of a function to another group than the one that it is configured with',
      instead: 'local/redrive.test.ts',
    },
    {
      file: 'emulator.test.ts',
      test: 'the life of the emulator > keeps its state over a stop and is reused while it runs',
      defect: 'keeps nothing over a stop: persistence is in the paid distribution',
      instead: 'local/emulator.test.ts',
    },
    {
      file: 'emulator.test.ts',
      test: 'the life of the emulator > keeps retention and legal holds over a stop, which the emulator alone forgets',
      defect: 'keeps nothing over a stop: persistence is in the paid distribution',
      instead: 'unit/localstack/object-locks.test.ts',
    },
    ...['run event 0', 'run event 11', 'job event 12'].map((document) => ({
      file: 'redaction.test.ts',
      test: `what a rule covers > is gone from what is stored and answered, as the preview says: ${document}`,
      defect:
        'a binary answer stays base64 under the media type */*, so a large answer says gzip and is none',
      instead: 'unit/shared/router.test.ts',
    })),
    ...[
      ...['POST /nowhere', 'PUT /v1/metrics'].map((request) => ({
        file: 'methods.test.ts',
        test: `a request by path and method, without a key > ${request} is 404`,
      })),
      {
        file: 'refusals.test.ts',
        test: 'a request that is refused > for an unknown path is answered with a problem document',
      },
    ].map((named) => ({
      ...named,
      defect:
        'gateway responses have the status of their template, and neither its headers nor its body',
      instead: 'infra/gateway-responses.test.ts',
    })),
  ],
  // Never run: what fails there is to be listed by whoever has a token.
  'localstack-docker': [],
};

const NOT_LOCALSTACK = {
  'event-source.test.ts': 'tests our runner, which stands in for the poller of MiniStack only',
  'load.test.ts':
    'its Kinesis takes 3 ms for each record, and its tables seconds for a query once they hold thousands of rows: every later test would wait; store-outages.test.ts injects the same faults',
};

/** Files that are not run on an emulator at all, and why. */
export const NOT_RUN: Readonly<Record<EmulatorName, Readonly<Record<string, string>>>> = {
  ministack: {},
  localstack: NOT_LOCALSTACK,
  'localstack-docker': NOT_LOCALSTACK,
};
