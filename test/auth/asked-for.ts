import type { IncomingHttpHeaders } from 'node:http';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../../localstack/aws.ts';
import type { RequestContext } from '../support/iam/conditions.ts';

/** An IAM action on a resource, by its ARN. */
export interface AskedFor {
  /** `s3:GetObjectVersion`. */
  readonly action: string;
  readonly resource: string;
  /** Condition keys of the request that our policies look at. */
  readonly context?: RequestContext;
}

/** A request as it was signed. */
export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const arn = (service: string, resource: string) =>
  `arn:aws:${service}:${LOCAL_REGION}:${LOCAL_ACCOUNT}:${resource}`;

/**
 * What a service asks IAM for a request. `GetRecords` names its stream in the iterator alone, so the answer says `*`.
 * @throws Error for a request without a rule
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
 */
export function askedFor(request: SignedRequest): readonly AskedFor[] {
  const service = serviceOf(request);
  if (service === 's3') return [s3Asks(request)];
  if (service === 'lambda') return [lambdaAsks(request)];
  const target = String(request.headers['x-amz-target'] ?? '');
  const operation = target.split('.').at(-1) as string;
  const input = JSON.parse(request.body.toString() || '{}') as Input;
  const resources = RESOURCES[service];
  if (!resources) throw new Error(`no rule for a request to ${service}`);
  if (operation === 'TransactWriteItems') return transactionAsks(input);
  return resources(input).map((resource) => ({ action: `${service}:${operation}`, resource }));
}

/** The service that a request is signed for. */
export function serviceOf({ headers }: SignedRequest): string {
  const [, service] =
    /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(headers.authorization ?? '') ?? [];
  if (service === undefined) throw new Error('the request is not signed');
  return service;
}

type Input = Readonly<Record<string, unknown>> & {
  readonly RequestItems?: Readonly<Record<string, unknown>>;
  readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName: string }>>[];
};

const tableArn = (name: unknown) => arn('dynamodb', `table/${lastPart(name)}`);

/** Service that speaks JSON -> the resources that an input names. */
const RESOURCES: Readonly<Record<string, (input: Input) => readonly string[]>> = {
  dynamodb: ({ IndexName, RequestItems, TableName }) =>
    RequestItems
      ? Object.keys(RequestItems).map(tableArn)
      : [`${tableArn(TableName)}${IndexName ? `/index/${IndexName}` : ''}`],
  kinesis: ({ StreamARN, StreamName }) => {
    const name = StreamARN ?? StreamName;
    return [name === undefined ? '*' : arn('kinesis', `stream/${lastPart(name)}`)];
  },
  kms: ({ KeyId }) => [arn('kms', `key/${lastPart(KeyId)}`)],
};

/** Each item of a transaction is asked for as the operation that it is. */
function transactionAsks({ TransactItems = [] }: Input): readonly AskedFor[] {
  return TransactItems.flatMap((item) =>
    Object.entries(item).map(([kind, { TableName }]) => ({
      action: `dynamodb:${kind}Item`,
      resource: tableArn(TableName),
    })),
  );
}

function lambdaAsks({ path }: SignedRequest): AskedFor {
  const [, name] = /\/functions\/([^/]+)\/invocations/.exec(decodeURIComponent(path)) ?? [];
  if (name === undefined) throw new Error(`no rule for ${path}`);
  return { action: 'lambda:InvokeFunction', resource: arn('lambda', `function:${lastPart(name)}`) };
}

/** Sub-resource of an object or a bucket -> what an action of it is called after its verb. */
const OF_OBJECT: Readonly<Record<string, string>> = {
  retention: 'ObjectRetention',
  'legal-hold': 'ObjectLegalHold',
};
const OF_BUCKET: Readonly<Record<string, string>> = {
  encryption: 'EncryptionConfiguration',
  lifecycle: 'LifecycleConfiguration',
  logging: 'BucketLogging',
  'object-lock': 'BucketObjectLockConfiguration',
  ownershipControls: 'BucketOwnershipControls',
  policy: 'BucketPolicy',
  publicAccessBlock: 'BucketPublicAccessBlock',
  replication: 'ReplicationConfiguration',
  versioning: 'BucketVersioning',
};
const VERBS: Readonly<Record<string, string>> = {
  DELETE: 'Delete',
  GET: 'Get',
  HEAD: 'Get',
  PUT: 'Put',
};

function s3Asks({ method, path }: SignedRequest): AskedFor {
  const { pathname, searchParams } = new URL(path, 'http://s3');
  const [bucket = '', ...rest] = decodeURIComponent(pathname).slice(1).split('/');
  const key = rest.join('/');
  const verb = VERBS[method];
  const named = (table: Readonly<Record<string, string>>) =>
    Object.entries(table).find(([name]) => searchParams.has(name))?.[1];
  if (verb === undefined) throw new Error(`no rule for ${method} ${pathname}`);
  if (key === '') {
    const setting = named(OF_BUCKET);
    const list = searchParams.has('versions') ? 'ListBucketVersions' : 'ListBucket';
    return { action: `s3:${setting ? verb + setting : list}`, resource: `arn:aws:s3:::${bucket}` };
  }
  const ofVersion = searchParams.has('versionId') ? 'ObjectVersion' : 'Object';
  const what = named(OF_OBJECT) ?? ofVersion;
  return { action: `s3:${verb}${what}`, resource: `arn:aws:s3:::${bucket}/${key}` };
}

/** ARNs and URLs become the name at their end. */
function lastPart(name: unknown): string {
  return String(name).replace(/^.*[:/]/, '');
}
