import { S3Client } from '@aws-sdk/client-s3';
import { AssumeRoleCommand, GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { CliError, ExitCode } from '../../bin/evidence/cli.ts';
import type { DeploymentRecord } from '../../bin/evidence/deployment.ts';
import type { SessionPolicy } from './check.ts';
import type { AccountClients } from './clients.ts';

/** Accounts that emulators say they are, and the one of AWS's examples: none of them is anybody's. */
const NOBODYS_ACCOUNTS = new Set(['000000000000', '111111111111', '123456789012']);

/** Who asks, as AWS itself says. */
export interface Account {
  readonly id: string;
  readonly callerArn: string;
}

/**
 * That a command leads to AWS: what an emulator answers is no evidence of an account. Asked before anything is sent.
 * @throws CliError usage (2) with what leads elsewhere
 */
export function requireAws(deployment: DeploymentRecord, env: NodeJS.ProcessEnv): void {
  const refuse = (why: string) => {
    throw new CliError(ExitCode.usage, `${why}: account checks ask AWS and nobody else.`);
  };
  if (env.EMULATOR !== 'aws') refuse('EMULATOR is not aws');
  const elsewhere = Object.keys(env).find(
    (name) => name.startsWith('AWS_ENDPOINT_URL') && env[name],
  );
  if (elsewhere !== undefined) refuse(`${elsewhere} is set, unset it`);
  if (deployment.endpointUrl !== undefined || deployment.emulator !== undefined) {
    refuse(`${deployment.stage} is deployed on an emulator`);
  }
  if (!isAws(deployment.apiUrl)) refuse('The recorded API is not one of AWS');
}

/** Whether a URL is one of AWS's own, over TLS. */
function isAws(url: string): boolean {
  const { hostname, protocol } = new URL(url);
  return protocol === 'https:' && isAwsHost(hostname);
}

function isAwsHost(hostname: string): boolean {
  return /\.amazonaws\.com(\.cn)?$/.test(hostname);
}

/** The part of an SDK client that sends. */
interface Sending {
  readonly middlewareStack: {
    add(
      middleware: (next: (args: never) => unknown) => (args: { request: unknown }) => unknown,
      options: { readonly name: string; readonly step: 'finalizeRequest' },
    ): void;
  };
}

/** Lets nothing leave for another host, wherever a profile leads: no request, no credentials, no verdict. */
export function keepToAws(clients: Readonly<Record<string, object>>): void {
  for (const client of Object.values(clients) as Sending[]) {
    client.middlewareStack.add(
      (next) => (args) => {
        const { hostname } = args.request as { readonly hostname: string };
        if (!isAwsHost(hostname)) {
          throw new CliError(
            ExitCode.usage,
            'Your AWS profile leads to another endpoint than AWS: account checks ask AWS and nobody else.',
          );
        }
        return next(args as never);
      },
      { name: 'keepToAws', step: 'finalizeRequest' },
    );
  }
}

/**
 * Who the caller is, in the account that the deployment stands in.
 * @throws CliError usage (2) for an account of an emulator, or another one than that of the deployment
 */
export async function accountOf(
  { sts }: Pick<AccountClients, 'sts'>,
  { hmacKeyArn, stage }: DeploymentRecord,
): Promise<Account> {
  const { Account: id = '', Arn: callerArn = '' } = await sts.send(
    new GetCallerIdentityCommand({}),
  );
  if (NOBODYS_ACCOUNTS.has(id)) {
    throw new CliError(ExitCode.usage, `Account ${id} is that of an emulator or of an example.`);
  }
  const deployedIn = hmacKeyArn.split(':')[4];
  if (id !== deployedIn) {
    throw new CliError(
      ExitCode.usage,
      `Your credentials are of account ${id}, and ${stage} is deployed in ${deployedIn}: set AWS_PROFILE.`,
    );
  }
  return { id, callerArn };
}

/** S3 with the rights of a role that a session policy leaves. */
export async function s3Under(
  { sts }: Pick<AccountClients, 'sts'>,
  region: string,
  RoleArn: string,
  policy: SessionPolicy,
): Promise<S3Client> {
  const { Credentials } = await sts.send(
    new AssumeRoleCommand({
      RoleArn,
      RoleSessionName: 'account-check',
      Policy: JSON.stringify(policy),
    }),
  );
  const s3 = new S3Client({
    region,
    credentials: {
      accessKeyId: Credentials?.AccessKeyId ?? '',
      secretAccessKey: Credentials?.SecretAccessKey ?? '',
      ...(Credentials?.SessionToken !== undefined && { sessionToken: Credentials.SessionToken }),
    },
  });
  keepToAws({ s3 });
  return s3;
}
