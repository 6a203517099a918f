import { paginateListExports, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import type { StackTemplate } from '../assembly.ts';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../aws.ts';
import type { Clients } from '../clients.ts';

/** Turns what a template says into what stands in the emulator. Throws for an intrinsic it does not know. */
export type Resolve = (value: unknown) => unknown;

/** Physical ids of a stack's resources, by logical id. */
export async function physicalIds(
  { cloudformation: client }: Clients,
  StackName: string,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const page of paginateListStackResources({ client }, { StackName })) {
    for (const { LogicalResourceId, PhysicalResourceId } of page.StackResourceSummaries ?? []) {
      if (LogicalResourceId && PhysicalResourceId) found.set(LogicalResourceId, PhysicalResourceId);
    }
  }
  return found;
}

/** Values that stacks export, by name. */
export async function exportedValues({
  cloudformation: client,
}: Clients): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const page of paginateListExports({ client }, {})) {
    for (const { Name, Value } of page.Exports ?? []) if (Name && Value) found.set(Name, Value);
  }
  return found;
}

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::AccountId': LOCAL_ACCOUNT,
  'AWS::Region': LOCAL_REGION,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** A resolver for one stack. */
export function createResolve(
  stack: StackTemplate,
  ids: ReadonlyMap<string, string>,
  exports: ReadonlyMap<string, string>,
): Resolve {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const [[key, inner] = ['', undefined], ...more] = Object.entries(value);
    if (more.length > 0 || !(key === 'Ref' || key.startsWith('Fn::'))) {
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolve(one)]));
    }
    return resolveIntrinsic(key, inner);
  };
  const resolveIntrinsic = (key: string, inner: unknown): unknown => {
    if (key === 'Ref') return PSEUDO[String(inner)] ?? ids.get(String(inner));
    if (key === 'Fn::ImportValue') return exports.get(String(resolve(inner)));
    if (key === 'Fn::Join') {
      const [separator, parts] = inner as [string, unknown[]];
      return parts.map(resolve).join(separator);
    }
    if (key === 'Fn::GetAtt') {
      const [logicalId, attribute] = inner as [string, string];
      const id = ids.get(logicalId);
      const type = stack.resources[logicalId]?.Type;
      if (attribute === 'Arn' && id && type) return arnOf(type, id);
    }
    throw new Error(`reconcile cannot resolve ${key} ${JSON.stringify(inner)}`);
  };
  return resolve;
}

/** The ARN of a local resource by its type and physical id. */
function arnOf(type: string, id: string): string {
  const scope = `${LOCAL_REGION}:${LOCAL_ACCOUNT}`;
  const name = id.split('/').at(-1) ?? id;
  switch (type) {
    case 'AWS::KMS::Key':
      return `arn:aws:kms:${scope}:key/${name}`;
    case 'AWS::SQS::Queue':
      return `arn:aws:sqs:${scope}:${name}`;
    case 'AWS::Kinesis::Stream':
      return `arn:aws:kinesis:${scope}:stream/${name}`;
    case 'AWS::DynamoDB::Table':
      return `arn:aws:dynamodb:${scope}:table/${name}`;
    case 'AWS::Lambda::Function':
      return `arn:aws:lambda:${scope}:function:${name}`;
    case 'AWS::S3::Bucket':
      return `arn:aws:s3:::${name}`;
    case 'AWS::IAM::Role':
      return `arn:aws:iam::${LOCAL_ACCOUNT}:role/${name}`;
    default:
      throw new Error(`reconcile does not know the ARN of a ${type}`);
  }
}
