import type { IncomingHttpHeaders } from 'node:http';
import { type AskedFor, type SignedRequest, serviceOf } from './asked-for.ts';

/** ARN of a bucket, a table or a stream -> ARN of the customer managed key that it is encrypted with. */
export type KeyOf = ReadonlyMap<string, string>;

/** What AWS needs of a key to serve an action on what is encrypted with it. */
const KEY_USE: Readonly<Record<string, readonly string[]>> = {
  // SSE-KMS: a new data key for what is put, checked by decrypting it
  's3:PutObject': ['kms:GenerateDataKey', 'kms:Decrypt'],
  's3:GetObject': ['kms:Decrypt'],
  's3:GetObjectVersion': ['kms:Decrypt'],
  // the table key is opened for each caller, and wrapped anew by writers
  'dynamodb:BatchGetItem': ['kms:Decrypt'],
  'dynamodb:GetItem': ['kms:Decrypt'],
  'dynamodb:Query': ['kms:Decrypt'],
  'dynamodb:PutItem': ['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey'],
  'dynamodb:UpdateItem': ['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey'],
  'kinesis:PutRecords': ['kms:GenerateDataKey'],
  'kinesis:GetRecords': ['kms:Decrypt'],
};

/**
 * What AWS asks for a request and the emulator does not: the right behind a lock header, the one behind a HEAD of a
 * version, those to the key of what is read or written, and actions under conditions that it does not know.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html
 * @see https://docs.aws.amazon.com/streams/latest/dev/permissions-user-key-KMS.html
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
 */
export function alsoAskedFor(
  request: SignedRequest,
  asked: readonly AskedFor[],
  keyOf: KeyOf,
): readonly AskedFor[] {
  const also = asked.flatMap(({ action, resource }) =>
    (KEY_USE[action] ?? []).flatMap((use): AskedFor | [] => {
      const key = keyOf.get(resource.replace(/^(arn:aws:s3:::[^/]+)\/.*$|\/index\/.*$/, '$1'));
      return key === undefined ? [] : { action: use, resource: key };
    }),
  );
  const [{ action = '', resource = '' } = {}] = asked;
  const of = (more: string): AskedFor => ({ action: more, resource });
  if (action === 's3:PutObject') {
    const { headers } = request;
    if (headers['x-amz-object-lock-mode']) also.push(of('s3:PutObjectRetention'));
    if (headers['x-amz-object-lock-legal-hold']) also.push(of('s3:PutObjectLegalHold'));
  }
  if (action === 's3:GetObjectVersion' && request.method === 'HEAD') also.push(of('s3:GetObject'));
  const context = contextOf(request, action);
  if (context) also.push({ action, resource, context });
  return also;
}

/** Condition keys that our identity policies name and the emulator does not know. */
function contextOf({ body }: SignedRequest, action: string): AskedFor['context'] {
  if (action === 's3:PutObjectLegalHold') {
    const [, status = ''] = /<Status>(\w+)<\/Status>/.exec(body.toString()) ?? [];
    return { 's3:object-lock-legal-hold': status };
  }
  if (action !== 'dynamodb:Query') return undefined;
  const { ExpressionAttributeValues, KeyConditionExpression } = JSON.parse(body.toString());
  const [, placeholder = ''] = /= (:\w+)/.exec(KeyConditionExpression) ?? [];
  return { 'dynamodb:LeadingKeys': [ExpressionAttributeValues[placeholder].S] };
}

/** Header that S3 answers only to those who may read it from the lock itself -> that right. */
const LOCK_HEADERS: Readonly<Record<string, string>> = {
  'x-amz-object-lock-mode': 's3:GetObjectRetention',
  'x-amz-object-lock-retain-until-date': 's3:GetObjectRetention',
  'x-amz-object-lock-legal-hold': 's3:GetObjectLegalHold',
};

/** What decides over an answer of S3: lock headers are shown, and absence is told from denial, by right. */
export function askedForAnswer(
  request: SignedRequest,
  asked: readonly AskedFor[],
  status: number,
  answered: IncomingHttpHeaders,
): { readonly headers: ReadonlyMap<string, AskedFor>; readonly absence?: AskedFor } {
  const [{ action = '', resource = '' } = {}] = asked;
  const isRead = serviceOf(request) === 's3' && /^s3:GetObject(Version)?$/.test(action);
  if (!isRead) return { headers: new Map() };
  const headers = Object.entries(LOCK_HEADERS).flatMap(([name, right]) =>
    answered[name] === undefined ? [] : [[name, { action: right, resource }] as const],
  );
  const bucket = resource.replace(/\/.*$/, '');
  return {
    headers: new Map(headers),
    ...(status === 404 && { absence: { action: 's3:ListBucket', resource: bucket } }),
  };
}
