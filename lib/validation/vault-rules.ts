/** As much of a CloudFormation template as the rules look at. */
export interface Template {
  readonly Resources?: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
}

interface Resource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the properties of any type of resource
  readonly Properties?: any;
}

export interface VaultViolation {
  readonly rule: string;
  /** What is wrong and what to do: all that the person at the terminal reads. */
  readonly description: string;
  /** Undefined for the template as a whole. */
  readonly logicalId?: string;
}

/** CloudFormation knows the vault by this name alone: under another it makes a new, empty one beside it. */
const VAULT_ID = 'VaultBucket0925C477';

/** The output by which everybody finds the vault. */
const VAULT_OUTPUT = 'VaultBucketName';

/** Slack (35 days) and a year of the records that outlive what they prove, in days: no lock that we set ends later by itself. */
const LIFECYCLE_MARGIN_DAYS = 400;

/** Types whose loss is the loss of evidence: without its key or its policy, a vault is of no use. */
const EVIDENCE_TYPES = ['AWS::S3::Bucket', 'AWS::S3::BucketPolicy', 'AWS::KMS::Key'];

/** Lifecycle actions that never touch a version. */
const HARMLESS_ACTIONS = ['AbortIncompleteMultipartUpload', 'ExpiredObjectDeleteMarker'];
const RULE_FILTERS = [
  'Id',
  'Status',
  'Prefix',
  'TagFilters',
  'ObjectSizeGreaterThan',
  'ObjectSizeLessThan',
];

/**
 * What a template would do to evidence that nobody may do: replace or drop the vault, empty a bucket, expire a version.
 * A vault that another deployment made, and this one has adopted, is no resource of the template and passes.
 *
 * @param templates all of one stage
 * @param periodDays the longest that a class of evidence is promised
 */
export function vaultViolations(
  templates: readonly Template[],
  periodDays: number,
): VaultViolation[] {
  const vaults = templates.flatMap((template) => {
    const output = template.Outputs?.[VAULT_OUTPUT];
    return output ? [{ template, id: (output.Value as { Ref?: string }).Ref }] : [];
  });
  const [vault] = vaults;
  if (!vault || vaults.length > 1) {
    const description = `${vaults.length} stacks have the output ${VAULT_OUTPUT}: exactly one holds the vault`;
    return [{ rule: 'vault-known', description }];
  }
  return [
    ...templates.flatMap(emptied),
    ...lost(vault.template),
    ...(vault.id === undefined ? [] : replaced(vault.template, vault.id)),
    ...(vault.id === undefined ? [] : expired(vault.template, vault.id, periodDays)),
  ];
}

function emptied({ Resources = {} }: Template): VaultViolation[] {
  return Object.entries(Resources)
    .filter(([, { Properties, Type }]) => {
      const tags: { Key: string }[] = Properties?.Tags ?? [];
      const isTagged = tags.some(({ Key }) => Key === 'aws-cdk:auto-delete-objects');
      return Type === 'Custom::S3AutoDeleteObjects' || (Type === 'AWS::S3::Bucket' && isTagged);
    })
    .map(([logicalId]) => ({
      rule: 'no-auto-delete',
      logicalId,
      description: 'autoDeleteObjects empties a bucket when its stack goes: leave it out',
    }));
}

function lost({ Resources = {} }: Template): VaultViolation[] {
  return Object.entries(Resources)
    .filter(([, { Type }]) => EVIDENCE_TYPES.includes(Type))
    .filter(
      ([, { DeletionPolicy, UpdateReplacePolicy }]) =>
        DeletionPolicy !== 'Retain' || UpdateReplacePolicy !== 'Retain',
    )
    .map(([logicalId]) => ({
      rule: 'retained',
      logicalId,
      description:
        'a bucket, its policy and a key of the data stack stay when the stack goes and when they are replaced: use RemovalPolicy.RETAIN',
    }));
}

function replaced({ Resources = {} }: Template, id: string): VaultViolation[] {
  const { BucketName, ObjectLockConfiguration, ObjectLockEnabled } =
    Resources[id]?.Properties ?? {};
  const violations: string[] = [];
  if (id !== VAULT_ID) {
    violations.push(
      `the vault has the logical id ${VAULT_ID}: under another name CloudFormation makes a new, empty vault`,
    );
  }
  if (BucketName !== undefined) {
    violations.push('a name of its own replaces a vault that stands: leave bucketName out');
  }
  if (ObjectLockEnabled !== true || ObjectLockConfiguration?.ObjectLockEnabled !== 'Enabled') {
    violations.push(
      'the vault is locked from creation: objectLockEnabled stays on, and switching it replaces the vault',
    );
  }
  return violations.map((description) => ({ rule: 'not-replaced', logicalId: id, description }));
}

function expired({ Resources = {} }: Template, id: string, periodDays: number): VaultViolation[] {
  const earliestDays = periodDays + LIFECYCLE_MARGIN_DAYS;
  const rules: Record<string, unknown>[] =
    Resources[id]?.Properties?.LifecycleConfiguration?.Rules ?? [];
  const violations = rules.flatMap((rule) =>
    Object.entries(rule)
      .filter(([name]) => ![...HARMLESS_ACTIONS, ...RULE_FILTERS].includes(name))
      .filter(([, action]) => !daysOf(action).every((days) => days >= earliestDays))
      .map(([name]) => ({
        rule: 'not-expired',
        logicalId: id,
        description: `lifecycle may touch a version of the vault ${earliestDays} days after it was written at the earliest, by days and not by date: change ${name}`,
      })),
  );
  const cleans = rules.some(({ AbortIncompleteMultipartUpload: abort }) => abort !== undefined);
  if (cleans) return violations;
  const description =
    'uploads that were never finished are paid for and seen by nobody: keep the rule that ends them';
  return [...violations, { rule: 'uploads-end', logicalId: id, description }];
}

/** Every number of days that an action names; NaN for an action that names none, such as one by date. */
function daysOf(action: unknown): number[] {
  if (typeof action === 'number') return [action];
  if (Array.isArray(action)) return action.flatMap(daysOf);
  const entries = Object.entries((action ?? {}) as Record<string, unknown>);
  const days = entries.filter(([name]) => name.endsWith('InDays') || name === 'NoncurrentDays');
  return days.length === 0 ? [Number.NaN] : days.map(([, value]) => Number(value));
}
