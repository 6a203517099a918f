import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptEvent } from '../../../lambdas/domain/openlineage/accept-event.ts';
import { prepareEvent } from '../../../lambdas/domain/openlineage/prepare-event.ts';
import { acceptance, NOW } from '../../support/builders.ts';
import { randomEvent } from '../../support/random-events.ts';
import { seeded } from '../../support/seeded.ts';
import { withoutValues } from '../../support/without-values.ts';

/** The envelope that an accepted event is filed in. */
function stored(text: string) {
  const { record } = acceptEvent(text, acceptance());
  const position = { shardId: 'shardId-000000000000', sequenceNumber: '1' };
  const prepared = prepareEvent({ position, arrivedAtMillis: NOW, data: record.data });
  if ('quarantined' in prepared) throw new Error(prepared.quarantined.reason);
  return prepared.envelopes[0] as (typeof prepared.envelopes)[number];
}

describe('an accepted event', () => {
  it('is stored to the byte, but for what the envelope lists', () => {
    let redacted = 0;
    fc.assert(
      fc.property(randomEvent, (text) => {
        const { document, redaction } = stored(text);
        const paths = redaction.fields.map(({ path }) => path);
        redacted += paths.length;
        if (paths.length === 0) expect(document).toBe(text);
        expect(withoutValues(document, paths)).toBe(withoutValues(text, paths));
      }),
      seeded(1_000),
    );
    // The generator does reach what is redacted.
    expect(redacted).toBeGreaterThan(300);
  });
});
