import type { TestProject } from 'vitest/node';
import type { Environment } from '../../localstack/environment.ts';
import { enforceIam } from '../../localstack/iam-enforcement.ts';
import { createProgress } from '../../localstack/progress.ts';
import { startTemporary } from '../../localstack/temporary.ts';
import { startTlsEnd } from './iam-gateway.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The deployment that asks IAM, reached over what passes for TLS. */
    enforcing: Environment;
    /** Where its emulator itself listens, over plain HTTP. */
    plainEndpoint: string;
  }
}

/** Deploys, then has the emulator ask IAM. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const progress = createProgress();
  const { environment, localDir, remove } = await startTemporary('auth', progress);
  const { endpointUrl } = environment;
  const end = await startTlsEnd(endpointUrl);
  await progress('Starting the emulator so that it asks IAM', () =>
    enforceIam(localDir, environment, end.origin),
  );
  const enforcing = JSON.parse(
    JSON.stringify(environment).replaceAll(endpointUrl, end.origin),
  ) as Environment;
  project.provide('enforcing', enforcing);
  project.provide('plainEndpoint', endpointUrl);
  return async () => {
    await end.close();
    await remove();
  };
}
