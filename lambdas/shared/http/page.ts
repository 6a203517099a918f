import type { APIGatewayProxyEvent } from 'aws-lambda';
import { HttpProblem } from './problem.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
const WHOLE = /^\d{1,4}$/;
/** A sort key of a table. */
const CURSOR = /^[0-9a-f]{64}$/;

/** The page that `?limit=&cursor=` asks for. @throws HttpProblem 400 */
export function pageOf({ queryStringParameters }: APIGatewayProxyEvent): {
  readonly limit: number;
  readonly cursor?: string;
} {
  const { limit: asked, cursor } = queryStringParameters ?? {};
  const limit = asked === undefined ? DEFAULT_LIMIT : Number(WHOLE.exec(asked)?.[0]);
  if (!(limit >= 1 && limit <= MAX_LIMIT)) {
    throw new HttpProblem(400, 'Bad Request', `limit is a whole number from 1 to ${MAX_LIMIT}`);
  }
  if (cursor !== undefined && !CURSOR.test(cursor)) {
    throw new HttpProblem(400, 'Bad Request', 'the cursor is none that a page ended with');
  }
  return { limit, ...(cursor !== undefined && { cursor }) };
}
