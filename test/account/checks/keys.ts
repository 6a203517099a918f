import { DescribeTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { GetKeyPolicyCommand, GetPublicKeyCommand, SignCommand } from '@aws-sdk/client-kms';
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { answerTo, controlStep, refusedStep } from '../answers.ts';
import { type AccountCheck, settingStep } from '../check.ts';

interface KeyStatement {
  readonly Effect: string;
  readonly Principal: { readonly AWS?: string | readonly string[] } | string;
  readonly Action: string | readonly string[];
}

/** What lets somebody sign, or hand signing on. */
const SIGNING = new Set(['kms:*', 'kms:CreateGrant', 'kms:Sign', '*']);

const signingKey: AccountCheck = {
  name: 'signing-key-policy',
  does: "asks the signing key for a signature as the caller (a dry run), and reads from its policy who may sign: the sealer's role alone",
  leaves: 'nothing',
  costs: '3 requests to KMS, 1 to Lambda',
  run: async ({ clients: { kms, lambda }, deployment: { functions, signingKeyId: KeyId } }) => {
    const control = controlStep(
      'the public key',
      await answerTo(kms.send(new GetPublicKeyCommand({ KeyId }))),
      'ok',
    );
    const sign = new SignCommand({
      KeyId,
      Message: new Uint8Array(32),
      MessageType: 'DIGEST',
      SigningAlgorithm: 'ECDSA_SHA_256',
      DryRun: true,
    });
    const signed = await answerTo(kms.send(sign));
    const { Policy = '{}' } = await kms.send(
      new GetKeyPolicyCommand({ KeyId, PolicyName: 'default' }),
    );
    const { Role } = await lambda.send(
      new GetFunctionConfigurationCommand({ FunctionName: functions.seal }),
    );
    return [
      control,
      refusedStep('a signature for the caller', signed, control.verdict === 'holds'),
      settingStep('who may sign by the policy', [Role], signersIn(Policy)),
    ];
  },
};

/** Principals of a key policy that may sign or hand signing on. */
function signersIn(policy: string): readonly string[] {
  const { Statement = [] } = JSON.parse(policy) as { readonly Statement?: readonly KeyStatement[] };
  return Statement.filter(
    ({ Action, Effect }) =>
      Effect === 'Allow' && [Action].flat().some((action) => SIGNING.has(action)),
  )
    .flatMap(({ Principal }) =>
      typeof Principal === 'string' ? Principal : [Principal.AWS].flat(),
    )
    .map(String);
}

const usageExpiry: AccountCheck = {
  name: 'usage-expiry',
  does: 'reads whether items of the usage table expire',
  leaves: 'nothing',
  costs: '1 request to DynamoDB',
  run: async ({ clients: { dynamo }, deployment: { tables } }) => {
    const { TimeToLiveDescription } = await dynamo.send(
      new DescribeTimeToLiveCommand({ TableName: tables.usage }),
    );
    return [settingStep('expiry', 'ENABLED', TimeToLiveDescription?.TimeToLiveStatus)];
  },
};

/** Who may use the keys, and how long the tables keep what they count. */
export const keyChecks: readonly AccountCheck[] = [signingKey, usageExpiry];
