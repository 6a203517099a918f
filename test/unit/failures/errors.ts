import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { KinesisServiceException } from '@aws-sdk/client-kinesis';
import { KMSServiceException } from '@aws-sdk/client-kms';
import { S3ServiceException } from '@aws-sdk/client-s3';
import * as v from 'valibot';
import { UnavailableError } from '../../../lambdas/domain/errors.ts';
import { JsonSyntaxError } from '../../../lambdas/domain/json/scanner.ts';

/** What `work` throws. */
function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new TypeError('it threw nothing');
}

/** Errors that quote what they were given in their message, stack, cause, name or members, as met in the field. */
export function quotingErrors(canary: string): Readonly<Record<string, unknown>> {
  const sdk = {
    ...{ name: 'ValidationException', $fault: 'client' as const, $metadata: {} },
    message: `cannot take ${canary}`,
  };
  const dynamodb = Object.assign(new DynamoDBServiceException(sdk), { Item: { a: canary } });
  return {
    'of DynamoDB': dynamodb,
    'of S3': new S3ServiceException({ ...sdk, name: 'InvalidArgument' }),
    'of KMS': new KMSServiceException(sdk),
    'of Kinesis': new KinesisServiceException(sdk),
    'of JSON.parse': thrownBy(() => JSON.parse(canary)),
    'of valibot': thrownBy(() => v.parse(v.object({ a: v.picklist(['x']) }), { a: canary })),
    'of our parser, with a cause': Object.assign(new JsonSyntaxError('unexpected_end', 1), {
      cause: dynamodb,
    }),
    'of ours, with a cause': new UnavailableError('dynamodb', { cause: dynamodb }),
    'with a name that is a statement': Object.assign(new Error('x'), {
      name: `select '${canary}' from t`,
    }),
    'that is a text': canary,
    'that is an object': { message: canary, toString: () => canary },
  };
}
