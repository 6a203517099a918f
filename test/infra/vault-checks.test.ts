import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Duration } from 'aws-cdk-lib';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { describe, expect, it } from 'vitest';
import { environments } from '../../lib/config/environments.ts';
import { EvidenceStage } from '../../lib/stages/evidence-stage.ts';
import { type Template, vaultViolations } from '../../lib/validation/vault-rules.ts';
import { cdkContext, templateOf } from '../support/synth.ts';

const VAULT = 'VaultBucket0925C477';
const PERIOD_DAYS = environments.prod.retention.lineageDays;
const STACKS = ['data', 'pipeline', 'monitoring'] as const;

// biome-ignore lint/suspicious/noExplicitAny: a template has no type that helps a test
type Data = Record<'Resources' | 'Outputs', Record<string, any>>;
type Change = (data: Data) => void;

/** The templates of prod, with a change to a copy of that of the data stack. */
function violationsAfter(change: Change) {
  const [data, ...rest] = STACKS.map((stack) => templateOf('prod', stack).toJSON());
  const changed = structuredClone(data) as Data;
  change(changed);
  return vaultViolations([changed, ...rest] as Template[], PERIOD_DAYS);
}

describe('checks of the synthesised vault', () => {
  it.each(['local', 'dev', 'trial', 'prod'] as const)('find nothing in %s', (name) => {
    const { lineageDays } = environments[name].retention;
    const templates = STACKS.map((stack) => templateOf(name, stack).toJSON() as Template);
    expect(vaultViolations(templates, lineageDays)).toEqual([]);
  });

  const lifecycle =
    (rule: object): Change =>
    ({ Resources }) => {
      const abort = { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } };
      Resources[VAULT].Properties.LifecycleConfiguration = {
        Rules: [{ ...abort, ...rule, Status: 'Enabled' }],
      };
    };
  const property =
    (name: string, value: unknown): Change =>
    ({ Resources }) => {
      Resources[VAULT].Properties[name] = value;
    };
  const attribute =
    (id: string, name: string, value: unknown): Change =>
    ({ Resources }) => {
      Resources[id][name] = value;
    };

  const refused: [string, Change, string][] = [
    [
      'another logical id',
      ({ Outputs, Resources }) => {
        Object.assign(Resources, { VaultBucketNew: Resources[VAULT] });
        Outputs.VaultBucketName.Value = { Ref: 'VaultBucketNew' };
      },
      'not-replaced',
    ],
    ['a name of its own', property('BucketName', 'evidence'), 'not-replaced'],
    ['no lock from creation', property('ObjectLockEnabled', false), 'not-replaced'],
    ['no lock configuration', property('ObjectLockConfiguration', undefined), 'not-replaced'],
    ['deletion with its stack', attribute(VAULT, 'DeletionPolicy', 'Delete'), 'retained'],
    ['deletion when replaced', attribute(VAULT, 'UpdateReplacePolicy', undefined), 'retained'],
    [
      'a policy that goes',
      attribute('VaultBucketPolicyACD50CAD', 'DeletionPolicy', undefined),
      'retained',
    ],
    ['a key that goes', attribute('VaultKeyCB88EF1A', 'DeletionPolicy', 'Delete'), 'retained'],
    [
      'a bucket that is emptied',
      property('Tags', [{ Key: 'aws-cdk:auto-delete-objects', Value: 'true' }]),
      'no-auto-delete',
    ],
    [
      'a resource that empties',
      ({ Resources }) => {
        Object.assign(Resources, { Empty: { Type: 'Custom::S3AutoDeleteObjects' } });
      },
      'no-auto-delete',
    ],
    ['an early end', lifecycle({ ExpirationInDays: PERIOD_DAYS + 399 }), 'not-expired'],
    ['an end by date', lifecycle({ ExpirationDate: '2040-01-01T00:00:00Z' }), 'not-expired'],
    [
      'an early end of older versions',
      lifecycle({ NoncurrentVersionExpiration: { NoncurrentDays: 30 } }),
      'not-expired',
    ],
    [
      'an early transition',
      lifecycle({ Transitions: [{ StorageClass: 'GLACIER', TransitionInDays: 90 }] }),
      'not-expired',
    ],
    [
      'a transition by date beside a late one',
      lifecycle({
        Transitions: [
          { StorageClass: 'GLACIER', TransitionInDays: PERIOD_DAYS + 400 },
          { StorageClass: 'DEEP_ARCHIVE', TransitionDate: '2040-01-01T00:00:00Z' },
        ],
      }),
      'not-expired',
    ],
    [
      'uploads that never end',
      lifecycle({ AbortIncompleteMultipartUpload: undefined }),
      'uploads-end',
    ],
    [
      'no output that names it',
      ({ Outputs }) => {
        delete Outputs.VaultBucketName;
      },
      'vault-known',
    ],
  ];

  it.each(refused)('refuse %s', (_, change, rule) => {
    const violations = violationsAfter(change);
    expect(violations.map((violation) => violation.rule)).toEqual([rule]);
    expect(violations[0]?.description).toMatch(/: /);
  });

  it('let lifecycle touch a version when every lock has ended', () => {
    const late = {
      ExpirationInDays: PERIOD_DAYS + 400,
      ExpiredObjectDeleteMarker: true,
      Id: 'late',
      NoncurrentVersionExpiration: { NoncurrentDays: PERIOD_DAYS + 400 },
    };
    expect(violationsAfter(lifecycle(late))).toEqual([]);
  });

  it('have nothing to say about a vault that another deployment made', () => {
    const adopted = violationsAfter(({ Outputs, Resources }) => {
      delete Resources[VAULT];
      Outputs.VaultBucketName.Value = 'a-vault-that-stands';
    });
    expect(adopted).toEqual([]);
  });

  it('count from the longest class', { timeout: 60_000 }, () => {
    const ends = (days: number) => {
      const app = new App({ context: cdkContext });
      const { local } = environments;
      const classes = { long: { lineageDays: 1_000, traceDays: 1_100 } };
      const config = { ...local, retention: { ...local.retention, classes } };
      const { vault } = new EvidenceStage(app, { config }).data.resources;
      (vault.bucket as Bucket).addLifecycleRule({ expiration: Duration.days(days) });
      return () => app.synth();
    };
    expect(ends(1_499)).toThrow('alidation');
    expect(ends(1_500)).not.toThrow();
  });

  it('end the synthesis', { timeout: 60_000 }, () => {
    const app = new App({ context: cdkContext });
    const { vault } = new EvidenceStage(app, { config: environments.local }).data.resources;
    (vault.bucket as Bucket).addLifecycleRule({ expiration: Duration.days(30) });

    expect(() => app.synth()).toThrow('alidation');
    const report = readFileSync(join(app.outdir, 'validation-report.json'), 'utf8');
    expect(report).toContain('lifecycle may touch a version of the vault');
  });
});
