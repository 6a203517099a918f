import { scan } from '../lambdas/domain/json/scanner.ts';
import type { Benchmark } from './benchmark.ts';
import { recordedEvents } from './events.ts';
import { compare } from './rounds.ts';

const LARGE_BYTES = 1_000_000;
const INDENT = 2;

/** The scanner with positions against the parser of the engine, which keeps none. */
export const json: Benchmark = {
  summary: 'the JSON scanner against JSON.parse on the same text',

  async run() {
    const event = JSON.parse(recordedEvents(1)[0] as string);
    const count = Math.ceil(LARGE_BYTES / JSON.stringify(event).length);
    const values = { '2 KB': event, '1 MB': recordedEvents(count).map((text) => JSON.parse(text)) };
    const rows = [];
    for (const [size, value] of Object.entries(values)) {
      for (const [spelling, indent] of Object.entries({ compact: 0, pretty: INDENT })) {
        // Decoded from bytes as in a function: a string that was put together is slower to read.
        const text = Buffer.from(JSON.stringify(value, null, indent)).toString();
        const { taskMillis, floorMillis, ratio } = await compare(
          () => scan(text),
          () => JSON.parse(text),
        );
        rows.push({
          text: `${size} ${spelling}`,
          bytes: text.length,
          scanMicros: taskMillis.median * 1_000,
          parseMicros: floorMillis.median * 1_000,
          ratio,
        });
      }
    }
    return {
      rows,
      notes: ['ratio: time of scan over time of JSON.parse; below 1 the scanner is faster'],
    };
  },
};
