import {
  CreateFunctionCommand,
  InvokeCommand,
  waitUntilFunctionActiveV2,
} from '@aws-sdk/client-lambda';
import type { Clients } from '../../../localstack/clients.ts';
import { zipOf } from '../zip.ts';
import type { Call } from './call.ts';

/** What a function may do to its caller, by the `act` of the event. */
const SOURCE = `let calls = 0;
export const handler = async ({ act, bytes }) => {
  calls += 1;
  if (act === 'throw') throw new RangeError('thrown');
  if (act === 'exit') process.exit(1);
  if (act === 'hang') await new Promise((resolve) => setTimeout(resolve, 60_000));
  if (act === 'answer') return 'x'.repeat(bytes);
  return { calls };
};
`;

const ROLE = 'arn:aws:iam::000000000000:role/any';

/** Creates a function of this code. Its name is also that of its handler's file. */
export async function deployFunction(
  { lambda }: Pick<Clients, 'lambda'>,
  FunctionName: string,
  source: string,
  variables: Record<string, string> = {},
): Promise<void> {
  await lambda.send(
    new CreateFunctionCommand({
      FunctionName,
      Code: { ZipFile: zipOf('index.mjs', source) },
      Handler: 'index.handler',
      Role: ROLE,
      Runtime: 'nodejs22.x',
      Timeout: 2,
      Environment: { Variables: variables },
    }),
  );
  await waitUntilFunctionActiveV2({ client: lambda, maxWaitTime: 20 }, { FunctionName });
}

/** How invocations end. */
export function functionCalls(clients: Clients, run: string): readonly Call[] {
  const FunctionName = `${run}-function`;
  const invoke = async (event: object): Promise<string> => {
    const Payload = JSON.stringify(event);
    const answer = await clients.lambda.send(new InvokeCommand({ FunctionName, Payload }));
    const body = JSON.parse(Buffer.from(answer.Payload ?? []).toString() || 'null');
    if (!answer.FunctionError) return typeof body === 'string' ? 'ok' : JSON.stringify(body);
    return `${answer.FunctionError} ${body?.errorType}`;
  };
  return [
    {
      name: 'function: first and second call share a process',
      ask: async () => {
        await deployFunction(clients, FunctionName, SOURCE);
        return `${await invoke({})} ${await invoke({})}`;
      },
    },
    { name: 'function: throws', ask: () => invoke({ act: 'throw' }) },
    { name: 'function: exits', ask: () => invoke({ act: 'exit' }) },
    { name: 'function: runs out of time', ask: () => invoke({ act: 'hang' }) },
    { name: 'function: the next call is a new process', ask: () => invoke({}) },
    {
      name: 'function: answers 6 MB',
      ask: () => invoke({ act: 'answer', bytes: 6 * 1024 * 1024 }),
    },
    { name: 'function: answers more', ask: () => invoke({ act: 'answer', bytes: 6_500_000 }) },
  ];
}
