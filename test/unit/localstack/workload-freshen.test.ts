import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFreshen } from '../../../localstack/workload-freshen.ts';
import { readRecording } from '../../../localstack/workload-recording.ts';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const HEX_ID = /(?<=")(?:[0-9a-f]{32}|[0-9a-f]{16})(?=")/g;
const EVENT_TIME = /"eventTime": "([^"]+)"/g;
const SPAN_TIME = /"\w*imeUnixNano":"(\d+)"/g;

const now = new Date('2031-03-30T01:59:59.750Z');
const bodies = readRecording().map(({ body }) => body);
const freshen = createFreshen(bodies, { now, seed: 'a seed' });

const ids = (text: string) => [...text.matchAll(UUID), ...text.matchAll(HEX_ID)].map(([id]) => id);
const eventTimes = (texts: string[]) =>
  texts.flatMap((text) => [...text.matchAll(EVENT_TIME)].map(([, time = '']) => time));
const spanTimes = (texts: string[]) =>
  texts.flatMap((text) => [...text.matchAll(SPAN_TIME)].map(([, time = '']) => BigInt(time)));
/** The text with all that may change blanked. */
const blank = (text: string) =>
  text.replace(UUID, '?').replace(HEX_ID, '?').replace(EVENT_TIME, '?').replace(SPAN_TIME, '?');

describe('the recorded workload, freshened', () => {
  const fresh = bodies.map(freshen);

  it('keeps no identifier, and keeps the references between them', () => {
    const old = bodies.flatMap(ids);
    const replaced = fresh.flatMap(ids);
    expect(new Set(old).size).toBeGreaterThan(15);
    expect(old.filter((id) => fresh.some((text) => text.includes(id)))).toEqual([]);
    const firstSeenAt = (list: string[]) => list.map((id) => list.indexOf(id));
    expect(firstSeenAt(replaced)).toEqual(firstSeenAt(old));
  });

  it('is still JSON, and differs in identifiers and times only', () => {
    for (const [position, text] of fresh.entries()) {
      expect(() => JSON.parse(text)).not.toThrow();
      expect(text).toHaveLength(bodies[position]?.length ?? 0);
      expect(blank(text)).toBe(blank(bodies[position] ?? ''));
    }
  });

  it('moves events and spans by the same whole seconds, into the 2 s before now', () => {
    const micros = (time: string) =>
      BigInt(Date.parse(`${time.slice(0, 19)}Z`)) * 1000n + BigInt(time.slice(20, 26));
    const moved = [
      ...eventTimes(fresh).map((time, i) => micros(time) - micros(eventTimes(bodies)[i] ?? '')),
      ...spanTimes(fresh).map((time, i) => (time - (spanTimes(bodies)[i] ?? 0n)) / 1000n),
    ];
    expect(moved.length).toBeGreaterThan(20);
    expect(new Set(moved).size).toBe(1);
    const newest = [...eventTimes(fresh).map(micros), ...spanTimes(fresh).map((t) => t / 1000n)]
      .map((time) => Number(time / 1000n))
      .reduce((a, b) => Math.max(a, b));
    expect(now.getTime() - newest).toBeGreaterThanOrEqual(0);
    expect(now.getTime() - newest).toBeLessThanOrEqual(2000);
  });

  it('yields the same bytes for the same seed and time, other ids for another seed', () => {
    const again = createFreshen(bodies, { now, seed: 'a seed' });
    const other = createFreshen(bodies, { now, seed: 'b seed' });
    expect(bodies.map(again)).toEqual(fresh);
    expect(fresh.flatMap(ids).filter((id) => bodies.map(other).flatMap(ids).includes(id))).toEqual(
      [],
    );
  });
});

describe('createFreshen', () => {
  const hex = (length: number) =>
    fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((id) => /[1-9a-f]/.test(id));

  it('finds ids anywhere and leaves all other text alone', () => {
    const property = fc.property(
      fc.uuid(),
      hex(32),
      hex(16),
      fc.string({ unit: 'binary' }),
      fc.integer({ min: 0, max: 9_999_999 }),
      (runId, traceId, spanId, text, number) => {
        const render = (run: string, trace: string, span: string, second: string) =>
          `{"eventTime": "2026-10-0${second}.${number}+02:00", "run":{"runId": "${run}"},` +
          `"x" : ${JSON.stringify(text)},"n":9007199254740993,"d":"2026-10-01T00:00:00Z",` +
          `"traceId":"${trace}","parentSpanId":"${span}",` +
          `"sql":"select 1 /*traceparent='00-${trace}-${span}-01'*/","long":"f${trace}"}`;
        fc.pre(!text.includes(runId) && !text.includes(traceId) && !text.includes(spanId));
        const body = render(runId, traceId, spanId, '1T23:59:59');
        const at = new Date('2026-10-02T00:00:05Z');
        const result = createFreshen([body], { now: at, seed: randomUUID() })(body);
        const [run = ''] = result.match(/(?<="runId": ")[^"]+/) ?? [];
        const [trace = ''] = result.match(/(?<="traceId":")[^"]+/) ?? [];
        const [span = ''] = result.match(/(?<="parentSpanId":")[^"]+/) ?? [];
        expect([run, trace, span]).not.toContain(runId);
        expect(trace).not.toBe(traceId);
        expect(span).not.toBe(spanId);
        const expected = render(run, trace, span, '2T00:00:04').replace(`f${trace}`, `f${traceId}`);
        expect(result).toBe(expected);
      },
    );
    fc.assert(property, { numRuns: 200 });
  });

  it('changes nothing in a body without ids and times', () => {
    const body = '{"a": [1, 2.0, "2026-01-01T00:00:00Z"]}';
    expect(createFreshen([body], { now, seed: 's' })(body)).toBe(body);
  });
});
