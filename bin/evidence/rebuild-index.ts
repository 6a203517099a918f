import { type Command, Option } from 'commander';
import { mapConcurrently } from '../../lambdas/domain/concurrency.ts';
import { LineageError } from '../../lambdas/domain/errors.ts';
import {
  findPlan,
  planName,
  plannedPartitions,
  planRebuild,
  type RebuildIndexDependencies,
  type Rebuilt,
  rebuildAnswer,
  rebuildPlanned,
  reportRebuild,
} from '../../lambdas/domain/rebuild/rebuild-index.ts';
import {
  type RegistersCount,
  rebuildRegisters,
} from '../../lambdas/domain/rebuild/rebuild-registers.ts';
import type { RebuildPlan } from '../../lambdas/domain/rebuild/rebuild-report.ts';
import { type CliContext, CliError, ExitCode, type GlobalOptions, globalOptions } from './cli.ts';
import { openDeployment } from './deployment.ts';
import { instantOf } from './instant.ts';
import { type Rebuilding, rebuildingOf } from './rebuild-dependencies.ts';
import { rebuildDistributed } from './rebuild-distributed.ts';
import { printable } from './table.ts';

interface Options {
  readonly from?: string;
  readonly to?: string;
  readonly distributed?: true;
  readonly resume?: string;
}

interface ReachedDeployment extends Rebuilding {
  readonly stateMachine: string;
}

/** Partitions at once: each keeps some 64 writes in flight at most, and mostly waits. */
const CONCURRENT_PARTITIONS = 4;

/** @param rebuildingFor what reaches the stores of a deployment; the tests bring their own */
export function addRebuildIndexCommand(
  program: Command,
  context: CliContext,
  rebuildingFor: (options: GlobalOptions) => ReachedDeployment = (options) => {
    const deployment = openDeployment(options, context);
    return { ...rebuildingOf(deployment), stateMachine: deployment.stateMachines.rebuildIndex };
  },
): void {
  program
    .command('rebuild-index')
    .description(
      'writes the index and the producers table anew from the vault alone; uses your AWS credentials, not a bearer key',
    )
    .option('--from <time>', 'only what was accepted from this UTC time on; whole hours')
    .option('--to <time>', 'only what was accepted before it')
    .option('--distributed', 'by the state machine of the deployment, for large vaults')
    .addOption(
      new Option('--resume <plan>', 'goes on with a plan that was interrupted').conflicts([
        ...['from', 'to', 'distributed'],
      ]),
    )
    .action(async (options: Options, command: Command) => {
      const globals = globalOptions(command);
      const say = (sentence: string) => context.stderr.write(`${sentence}\n`);
      const interval = intervalOf(options);
      const { index, registers, ...reached } = rebuildingFor(globals);
      // before anything is written: a wrong name must change nothing
      const resumed =
        options.resume === undefined ? undefined : await planOf(options.resume, index);
      const registered = await rebuildRegisters(registers);
      say(
        `${registered.producers} producers, ${registered.hmacEpochs} HMAC epochs and ${registered.holdDocuments} documents of holds are read.`,
      );
      for (const name of registered.unreadable)
        say(`No document of a register: ${printable(name)}`);
      for (const name of registered.passedOver)
        say(`Passed over, since it came after what is written once: ${printable(name)}`);
      const rebuilt = options.distributed
        ? await rebuildDistributed(
            reached.stepFunctions,
            reached.stateMachine,
            timesOf(options),
            (arn) => say(`Started ${arn}: it goes on without this command.`),
          )
        : await rebuildHere(
            resumed ?? (await planRebuild(planName(index.clock()), interval, index)),
            index,
            say,
          );
      for (const name of rebuilt.missingNamed)
        say(`Gone, though a digest lists it: ${printable(name)}`);
      const holds = await startHolds(registered, reached, say);
      const answer = { ...rebuilt, registers: registered, holds };
      context.stdout.write(globals.json ? `${JSON.stringify(answer)}\n` : render(rebuilt));
      const faults = faultsOf(answer);
      if (faults.length > 0) {
        throw new CliError(
          ExitCode.finding,
          `${faults.join('; ')}. The lines above and the report name them: ${rebuilt.location.key}`,
        );
      }
    });
}

type HoldReconciliation = 'none' | 'started' | 'not_started';

/**
 * What each hold is on stands in no document: the daily function finds it out anew. Until it has, a later span of a
 * held trace is not held as it comes, so it is not left to the schedule.
 */
async function startHolds(
  { holdDocuments }: RegistersCount,
  { startHoldReconciliation }: Pick<Rebuilding, 'startHoldReconciliation'>,
  say: (sentence: string) => void,
): Promise<HoldReconciliation> {
  if (holdDocuments === 0) return 'none';
  try {
    await startHoldReconciliation();
    say('There are holds: reconcile-holds is started and finds anew what each of them is on.');
    return 'started';
  } catch {
    return 'not_started';
  }
}

/** Why the index is not all that it should be. */
function faultsOf({
  registers: { unreadable, passedOver },
  holds,
  ...rebuilt
}: Rebuilt & { readonly registers: RegistersCount; readonly holds: HoldReconciliation }): string[] {
  const notRead = rebuilt.unreadable + unreadable.length;
  return [
    ...(rebuilt.missing > 0 ? [`${rebuilt.missing} objects that digests list are gone`] : []),
    ...(notRead > 0 ? [`${notRead} objects could not be read`] : []),
    ...(passedOver.length > 0
      ? [`${passedOver.length} documents of registers count for nothing`]
      : []),
    ...(holds === 'not_started' ? ['reconcile-holds could not be started: start it yourself'] : []),
  ];
}

/** The plan to go on with. @throws CliError usage (2) when there is none of this name */
async function planOf(resume: string, index: RebuildIndexDependencies): Promise<RebuildPlan> {
  try {
    return await findPlan(resume, index);
  } catch (error) {
    if (!(error instanceof LineageError) || error.code !== 'plan_unknown') throw error;
    throw new CliError(
      ExitCode.usage,
      'Staging has no plan of this name: leave --resume out to begin anew.',
    );
  }
}

/** Rebuilds a plan in this process. */
async function rebuildHere(
  plan: RebuildPlan,
  index: RebuildIndexDependencies,
  say: (sentence: string) => void,
): Promise<Rebuilt> {
  const partitions = plannedPartitions(plan);
  say(
    `Plan ${plan.plan}: ${partitions.length} hours of evidence and days of digests. After an interruption: evidence rebuild-index --resume ${plan.plan}`,
  );
  let done = 0;
  await mapConcurrently(partitions, CONCURRENT_PARTITIONS, async (partition) => {
    await rebuildPlanned(partition, index);
    done++;
    say(`${done} of ${partitions.length}: ${partition.prefix}`);
  });
  return rebuildAnswer(await reportRebuild(plan, index));
}

function render({ rebuilt, status, location }: Rebuilt): string {
  const { partitions, objects, records } = rebuilt;
  return `${records} records of ${objects} objects in ${partitions} hours are filed (${status}).\nReport: ${location.key}\n`;
}

/** @throws CliError usage (2) */
function intervalOf(options: Options) {
  const { from, to } = timesOf(options);
  if (from !== undefined && to !== undefined && from >= to) {
    throw new CliError(ExitCode.usage, '--from must be earlier than --to.');
  }
  return {
    ...(from !== undefined && { fromMillis: Date.parse(from) }),
    ...(to !== undefined && { toMillis: Date.parse(to) }),
  };
}

/** A date alone is the midnight that it begins with. @throws CliError usage (2) */
function timesOf({ from, to }: Options): { from?: string; to?: string } {
  const times = Object.entries({ from, to }).flatMap(([name, text]) => {
    const millis = instantOf(`--${name}`, text);
    return millis === undefined ? [] : [[name, new Date(millis).toISOString()]];
  });
  return Object.fromEntries(times);
}
