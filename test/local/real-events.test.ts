import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, inject, it } from 'vitest';
import { stepsOf } from '../support/json-path.ts';
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
      // A path that is listed has changed.
      for (const path of declared)
        expect([path, valueAt(document, path)]).not.toEqual([path, valueAt(sent, path)]);
      expect((await store.get(`/api/v1/events/${envelope.receiptId}/document`)).text).toBe(
        document,
      );
    },
  );
});

/** The JSON of the value that a path leads to. */
function valueAt(text: string, path: string): string {
  // biome-ignore lint/suspicious/noExplicitAny: any JSON value
  return JSON.stringify(stepsOf(path).reduce((at, step) => at[step], JSON.parse(text) as any));
}
