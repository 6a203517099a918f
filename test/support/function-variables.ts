import {
  GetFunctionConfigurationCommand,
  UpdateFunctionConfigurationCommand,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';
import type { Clients } from '../../localstack/clients.ts';

/** Until then it runs as before, or not at all. In seconds. */
const WAIT = { minDelay: 1, maxDelay: 1, maxWaitTime: 30 };

/** Changes the environment variables of a deployed function. Returns how to set them back. */
export async function changeVariables(
  { lambda }: Pick<Clients, 'lambda'>,
  FunctionName: string,
  change: Readonly<Record<string, string>>,
): Promise<() => Promise<void>> {
  const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  const before = Environment?.Variables ?? {};
  const set = async (Variables: Record<string, string>) => {
    await lambda.send(
      new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables } }),
    );
    await waitUntilFunctionUpdatedV2({ client: lambda, ...WAIT }, { FunctionName });
  };
  await set({ ...before, ...change });
  return () => set(before);
}

/** Changes how long a deployed function may take. Returns how to set it back. */
export async function changeTimeout(
  { lambda }: Pick<Clients, 'lambda'>,
  FunctionName: string,
  seconds: number,
): Promise<() => Promise<void>> {
  const before = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  const set = async (Timeout: number | undefined) => {
    await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Timeout }));
    await waitUntilFunctionUpdatedV2({ client: lambda, ...WAIT }, { FunctionName });
  };
  await set(seconds);
  return () => set(before.Timeout);
}
