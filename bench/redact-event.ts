import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { JsonDocument } from '../lambdas/domain/json/document.ts';
import { dialectOfEvent } from '../lambdas/domain/redaction/event-dialect.ts';
import { eventPlaces } from '../lambdas/domain/redaction/event-places.ts';
import { redactDocument } from '../lambdas/domain/redaction/redact-document.ts';
import { ValueRedactor } from '../lambdas/domain/redaction/redact-value.ts';
import { floorOfBatch, REDACTION } from './archive-input.ts';
import type { Benchmark } from './benchmark.ts';
import { recordedEvents } from './events.ts';
import { compare } from './rounds.ts';

const EVENTS = 100;

/** Redaction of whole events, each hashed and gzipped by itself, against the same without it. */
export const event: Benchmark = {
  summary: 'redaction of a 2 KB event against JSON.parse + SHA-256 + gzip of it',

  async run() {
    const bodies = recordedEvents(EVENTS).map((text) => Buffer.from(text));
    const documents = bodies.map((body) => new JsonDocument(body.toString()));
    const tasks: Record<string, () => unknown> = {
      'redact alone': () => documents.map(redactEvent),
      'scan, redact, SHA-256, gzip': () => bodies.map(storeAlone),
    };
    const rows = [];
    for (const [step, task] of Object.entries(tasks)) {
      const { taskMillis, floorMillis, ratio } = await compare(task, () =>
        bodies.map((body) => floorOfBatch([body])),
      );
      rows.push({
        step,
        microsPerEvent: perEvent(taskMillis.median),
        floorMicrosPerEvent: perEvent(floorMillis.median),
        ratio,
      });
    }
    const bytes = Math.round(bodies.reduce((sum, { length }) => sum + length, 0) / EVENTS);
    return {
      rows,
      notes: [
        `events of ${bytes} bytes on average, as openlineage-python sent them`,
        'goal: at most 2 for scan, redact, SHA-256, gzip',
      ],
    };
  },
};

/** What archive does to redact an event, without its record and envelope. */
export function redactEvent(document: JsonDocument) {
  const { policy, key } = REDACTION;
  const places = eventPlaces(policy, dialectOfEvent(document, policy.dialectFor));
  return redactDocument(document, places, new ValueRedactor({ key, exactFingerprints: false }));
}

function storeAlone(body: Buffer) {
  const { text } = redactEvent(new JsonDocument(body.toString()));
  const stored = Buffer.from(text);
  createHash('sha256').update(stored).digest('hex');
  return gzipSync(stored);
}

function perEvent(millis: number): number {
  return (millis * 1_000) / EVENTS;
}
