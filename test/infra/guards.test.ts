import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type GuardSetting,
  keyGuard,
  vaultStatements,
} from '../../lambdas/domain/audit/guard-policy.ts';
import { expectedGuards } from '../../lambdas/domain/audit/guards.ts';
import { lockFor } from '../../lambdas/domain/evidence/retention.ts';
import { environments } from '../../lib/config/environments.ts';
import { retentionSetting } from '../../lib/config/retention-setting.ts';
import { guardSetting } from '../../lib/constructs/guard-setting.ts';
import { Deployment } from '../support/iam/deployment.ts';
import type { Caller } from '../support/iam/evaluate.ts';
import { listed } from '../support/iam/policy.ts';
import { asking, DEPLOYMENT_ROLE, lockedPut } from '../support/iam/requests.ts';
import { resourceOf, stageOf, templateOf } from '../support/synth.ts';

const DAY_MILLIS = 86_400_000;

describe('guards of prod', () => {
  const deployment = new Deployment(stageOf('prod'));
  it('are the statements that the drift check expects, and no others', () => {
    const { arn, policy } = deployment.bucket('Vault/Bucket');
    const expected = vaultStatements({
      ...environments.prod.retention,
      bucketArn: arn,
      keyArn: deployment.key('Vault/Key').arn,
      deploymentRoleArn: DEPLOYMENT_ROLE,
      signing: { sealerRoleArn: deployment.arnOf('AWS::IAM::Role', 'Signing/Role') },
    });
    expect(policy?.Statement).toEqual(expected);
    expect(listed(deployment.key('Vault/Key').policy?.Statement).slice(1)).toEqual([
      keyGuard(DEPLOYMENT_ROLE),
    ]);
  });

  it('are the settings that the drift check expects', () => {
    const { data } = stageOf('prod');
    const stated = data.resolve(guardSetting(data.resources));
    const setting = deployment.resolve(stated, 'data') as GuardSetting;
    const { bucket, key, signingKey } = expectedGuards(setting);
    const vault = resourceOf(templateOf('prod', 'data'), 'AWS::S3::Bucket', 'Vault/Bucket');
    const standing = deployment.resolve(vault.Properties, 'data');
    expect(standing).toMatchObject({
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          {
            BucketKeyEnabled: bucket.encryption.bucketKey,
            ServerSideEncryptionByDefault: {
              KMSMasterKeyID: bucket.encryption.keyArn,
              SSEAlgorithm: bucket.encryption.algorithm,
            },
          },
        ],
      },
      LifecycleConfiguration: {
        Rules: [
          { AbortIncompleteMultipartUpload: { DaysAfterInitiation: bucket.lifecycle.uploadDays } },
        ],
      },
      LoggingConfiguration: { DestinationBucketName: bucket.accessLogs },
      ObjectLockConfiguration: {
        Rule: {
          DefaultRetention: { Days: bucket.objectLock.days, Mode: bucket.objectLock.mode },
        },
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: bucket.ownership }] },
      VersioningConfiguration: { Status: bucket.versioning },
    });
    expect(Object.values(vault.Properties.PublicAccessBlockConfiguration)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(deployment.bucket('Vault/Bucket').policy?.Statement).toEqual(bucket.policy);
    expect(deployment.key('Vault/Key').policy?.Statement).toEqual(key.policy);
    expect(deployment.key('HmacKeys/Epoch0').policy?.Statement).toEqual(key.policy);
    expect(deployment.key('Signing/Key0').policy?.Statement).toEqual(signingKey.policy);
    expect(setting.hmacKeyArns).toEqual([deployment.key('HmacKeys/Epoch0').arn]);
    expect(setting.signing.keyArns).toEqual([deployment.key('Signing/Key0').arn]);
  });

  it('fit into a variable of a function', () => {
    const { data } = stageOf('prod');
    const setting = deployment.resolve(data.resolve(guardSetting(data.resources)), 'data');
    expect(JSON.stringify(setting).length).toBeLessThan(1_000); // of the 4 KB that Lambda gives all of them
  });
});

describe.each(['local', 'trial', 'prod'] as const)(
  'locks that the store asks for in %s',
  (name) => {
    const deployment = new Deployment(stageOf(name));
    const config = environments[name];
    const retention = retentionSetting(config);
    const ask = asking(deployment);
    const { archive } = deployment.roles() as { archive: Caller };
    const now = Date.parse('2026-11-30T12:34:56Z');

    /** The answer to a lock by the formula of the store, for something accepted so many days ago. */
    const locked = (action: string, periodDays: number, ageDays: number) => {
      const { retainUntil } = lockFor(retention, periodDays, now - ageDays * DAY_MILLIS, now);
      // S3 documents no rounding: what is left of a day is not counted
      const remaining = Math.floor((Date.parse(retainUntil) - now) / DAY_MILLIS);
      const context = {
        ...lockedPut(config)().context,
        's3:object-lock-remaining-retention-days': `${remaining}`,
      };
      return ask(archive, { action, context });
    };

    it('are writable after a backlog of two days', () => {
      expect(locked('s3:PutObject', retention.lineageDays, 2)).toBe('allowed');
    });

    it('are writable when a trace is promoted after all of staging', () => {
      expect(locked('s3:PutObject', retention.traceDays, config.stagingDays)).toBe('allowed');
    });

    it('are writable as an extension in the last days of a lock', () => {
      const age = retention.lineageDays + retention.slackDays - 1;
      expect(locked('s3:PutObjectRetention', retention.lineageDays, age)).toBe('allowed');
    });

    it('are writable whatever the age, because the formula never goes below the floor', () => {
      const periods = fc.constantFrom(
        retention.lineageDays,
        retention.traceDays,
        retention.recordDays,
      );
      fc.assert(
        fc.property(periods, fc.double({ min: 0, max: 40_000, noNaN: true }), (period, age) => {
          expect(locked('s3:PutObject', period, age)).toBe('allowed');
          expect(locked('s3:PutObjectRetention', period, age)).toBe('allowed');
        }),
        { numRuns: 50 },
      );
    });

    it('would be refused without the clamp', () => {
      const context = {
        ...lockedPut(config)().context,
        's3:object-lock-remaining-retention-days': `${retention.floorDays - 1}`,
      };
      expect(ask(archive, { action: 's3:PutObjectRetention', context })).toBe('DenyLockBelowFloor');
    });
  },
);
