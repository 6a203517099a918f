import fc from 'fast-check';
import { expect, it } from 'vitest';
import { InvalidEventError } from '../../../lambdas/domain/errors.ts';
import { JsonDocument } from '../../../lambdas/domain/json/document.ts';
import { acceptExport } from '../../../lambdas/domain/traces/accept-export.ts';
import { readExport } from '../../../lambdas/domain/traces/otlp.ts';
import { seeded } from '../../support/seeded.ts';
import { SPAN_1, TRACE_A, TRACE_B } from './exports.ts';

/** A piece of an export and what has to come of it. */
interface Piece {
  readonly text: string;
  /** Names of the spans in it that are filed. */
  readonly filed: readonly string[];
  /** Spans, and containers as one each, that are told as rejected. */
  readonly rejected: number;
  /** Whether the whole export is refused for it. */
  readonly refuses: boolean;
}

let named = 0;
const spanText = (name: string, members: string) => `{"name":"${name}",${members}}`;
const ids = (traceId: string) => `"traceId":"${traceId}","spanId":"${SPAN_1}"`;

const goodSpan = fc.constantFrom(TRACE_A, TRACE_B, TRACE_A.toUpperCase()).map((traceId): Piece => {
  const name = `span-${named++}`;
  return { text: spanText(name, ids(traceId)), filed: [name], rejected: 0, refuses: false };
});
const badSpan = fc
  .constantFrom(
    `"traceId":"cb55","spanId":"${SPAN_1}"`,
    `"trace_id":"${TRACE_B}",${ids(TRACE_A)}`,
    `${ids(TRACE_A)},"span_id":null`,
    '"traceId":""',
  )
  .map(
    (members): Piece => ({
      text: spanText('bad', members),
      filed: [],
      rejected: 1,
      refuses: false,
    }),
  );
const oddItem = fc
  .constantFrom('7', 'null', '[]')
  .map((text): Piece => ({ text, filed: [], rejected: 1, refuses: false }));

/** A container of pieces in every shape that loses some when it is read carelessly. */
function container(items: string, snake: string, piece: fc.Arbitrary<Piece>): fc.Arbitrary<Piece> {
  const lists = fc.array(piece, { maxLength: 3 });
  const list = (pieces: readonly Piece[]) => `[${pieces.map(({ text }) => text).join()}]`;
  const holding = (text: string, ...pieces: Piece[]): Piece => ({
    text,
    filed: pieces.flatMap(({ filed }) => filed),
    rejected: pieces.reduce((sum, { rejected }) => sum + rejected, 0),
    refuses: pieces.some(({ refuses }) => refuses),
  });
  const unread = (text: string): Piece => ({ text, filed: [], rejected: 1, refuses: false });
  const refused = (text: string): Piece => ({ text, filed: [], rejected: 0, refuses: true });
  const name = fc.constantFrom(items, snake);
  return fc.oneof(
    {
      weight: 20,
      arbitrary: fc
        .tuple(name, lists)
        .map(([as, pieces]) => holding(`{"schemaUrl":"","${as}":${list(pieces)}}`, ...pieces)),
    },
    {
      weight: 3,
      // Whether a container is empty decides what an unknown member beside it means: one piece at least.
      arbitrary: fc
        .tuple(name, goodSpanOrLevel(piece))
        .map(([as, first]) => holding(`{"x":[{}],"${as}":[${first.text}]}`, first)),
    },
    { weight: 1, arbitrary: lists.map((pieces) => unread(`{"Other":${list(pieces)}}`)) },
    { weight: 1, arbitrary: name.map((as) => unread(`{"${as}":{"0":{}}}`)) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(name, name, lists, fc.constantFrom('[]', 'null'), fc.boolean())
        .map(([as, again, pieces, empty, first]) => {
          const values = first ? [list(pieces), empty] : [empty, list(pieces)];
          return refused(`{"${as}":${values[0]},"${again}":${values[1]}}`);
        }),
    },
  );
}

const goodSpanOrLevel = (piece: fc.Arbitrary<Piece>) =>
  piece.filter(({ filed, rejected, refuses }) => refuses || filed.length + rejected > 0);

const spans = fc.oneof(
  { weight: 6, arbitrary: goodSpan },
  { weight: 1, arbitrary: badSpan },
  { weight: 1, arbitrary: oddItem },
);
const orOdd = (piece: fc.Arbitrary<Piece>) =>
  fc.oneof({ weight: 12, arbitrary: piece }, { weight: 1, arbitrary: oddItem });
const scopes = orOdd(container('spans', 'spans', spans));
const resources = orOdd(container('scopeSpans', 'scope_spans', scopes));
// The level of the export knows no schemaUrl, which would be an unknown member there.
const exports = container('resourceSpans', 'resource_spans', resources).map((piece) => ({
  ...piece,
  text: piece.text.replace('{"schemaUrl":"",', '{'),
}));

it('files, rejects or refuses every span of an export, each of them once', () => {
  const outcomes = { filed: 0, rejected: 0, refused: 0 };
  fc.assert(
    fc.property(exports, ({ text, filed, rejected, refuses }) => {
      let accepted: ReturnType<typeof acceptExport>;
      try {
        accepted = acceptExport(text);
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidEventError);
        // An export of which nothing can be filed may be refused for what is rejected in it.
        expect(refuses || (filed.length === 0 && rejected > 0), text).toBe(true);
        outcomes.refused++;
        return;
      }
      expect(refuses, text).toBe(false);
      const stored = accepted.records.flatMap(({ body }) =>
        readExport(new JsonDocument(`${Buffer.from(body)}`)).spans.map(({ name }) => name),
      );
      expect(stored.sort(), text).toEqual([...filed].sort());
      const told = accepted.rejected.reduce((sum, { count }) => sum + count, 0);
      expect(told, text).toBe(rejected);
      outcomes.filed += stored.length;
      outcomes.rejected += told;
    }),
    seeded(2_000),
  );
  expect(Math.min(outcomes.filed, outcomes.rejected, outcomes.refused)).toBeGreaterThan(100);
});
