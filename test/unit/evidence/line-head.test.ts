import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createEnvelope } from '../../../lambdas/domain/evidence/envelope.ts';
import { lineHead } from '../../../lambdas/domain/evidence/line-head.ts';
import { head } from '../../support/builders.ts';

const line = (text: string) => Buffer.from(text);

it('says of any envelope what parsing it says', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ minLength: 900, maxLength: 1200 }),
  );
  fc.assert(
    fc.property(
      fc.record({
        producerId: name,
        group: name,
        document: fc.oneof(
          fc.string(),
          fc.constant('","stream":{"shardId":"other","sequenceNumber":"9"}'),
        ),
        sequence: fc.bigInt({ min: 0n, max: 10n ** 56n }),
        traceId: fc.option(fc.constant('ab'.repeat(16)), { nil: undefined }),
        basis: fc.boolean(),
      }),
      ({ producerId, group, document, sequence, traceId, basis }) => {
        const envelope = createEnvelope({
          head: head({
            submitter: { producerId, group },
            ...(basis && {
              registeredBasis: { derivation: 'resolved-plan', completeness: 'complete' },
            }),
          } as never),
          receivedBytes: 1,
          stream: { shardId: 'shardId-000000000001', sequenceNumber: String(sequence) },
          kind: traceId ? 'trace' : 'run',
          ...(traceId && { traceId }),
          redaction: { policy: 'p', mode: 'full', fields: [] },
          facts: {} as never,
          deviations: [],
          document,
        });
        expect(lineHead(line(JSON.stringify(envelope)))).toEqual({
          acceptedAt: envelope.acceptedAt,
          ...envelope.stream,
        });
      },
    ),
  );
});

it.each([
  '',
  'x',
  'null',
  '[]',
  '{"evidence":1}',
  '{"acceptedAt":"t","stream":null}',
  '{"acceptedAt":"t","stream":{"shardId":"s","sequenceNumber":7}}',
  '{"acceptedAt":"t","stream":{"shardId":"s","sequenceNumber":"7x"}}',
])('refuses what is no envelope, without its words: %s', (text) => {
  expect(() => lineHead(line(text))).toThrow(
    expect.objectContaining({ code: 'object_unreadable' }),
  );
});
