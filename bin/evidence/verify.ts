import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import type { Command } from 'commander';
import { S3SealedStore } from '../../lambdas/adapters/s3-sealed-store.ts';
import { receiptTime } from '../../lambdas/domain/evidence/receipt.ts';
import { readPublicKey, type SigningKey } from '../../lambdas/domain/integrity/signing-key.ts';
import { type Verification, verify } from '../../lambdas/domain/integrity/verify.ts';
import { DAMAGES } from '../../lambdas/domain/integrity/verify-damage.ts';
import type { SealedStore } from '../../lambdas/domain/integrity/verify-store.ts';
import { clientConfigOf } from './administration.ts';
import { type CliContext, CliError, ExitCode, type GlobalOptions, globalOptions } from './cli.ts';
import { openDeployment, readDeployment, sayWhetherEmulated } from './deployment.ts';
import { instantOf } from './instant.ts';
import { DirectoryStore } from './verify-directory.ts';
import { DamageList, renderVerification } from './verify-render.ts';
import { VERSIONS_FILE } from './verify-versions.ts';

interface VerifyOptions {
  readonly dir?: string;
  readonly bucket?: string;
  readonly replicaOf?: string;
  readonly head?: string;
  readonly publicKey?: string;
  readonly from?: string;
  readonly to?: string;
  readonly record?: string;
}

/** What is verified, in words, and whether it is in use. */
interface Target {
  readonly name: string;
  readonly store: SealedStore;
  readonly isLive: boolean;
  /** Where a copy has its list of versions. */
  readonly versionsFrom?: string;
  readonly close?: () => void;
}

const PROGRESS_MILLIS = 2_000;

const EXIT_CODES = Object.entries(DAMAGES).map(
  ([kind, { exitCode, means }]) => `  ${exitCode}  ${kind.padEnd(17)} ${means}`,
);

export function addVerifyCommand(program: Command, context: CliContext): void {
  program
    .command('verify')
    .description('whether a vault, or a copy of one, is what was sealed; trusts nobody but a key')
    .option(
      '--dir <folder>',
      'a copy: aws s3 sync s3://<vault> <folder> --exclude versions.ndjson; needs no deployment',
    )
    .option('--bucket <name>', 'a vault, with your AWS credentials; otherwise that of --stage')
    .option(
      '--replica-of <vault>',
      'the vault that --bucket is a replica of, as its digests name it',
    )
    .option('--head <sha256>', 'hash of a digest that the chain must hold, known from elsewhere')
    .option('--public-key <file>', 'key of the first digest (PEM), known from elsewhere')
    .option('--from <time>', 'reads only what landed from then on; the chain is walked as a whole')
    .option('--to <time>', 'reads only what landed before; a date alone is its midnight UTC')
    .option('--record <receipt>', 'proves that one record was sealed, and prints the path')
    .addHelpText(
      'after',
      `
Reads only. Everything found is printed; the exit code is that of the gravest damage:
   0  holds
   2  the command is wrong
   3  cannot look: no such store, no right to read it, nothing of a vault in it, no sealed record of that receipt, or
      nothing sealed within --from and --to
${EXIT_CODES.join('\n')}

A copy has no versions, times and locks: a file versions.ndjson at its top gives them (docs/integrity.md).`,
    )
    .action(async (options: VerifyOptions, command: Command) => {
      const global = globalOptions(command);
      await runVerify(options, global, context);
    });
}

async function runVerify(
  options: VerifyOptions,
  global: GlobalOptions,
  context: CliContext,
): Promise<void> {
  const { head, record } = options;
  if (head !== undefined && !/^[0-9a-f]{64}$/.test(head)) {
    throw new CliError(ExitCode.usage, '--head must be a SHA-256 in 64 lower-case hex digits.');
  }
  const acceptedMillis = record === undefined ? undefined : acceptedTime(record);
  const from = instantOf('--from', options.from) ?? Number.NEGATIVE_INFINITY;
  const to = instantOf('--to', options.to) ?? Number.POSITIVE_INFINITY;
  if (from >= to) throw new CliError(ExitCode.usage, '--from must be earlier than --to.');
  const pinned = options.publicKey === undefined ? undefined : await keyIn(options.publicKey);
  const target = await targetOf(options, global, context);
  const damages = new DamageList();
  const done = await verify(target.store, {
    report: (damage) => damages.add(damage),
    covers: ({ lastModified }) => Date.parse(lastModified) >= from && Date.parse(lastModified) < to,
    progress: progressTo(context),
    nowMillis: Date.now(),
    isLive: target.isLive,
    ...(pinned && { pinned }),
    ...(head !== undefined && { head }),
    ...(record !== undefined && { receiptId: record }),
  }).finally(target.close);
  const { gravest } = damages;
  if (done.digests === 0 && !gravest) {
    throw new CliError(
      ExitCode.cannotLook,
      `There is nothing to verify in ${target.name}: it is no vault, or nothing has been sealed there yet.`,
    );
  }
  const unproven =
    acceptedMillis === undefined
      ? whyNothing(options, done)
      : done.proofs.length === 0
        ? whyUnproven(acceptedMillis, done.head?.to)
        : undefined;
  const holds = !gravest && unproven === undefined;
  const { counts, damages: listed } = damages.view();
  const { name, versionsFrom } = target;
  const source = { verified: name, ...(versionsFrom !== undefined && { versionsFrom }) };
  const answer = { holds, ...source, counts, damages: listed, ...done };
  context.stdout.write(
    global.json
      ? `${JSON.stringify({ ...answer, ...(unproven !== undefined && { unproven }) })}\n`
      : `${renderVerification(target, done, damages, unproven)}\n`,
  );
  if (gravest) {
    throw new CliError(DAMAGES[gravest].exitCode, `${gravest}: ${DAMAGES[gravest].means}.`);
  }
  if (unproven !== undefined) throw new CliError(ExitCode.cannotLook, unproven);
}

function acceptedTime(receiptId: string): number {
  const millis = receiptTime(receiptId);
  if (millis !== undefined) return millis;
  throw new CliError(
    ExitCode.usage,
    '--record must be a receipt as it was answered: r0_ or another epoch, 32 hex digits, _ and 32 more.',
  );
}

/** Where an interval leaves nothing to look at, nothing holds either. */
function whyNothing(
  { from, to }: VerifyOptions,
  { objects, unread, expired, head }: Verification,
): string | undefined {
  if (from === undefined && to === undefined) return undefined;
  if (objects + unread + expired > 0) return undefined;
  return `Nothing that landed within --from and --to is sealed: no object was looked at, and digests seal until ${head?.to ?? 'no time yet'}.`;
}

/** Whether a record may yet be sealed goes by when its receipt says it was accepted. */
function whyUnproven(acceptedMillis: number, sealedTo: string | undefined): string {
  const at = new Date(acceptedMillis).toISOString();
  return sealedTo !== undefined && acceptedMillis < Date.parse(sealedTo)
    ? `No sealed record has this receipt, of ${at}, and digests seal until ${sealedTo}: this store never issued it, keeps no evidence of it, or stored it late.`
    : `The record of this receipt is not sealed: it was accepted at ${at}, and digests seal until ${sealedTo ?? 'no time yet'}.`;
}

async function targetOf(
  { dir, bucket, replicaOf }: VerifyOptions,
  global: GlobalOptions,
  context: CliContext,
): Promise<Target> {
  if (dir !== undefined && bucket !== undefined) {
    throw new CliError(ExitCode.usage, 'Give --dir or --bucket, not both.');
  }
  if (replicaOf !== undefined && bucket === undefined) {
    throw new CliError(ExitCode.usage, '--replica-of needs --bucket, the replica.');
  }
  if (dir !== undefined) {
    const store = DirectoryStore.open(dir);
    const versionsFrom = store.knowsVersions ? { versionsFrom: join(dir, VERSIONS_FILE) } : {};
    return { name: dir, store, isLive: false, ...versionsFrom, close: () => store.close() };
  }
  const { stage } = global;
  const deployment =
    bucket === undefined ? openDeployment(global, context) : recorded(stage, context.env);
  const name = bucket ?? deployment?.buckets.vault ?? '';
  // A bucket of that name on an emulator is that of its record; any other is where the credentials lead.
  const isRecorded = deployment?.buckets.vault === name;
  const config = isRecorded ? clientConfigOf(deployment) : {};
  if (bucket !== undefined && isRecorded) sayWhetherEmulated(deployment, global, context);
  const store = new S3SealedStore(new S3Client(config), name, replicaOf);
  return { name: `s3://${name}`, store, isLive: true };
}

function recorded(stage: string | undefined, env: NodeJS.ProcessEnv) {
  try {
    return readDeployment(stage, env);
  } catch (error) {
    if (stage === undefined) return undefined;
    throw error;
  }
}

async function keyIn(file: string): Promise<SigningKey> {
  const key = readPublicKey(await readFile(file).catch(() => Buffer.alloc(0)));
  if (key) return key;
  throw new CliError(ExitCode.usage, `${file} holds no P-256 public key in PEM.`);
}

/** Says how far a verification is, when it takes longer than a moment. */
function progressTo({ stderr }: CliContext) {
  let last = Date.now();
  return ({ digests, objects }: Readonly<Verification>) => {
    if (Date.now() - last < PROGRESS_MILLIS) return;
    last = Date.now();
    stderr.write(`${digests} digests and ${objects} objects verified\n`);
  };
}
