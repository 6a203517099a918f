import type { APIGatewayProxyEvent } from 'aws-lambda';
import { JsonDocument } from '../../domain/json/document.ts';
import { findOddities, type TextOddity } from '../../domain/json/oddities.ts';
import { readBody } from './body.ts';

/**
 * The body of a request that changes a setting.
 * @param refuse the error for a broken rule of the whole body; the parser's own message would quote what was sent
 */
export function readJsonBody(
  event: APIGatewayProxyEvent,
  refuse: (rule: 'json' | 'duplicate_keys') => Error,
): unknown {
  const { text } = readBody(event);
  let oddities: ReadonlySet<TextOddity>;
  let body: unknown;
  try {
    oddities = findOddities(new JsonDocument(text));
    body = JSON.parse(text);
  } catch {
    throw refuse('json');
  }
  // Readers differ on which of two members counts, and one of them may have let the request through.
  if (oddities.has('duplicate_keys')) throw refuse('duplicate_keys');
  return body;
}
