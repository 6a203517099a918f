import { describe, expect, it } from 'vitest';
import { readResponse } from '../../../../localstack/event-source/response.ts';
import { record, records } from './support.ts';

const BATCH = records(5);
const id = (n: number) => record(n).sequenceNumber;
const answer = (...items: unknown[]) => JSON.stringify({ batchItemFailures: items });

describe('readResponse', () => {
  it.each([
    ['an empty list', answer()],
    ['a null list', '{"batchItemFailures":null}'],
    ['an empty answer', '{}'],
    ['a null answer', 'null'],
    ['no answer', ''],
  ])('treats %s as success', (_name, payload) => {
    expect(readResponse(payload, BATCH)).toEqual({ kind: 'success' });
  });

  it.each([
    ['an empty identifier', answer({ itemIdentifier: '' })],
    ['a null identifier', answer({ itemIdentifier: null })],
    ['a bad key name', answer({ itemId: id(1) })],
    ['an identifier of another batch', answer({ itemIdentifier: id(9) })],
    ['one good and one bad identifier', answer({ itemIdentifier: id(3) }, { itemIdentifier: '' })],
    ['a list that is none', '{"batchItemFailures":"all"}'],
  ])('treats %s as failure of the batch', (_name, payload) => {
    expect(readResponse(payload, BATCH)).toEqual({ kind: 'failure' });
  });

  it('takes the lowest sequence number as the checkpoint, whatever the order', () => {
    const payload = answer({ itemIdentifier: id(4) }, { itemIdentifier: id(2) });
    expect(readResponse(payload, BATCH)).toEqual({ kind: 'partial', from: 2 });
  });
});
