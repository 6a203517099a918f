import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generate } from '../../support/otlp-codec.ts';

const OURS = 'lambdas/domain/protobuf';
const SPECIFICATION = 'test/fixtures/opentelemetry-proto';

/** Not part of an export request, or no message of the wire. */
const LEFT_OUT = ['TracesData', 'SpanFlags'];

/** Fields and enum values by message, as `Span.Link trace_id` -> `bytes 1`. */
function definitionsOf(...files: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const file of files) {
    const source = readFileSync(file, 'utf8').replace(/\/\/.*/g, '');
    const scope: string[] = [];
    for (const [, opens, name, closes, type, field, number] of source.matchAll(
      /\b(message|enum|oneof|service)\s+(\w+)\s*\{|(\})|((?:repeated\s+)?[\w.]+\s+)?(\b\w+)\s*=\s*(\d+)\s*;/g,
    )) {
      if (opens) scope.push(opens === 'oneof' ? '' : (name as string));
      else if (closes) scope.pop();
      else {
        const within = scope.filter(Boolean).join('.');
        const shortType = (type ?? 'value').trim().replace(/[\w.]+\./, '');
        found[`${within} ${field}`] = `${shortType} ${number}`;
      }
    }
  }
  return found;
}

describe('our definitions', () => {
  it('have the field numbers, types and enum values of OpenTelemetry protocol 1.9.0', () => {
    const specification = definitionsOf(
      ...readdirSync(SPECIFICATION).map((file) => join(SPECIFICATION, file)),
    );
    const expected = Object.entries(specification).filter(
      ([field]) => !LEFT_OUT.includes(field.split(' ')[0] as string),
    );
    expect(expected.length).toBeGreaterThan(60);
    expect(definitionsOf(join(OURS, 'otlp-traces.proto'))).toEqual(Object.fromEntries(expected));
  });

  it('are what the committed code was generated from (npm run generate:otlp)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'generated-'));
    try {
      generate(folder);
      const generated = readdirSync(folder).sort();
      expect(generated).toEqual(['otlp-traces_pb.ts', 'rpc-status_pb.ts']);
      for (const file of generated) {
        expect(readFileSync(join(OURS, file), 'utf8')).toBe(
          readFileSync(join(folder, file), 'utf8'),
        );
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
