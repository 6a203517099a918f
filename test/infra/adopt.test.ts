import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import type { AdoptedResources } from '../../lib/config/environment-config.ts';
import { environments } from '../../lib/config/environments.ts';
import { createStage, resourcesOf, templateOf } from '../support/synth.ts';

const key = (id: string) => `arn:aws:kms:eu-central-1:111122223333:key/${id}`;
const stream = (name: string) => `arn:aws:kinesis:eu-central-1:111122223333:stream/${name}`;

const ALL: AdoptedResources = {
  vault: { bucketName: 'old-vault', keyArn: key('vault') },
  hmacKeyArn: key('hmac'),
  signing: { roleName: 'old-sealer', keyArns: [key('signing-0'), key('signing-1')] },
  staging: { bucketName: 'old-staging', keyArn: key('staging') },
  lineage: { streamArn: stream('old-lineage'), keyArn: key('lineage') },
  traces: { streamArn: stream('old-traces'), keyArn: key('traces') },
};
const { vault, hmacKeyArn, signing } = ALL;

function adopting(adopt: AdoptedResources, name: 'dev' | 'prod' = 'dev') {
  const stage = createStage({ ...environments[name], adopt });
  stage.synth();
  return {
    stage,
    data: Template.fromStack(stage.data),
    pipeline: Template.fromStack(stage.pipeline),
  };
}

const countOf = (template: Template, type: string) => resourcesOf(template, type).length;

describe('a deployment that adopts what an earlier one left', () => {
  const { data, pipeline } = adopting(ALL);

  it('makes none of it anew, and manages none of it', () => {
    const text = JSON.stringify(data.toJSON());
    expect(countOf(data, 'AWS::S3::Bucket')).toBe(0);
    expect(countOf(data, 'AWS::S3::BucketPolicy')).toBe(0);
    expect(countOf(data, 'AWS::Kinesis::Stream')).toBe(0);
    expect(text).not.toContain('ObjectLock');
    expect(countOf(data, 'AWS::DynamoDB::Table')).toBe(4);
  });

  it('publishes where it is', () => {
    const { Outputs } = data.toJSON();
    expect(Outputs.VaultBucketName.Value).toBe('old-vault');
    expect(Outputs.StagingBucketName.Value).toBe('old-staging');
    expect(Outputs.LineageStreamName.Value).toBe('old-lineage');
    expect(Outputs.HmacKeyArn.Value).toBe(key('hmac'));
  });

  it('gives the functions the rights on it that they have on their own', () => {
    const text = JSON.stringify(pipeline.findResources('AWS::IAM::Policy'));
    for (const name of [':s3:::old-vault/lineage/*', ':s3:::old-staging/traces/*']) {
      expect(text).toContain(name);
    }
    for (const arn of [...['vault', 'staging', 'hmac', 'lineage', 'traces'].map(key)]) {
      expect(text).toContain(arn);
    }
    const own = resourcesOf(templateOf('dev', 'pipeline'), 'AWS::IAM::Policy');
    expect(countOf(pipeline, 'AWS::IAM::Policy')).toBe(own.length);
  });

  it('reads on where the streams were left', () => {
    const mappings = resourcesOf(pipeline, 'AWS::Lambda::EventSourceMapping');
    const sources = mappings.map(([, { Properties }]) => Properties.EventSourceArn);
    expect(sources).toEqual(expect.arrayContaining([stream('old-lineage'), stream('old-traces')]));
  });

  it('signs on with the role and the last key that signed', () => {
    const sealer = resourcesOf(pipeline, 'AWS::Lambda::Function').find(([id]) =>
      id.startsWith('Sealer'),
    )?.[1].Properties;
    expect(JSON.stringify(sealer.Role)).toContain('role/old-sealer');
    expect(sealer.Environment.Variables.SIGNING_KEY_IDS).toBe('signing-0,signing-1');
    expect(JSON.stringify(data.toJSON())).not.toContain('SIGN_VERIFY');
  });

  it('makes the next signing key beside those it adopts', () => {
    const { dev } = environments;
    const stage = createStage({ ...dev, adopt: ALL, sealing: { ...dev.sealing, signingKey: 2 } });
    const text = JSON.stringify(Template.fromStack(stage.data).toJSON());
    expect(text.match(/"SIGN_VERIFY"/g)).toHaveLength(1);
    expect(text).toContain('generation 2');
  });

  it('makes what is not adopted', () => {
    const part = adopting({ vault, hmacKeyArn, signing });
    expect(countOf(part.data, 'AWS::S3::Bucket')).toBe(2);
    expect(countOf(part.data, 'AWS::Kinesis::Stream')).toBe(2);
    expect(part.data.toJSON().Outputs.VaultBucketName.Value).toBe('old-vault');
  });

  it.each(['dev', 'prod'] as const)('is clean to cdk-nag in %s', (name) => {
    const { stage } = adopting(ALL, name);
    expect(new AwsSolutionsChecks().validateScope(stage).violations).toEqual([]);
  });

  it.each([
    ['adopt.vault.bucketName', { ...ALL, vault: { ...vault, bucketName: 'arn:aws:s3:::x' } }],
    ['adopt.vault.keyArn', { ...ALL, vault: { ...vault, keyArn: 'alias/x' } }],
    ['adopt.hmacKeyArn', { ...ALL, hmacKeyArn: 'x' }],
    ['adopt.signing.keyArns', { ...ALL, signing: { ...signing, keyArns: [] } }],
    ['adopt.signing.roleName', { ...ALL, signing: { ...signing, roleName: 'a role' } }],
    ['adopt.signing', { ...ALL, signing: undefined as never }],
    ['adopt.lineage.streamArn', { ...ALL, lineage: { streamArn: 'x', keyArn: key('x') } }],
    ['adopt.vault.keyArn', { ...ALL, vault: { bucketName: 'old-vault' } as never }],
  ])('is refused with a wrong %s', (field, adopt) => {
    expect(() => createStage({ ...environments.dev, adopt })).toThrow(field);
  });
});
