import { setTimeout as sleep } from 'node:timers/promises';
import {
  DescribeExecutionCommand,
  type DescribeExecutionCommandOutput,
  type SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import type { Rebuilt } from '../../lambdas/domain/rebuild/rebuild-index.ts';
import { CliError, ExitCode } from './cli.ts';

/** A rebuild that is worth a state machine takes minutes. */
const POLL_MILLIS = 5_000;

/**
 * Starts the state machine and waits for it.
 * @param onStart told the execution, which goes on when this process ends
 * @throws CliError cannotLook (3) when the execution ends in any other way than well
 */
export async function rebuildDistributed(
  client: SFNClient,
  stateMachineArn: string,
  interval: { readonly from?: string; readonly to?: string },
  onStart: (executionArn: string) => void,
  pollMillis = POLL_MILLIS,
): Promise<Rebuilt> {
  const input = JSON.stringify({ step: 'plan', ...interval });
  const { executionArn = '' } = await client.send(
    new StartExecutionCommand({ stateMachineArn, input }),
  );
  onStart(executionArn);
  for (;;) {
    const execution: DescribeExecutionCommandOutput = await client.send(
      new DescribeExecutionCommand({ executionArn }),
    );
    if (execution.status === 'SUCCEEDED') return JSON.parse(execution.output as string) as Rebuilt;
    if (execution.status !== 'RUNNING' && execution.status !== 'PENDING_REDRIVE') {
      throw new CliError(
        ExitCode.cannotLook,
        `The execution ended as ${execution.status} (${execution.error ?? 'no code'}): see its history and the log of the function, then start again.`,
      );
    }
    await sleep(pollMillis);
  }
}
