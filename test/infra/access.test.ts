import { describe, expect, it } from 'vitest';
import { EvidencePrefix } from '../../lambdas/domain/evidence/evidence-prefix.ts';
import type { EnvironmentConfig } from '../../lib/config/environment-config.ts';
import { environments } from '../../lib/config/environments.ts';
import { Deployment } from '../support/iam/deployment.ts';
import { type Caller, evaluate } from '../support/iam/evaluate.ts';
import {
  asking,
  BREAK_GLASS_ROLE,
  callersOf,
  lockedPut,
  MASTERS,
  type Row,
  refusalOf,
  requestsTo,
} from '../support/iam/requests.ts';
import { createStage } from '../support/synth.ts';

const replica = {
  bucketArn: 'arn:aws:s3:::evidence-replica',
  kmsKeyArn: 'arn:aws:kms:eu-west-1:444455556666:key/1',
};
const configs: Record<string, EnvironmentConfig> = {
  prod: environments.prod,
  'prod with a replica': { ...environments.prod, replica },
  trial: environments.trial,
  'a trial with a break-glass role': {
    ...environments.trial,
    guards: { breakGlassRoleArn: BREAK_GLASS_ROLE },
  },
};

function deployed(config: EnvironmentConfig): Deployment {
  const stage = createStage(config);
  stage.synth();
  return new Deployment(stage);
}

describe.each(Object.entries(configs))('requests to %s', (_, config) => {
  const deployment = deployed(config);
  const callers = callersOf(deployment);
  const ask = asking(deployment);

  it.each(requestsTo(deployment, config))('%s', (_row, asked, allowed, otherwise) => {
    expect(Object.keys(callers)).toEqual(expect.arrayContaining([...allowed]));
    const answers = Object.entries(callers).map(([name, caller]) => [name, ask(caller, asked)]);
    const expected = Object.keys(callers).map((name) => [
      name,
      allowed.includes(name) ? 'allowed' : refusalOf(name, asked, otherwise),
    ]);
    expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(expected));
  });

  const vault = deployment.bucket('Vault/Bucket');
  const roles = Object.entries(deployment.roles());
  const folders = Object.values(EvidencePrefix);
  const tls = { 'aws:SecureTransport': 'true' };
  const withEverything = (caller: Caller): Caller => ({
    ...(caller as Extract<Caller, { kind: 'identity' }>),
    policies: [{ Statement: { Effect: 'Allow', Action: '*', Resource: '*' } }],
  });

  it('knows every role of the app', () => {
    expect(roles.length).toBeGreaterThan(14);
  });

  it.each(roles)('gives %s no right to delete or to get around a lock, anywhere', (_name, role) => {
    const rights = ['DeleteObject', 'DeleteObjectVersion', 'BypassGovernanceRetention'];
    for (const action of rights.map((right) => `s3:${right}`)) {
      for (const folder of folders) {
        const request = { caller: role, action, resource: `${vault.arn}/${folder}x`, context: tls };
        expect(evaluate(request, { accountId: vault.accountId }).why).toBe('nothing allows it');
        const armed = { ...request, caller: withEverything(role) };
        expect(evaluate(armed, vault).why).toBe('denied by a statement');
      }
    }
  });

  it.each(roles)(
    'lets %s neither shorten a lock below the floor nor take it off',
    (_name, role) => {
      const { floorDays, mode } = config.retention;
      const lock = lockedPut(config)().context as Record<string, string>;
      const without = Object.entries(lock).filter(([key]) => !key.startsWith('s3:object-lock'));
      for (const context of [
        { ...lock, 's3:object-lock-remaining-retention-days': `${floorDays - 1}` },
        { ...lock, 's3:object-lock-mode': mode === 'COMPLIANCE' ? 'GOVERNANCE' : 'COMPLIANCE' },
        Object.fromEntries(without),
      ]) {
        for (const folder of folders) {
          const resource = `${vault.arn}/${folder}x`;
          const caller = withEverything(role);
          const action = 's3:PutObjectRetention';
          const asked = { caller, action, resource, context: { ...tls, ...context } };
          expect(evaluate(asked, vault).why).toBe('denied by a statement');
        }
      }
    },
  );

  it('lets nobody in over plain HTTP, whatever has a policy', () => {
    const guarded = deployment.guarded();
    expect(guarded.length).toBeGreaterThan(5);
    const action: Record<string, string> = {
      s3: 's3:ListBucket',
      sns: 'sns:Publish',
      sqs: 'sqs:SendMessage',
    };
    for (const { arn, ...policies } of guarded) {
      const request = {
        caller: callers.admin as Caller,
        action: action[arn.split(':')[2] as string] as string,
        resource: arn,
      };
      const over = (secure: string) =>
        evaluate({ ...request, context: { 'aws:SecureTransport': secure } }, policies).why;
      expect([arn, over('false')]).toEqual([arn, 'denied by a statement']);
      expect([arn, over('true')]).toEqual([arn, 'allowed by an identity policy']);
    }
  });
});

/** The table of requests for reading, its columns as wide as the formatter makes them. */
function tableOf(requests: readonly Row[]): string {
  const named = (names: readonly string[]) => {
    const others = names.filter((name) => !MASTERS.includes(name)).map((name) => `\`${name}\``);
    const isAll = MASTERS.every((name) => names.includes(name));
    const masters = isAll ? ['masters'] : names.filter((name) => MASTERS.includes(name));
    return [...others, ...masters].join(', ') || 'nobody';
  };
  const cells = requests.map(([request, { action }, allowed, otherwise]) => [
    request.includes(action) ? request : `${request} (\`${action}\`)`,
    named(allowed),
    otherwise,
  ]);
  const rows = [['request', 'allowed', 'all others are told'], ...cells];
  const widths = [0, 1, 2].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
  lines.splice(
    1,
    0,
    widths.map((width) => '-'.repeat(width)),
  );
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

it('docs/access.md says the same', async () => {
  const { prod, 'a trial with a break-glass role': trial } = configs as {
    [name: string]: EnvironmentConfig;
  } & Record<'prod' | 'a trial with a break-glass role', EnvironmentConfig>;
  const rowsOf = (config: EnvironmentConfig) => requestsTo(deployed(config), config);
  const plain = new Set(rowsOf(prod).map(([request, , allowed]) => `${request} ${allowed}`));
  const opened = rowsOf(trial).filter(
    ([request, , allowed]) => !plain.has(`${request} ${allowed}`),
  );
  const document = `# Who may do what

What the policies of the templates answer, by the rules of IAM: \`test/infra/access.test.ts\` asks each request for every role of the app and for
others, and writes this page (\`npx vitest run --project infra test/infra/access.test.ts -u\`). No emulator evaluates these conditions. Names of functions are
folders below \`lambdas/\`. Masters are four who may do everything in the account: \`deployment\` (the role of \`guards.deploymentRoleArn\`), \`admin\`, \`root\`, and a role that is only named like ours; \`break-glass\` may do everything in S3.
Nobody else is allowed anything: a stranger without rights, another account, anybody without credentials, a service. Who reaches the API, by VPC endpoint, address or signature: \`test/infra/endpoint.test.ts\`.

## As \`prod\` is deployed

Objects lie below \`lineage/\` where nothing else is said.

${tableOf(rowsOf(prod))}

## With \`guards.breakGlassRoleArn\`

Only GOVERNANCE takes it. What is different then:

${tableOf(opened)}
`;
  await expect(document).toMatchFileSnapshot('../../docs/access.md');
});
