import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import type { DeploymentRecord } from '../../../bin/evidence/deployment.ts';
import { accountOf, keepToAws, requireAws } from '../../account/account.ts';

const record = {
  stage: 'trial',
  region: 'eu-central-1',
  apiUrl: 'https://abc.execute-api.eu-central-1.amazonaws.com/trial',
  hmacKeyArn: 'arn:aws:kms:eu-central-1:222233334444:key/1',
} as DeploymentRecord;
const env = { EMULATOR: 'aws' };

describe('account checks are refused', () => {
  it.each<[string, DeploymentRecord, NodeJS.ProcessEnv]>([
    ['without EMULATOR', record, {}],
    ['for an emulator by name', record, { EMULATOR: 'ministack' }],
    ['when the environment names an endpoint', record, { ...env, AWS_ENDPOINT_URL: 'http://x' }],
    ['when it names one of a service', record, { ...env, AWS_ENDPOINT_URL_S3: 'http://x' }],
    ['for a record with an endpoint', { ...record, endpointUrl: 'http://127.0.0.1:4566' }, env],
    [
      'for a record of an emulator',
      { ...record, emulator: { name: 'localstack', version: '1' } },
      env,
    ],
    [
      'for an API over plain HTTP',
      { ...record, apiUrl: record.apiUrl.replace('https', 'http') },
      env,
    ],
    ['for an API elsewhere', { ...record, apiUrl: 'https://amazonaws.com.example.org/x' }, env],
  ])('%s', (_, deployment, variables) => {
    expect(() => requireAws(deployment, variables)).toThrow('ask AWS and nobody else');
  });

  it('not for a deployment in an account', () => {
    expect(() => requireAws(record, { ...env, AWS_ENDPOINT_URL: '' })).not.toThrow();
  });

  it('by a client whose profile leads to another host, before anything is sent', async () => {
    const s3 = new S3Client({
      region: 'eu-central-1',
      endpoint: 'http://127.0.0.1:9',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    });
    keepToAws({ s3 });
    await expect(s3.send(new ListBucketsCommand({}))).rejects.toMatchObject({ exitCode: 2 });
  });

  it.each(['000000000000', '123456789012'])('as %s, which is nobody', async (id) => {
    const deployment = { ...record, hmacKeyArn: `arn:aws:kms:eu-central-1:${id}:key/1` };
    await expect(accountOf({ sts: stsOf(id) }, deployment)).rejects.toThrow('emulator');
  });

  it('in another account than that of the deployment', async () => {
    const sts = stsOf('555566667777');
    await expect(accountOf({ sts }, record)).rejects.toThrow('deployed in 222233334444');
  });
});

it('says who asks, in the account of the deployment', async () => {
  const sts = stsOf('222233334444');
  expect(await accountOf({ sts }, record)).toEqual({ id: '222233334444', callerArn: 'caller' });
});

function stsOf(Account: string): STSClient {
  const sts = new STSClient({ region: 'eu-central-1' });
  mockClient(sts).on(GetCallerIdentityCommand).resolves({ Account, Arn: 'caller' });
  return sts;
}
