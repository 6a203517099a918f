import { defineConfig } from 'vitest/config';
import { NOT_RUN } from './test/local/known-defects.ts';

/** Property tests run thousands of cases, on machines that do other things at the same time. */
const UNIT_TIMEOUT_MILLIS = 60_000;
/** Tests against a deployment wait for archive windows and for processes to start. */
const DEPLOYED_TEST_TIMEOUT_MILLIS = 90_000;
/** First start on a fresh machine: install the emulator, synthesise, deploy. */
const DEPLOY_TIMEOUT_MILLIS = 300_000;

const notRun = Object.keys(
  Object.entries(NOT_RUN).find(([name]) => name === process.env.EMULATOR)?.[1] ?? {},
);

const deployed = {
  globalSetup: ['test/support/local.ts'],
  testTimeout: DEPLOYED_TEST_TIMEOUT_MILLIS,
  hookTimeout: DEPLOY_TIMEOUT_MILLIS,
  // Tests share one deployment, and some of them break it for a moment.
  fileParallelism: false,
};

export default defineConfig({
  test: {
    env: {
      AWS_REGION: 'us-east-1',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    },
    reporters: ['default', './test/support/summary-reporter.ts'],
    coverage: { provider: 'v8', include: ['lambdas/**/*.ts', 'lib/**/*.ts', 'localstack/**/*.ts'] },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          testTimeout: UNIT_TIMEOUT_MILLIS,
        },
      },
      {
        extends: true,
        test: {
          name: 'infra',
          include: ['test/infra/**/*.test.ts'],
          setupFiles: ['test/support/asset-hash-serializer.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'local',
          include: ['test/local/**/*.test.ts'],
          exclude: notRun.map((name) => `test/local/${name}`),
          setupFiles: ['test/support/expect-defects.ts'],
          ...deployed,
        },
      },
      {
        extends: true,
        test: { name: 'clients', include: ['test/clients/**/*.test.ts'], ...deployed },
      },
      {
        extends: true,
        test: {
          name: 'auth',
          include: ['test/auth/**/*.test.ts'],
          ...deployed,
          globalSetup: ['test/auth/setup.ts'],
        },
      },
    ],
  },
});
