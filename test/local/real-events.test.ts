import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, inject, it } from 'vitest';
import { StoreClient } from '../support/store-client.ts';
import { withoutValues } from '../support/without-values.ts';

const FOLDER = new URL('../fixtures/openlineage-events/', import.meta.url);
const EVENTS = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

describe('events of real integrations', () => {
  const store = new StoreClient(inject('environment'));

  it('are all here', () => {
    expect(EVENTS).toHaveLength(23);
  });

  it.concurrent.each(EVENTS)(
    '%s comes back byte-exact minus its declared redactions',
    async (name) => {
      const sent = readFileSync(new URL(name, FOLDER), 'utf8');
      const { json: envelope } = await store.store(sent);
      const { document, redaction } = await store.line(envelope.location);

      const declared = redaction.fields.map(({ path }) => path);
      expect(withoutValues(document, declared)).toBe(withoutValues(sent, declared));
      if (declared.length === 0) expect(document).toBe(sent);
      for (const field of redaction.fields)
        expect(document).toContain(`"[redacted:${field.rule}]"`);
      expect((await store.get(`/api/v1/events/${envelope.receiptId}/document`)).text).toBe(
        document,
      );
    },
  );
});
