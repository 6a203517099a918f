import { describe, expect, it } from 'vitest';
import { consumed, runEventText } from '../../support/builders.ts';
import { queriedStore } from '../query/store.ts';

describe('archive handler', () => {
  it('acknowledges a batch that is stored, poison and all', async () => {
    const { archive } = queriedStore();
    expect(await archive(consumed(1, runEventText()), consumed(2, 'oops'))).toEqual({
      batchItemFailures: [],
    });
  });

  it('wants again exactly the records that the infrastructure refused', async () => {
    const { archive, vault } = queriedStore();
    vault.faults.refuse('putObject');
    const otherHour = { acceptedAt: '2026-03-04T04:00:00.000Z' };
    expect(
      await archive(consumed(1, runEventText()), consumed(2, runEventText(), otherHour)),
    ).toEqual({
      batchItemFailures: [{ itemIdentifier: '1' }],
    });
  });

  it('writes no byte of a record into the log', async () => {
    const { archive, lines } = queriedStore();
    await archive(
      consumed(1, 'canary-7f3e9d01'),
      consumed(2, runEventText({ sql: 'canary-7f3e9d01' })),
    );
    expect(lines).not.toEqual([]);
    expect(JSON.stringify(lines)).not.toContain('canary');
  });
});
