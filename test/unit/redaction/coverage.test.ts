import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Prepared } from '../../../lambdas/domain/evidence/consumed-record.ts';
import { prepareEvent } from '../../../lambdas/domain/openlineage/prepare-event.ts';
import { prepareTraces } from '../../../lambdas/domain/traces/prepare-trace.ts';
import { consumed, REDACTION } from '../../support/builders.ts';
import {
  type CanaryDocument,
  canaryDocuments,
  formedText,
  plainForm,
} from '../../support/canary-documents.ts';
import type { CanaryPlace, Fill } from '../../support/canary-events.ts';
import { detectorForms } from '../../support/detector-forms.ts';
import { readDocument, rowsUnder } from '../../support/markdown.ts';

const RUN_ID_ATTRIBUTES = ['lineage.run_id'];

/** All that is stored of a document. */
function stored({ kind, text }: CanaryDocument): string {
  const prepared: Prepared =
    kind === 'event'
      ? prepareEvent(consumed(1, text), REDACTION)
      : prepareTraces(consumed(1, text), REDACTION, RUN_ID_ATTRIBUTES);
  if (!('envelopes' in prepared)) throw new Error('the document was not stored');
  for (const { redaction } of prepared.envelopes) expect(redaction.mode).toBe('full');
  return JSON.stringify(prepared.envelopes);
}

const idOf = ({ where, path }: CanaryPlace) => `${where}: ${path}`;

describe('a text that no detector knows', () => {
  const document = readDocument('docs/redaction.md');
  const ids = (rows: ReadonlyArray<readonly string[]>) =>
    rows.flatMap(([where = '', paths = '']) => paths.split(' ').map((path) => `${where}: ${path}`));
  const kept = ids(
    rowsUnder(document, 'What no rule covers').filter(([where]) => where !== 'keys of kept tags'),
  );
  /** What only the detectors look through, by the tables and the sentences above and below them. */
  const lookedThrough = [
    ...['Facets of an event', 'Attributes of spans'].flatMap((heading) =>
      ids(
        rowsUnder(document, heading)
          .filter(([, treatment = '']) => LOOKED_THROUGH.has(treatment))
          .map(([where = '', , paths = '']) => [where, paths]),
      ),
    ),
    ...['event', 'export', 'attribute', 'unknown facets', 'facets of integrations'].map(
      (where) => `${where}: (unlisted)`,
    ),
    'document: (names)',
  ];

  it('survives where docs/redaction.md says so, and nowhere else', () => {
    const canaries = new Map<string, CanaryPlace>();
    const documents = canaryDocuments((place) => {
      const formed = formedText(place, canaries.size);
      const canary = formed ?? `Zq9w${String(canaries.size).padStart(6, '0')}x7Kbdf`;
      canaries.set(canary, place);
      return formed ?? plainForm(place, canary);
    });
    const all = documents.map(stored).join('\n');
    const survivors = new Set<string>();
    const lost = new Set<string>();
    for (const [canary, place] of canaries) {
      const holds = all.includes(canary) || all.includes(Buffer.from(canary).toString('base64'));
      if (holds) survivors.add(idOf(place));
      else if (!place.isNested) lost.add(idOf(place));
    }
    expect(canaries.size).toBeGreaterThan(5_000);
    const expected = new Set([...kept, ...lookedThrough]);
    expect([...survivors].filter((id) => !expected.has(id))).toEqual([]);
    expect([...expected].filter((id) => lost.has(id) || !survivors.has(id))).toEqual([]);
  });
});

const LOOKED_THROUGH = new Set(['scan', 'url', 'request', 'identity', 'column']);

describe('a text that a detector knows', () => {
  const keeps = ({ treatment }: CanaryPlace) => treatment === 'keep';
  let drawn = 0;
  const digit = () => createHash('sha256').update(`digit ${drawn++}`).digest().readUInt32BE() % 10;

  it.each(detectorForms('Zq9wcanaryX7Kbdf', digit))('survives nowhere ($name)', (form) => {
    let serial = 0;
    const fill: Fill = (place) => {
      const formed = formedText(place, serial++);
      return formed ?? (keeps(place) ? 'kept' : form.text);
    };
    for (const document of canaryDocuments(fill)) {
      const at = placesOf(stored(document), form.needle);
      expect(at, document.name).toEqual([]);
    }
  });
});

/** Where in the envelopes a needle stands; of the texts only so much that one can tell. */
function placesOf(envelopes: string, needle: string): string[] {
  if (!envelopes.includes(needle) && !envelopes.includes(JSON.stringify(needle).slice(1, -1))) {
    return [];
  }
  const found: string[] = [];
  const look = (value: unknown, path: string): void => {
    if (typeof value === 'string') {
      const isJson = value.startsWith('{"') || value.startsWith('[');
      if (value.includes(needle) && isJson && path.endsWith('document'))
        look(JSON.parse(value), path);
      else if (value.includes(needle)) found.push(`${path} = ${value.slice(0, 200)}`);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        if (name.includes(needle)) found.push(`${path} has ${name}`);
        look(member, `${path}.${name}`);
      }
    }
  };
  look(JSON.parse(envelopes), '$');
  return found;
}
