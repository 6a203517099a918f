import { readRecording } from '../localstack/workload-recording.ts';

/** Recorded events up to this size are about 2 KB; the longer ones carry column lineage. */
const MAX_EVENT_BYTES = 2_500;
const RUN_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Run events of about 2 KB as a real client sent them, each with ids of its own, so that they compress like real ones. */
export function recordedEvents(count: number): string[] {
  const recorded = readRecording()
    .filter(({ path, body }) => path === '/api/v1/lineage' && body.length <= MAX_EVENT_BYTES)
    .map(({ body }) => body);
  return Array.from({ length: count }, (_, i) =>
    (recorded[i % recorded.length] as string).replace(RUN_ID, (id) => freshId(id, i)),
  );
}

/** The same for every run of a benchmark, so that every run measures the same bytes. */
function freshId(id: string, index: number): string {
  return id.slice(0, -6) + ((index * 2_654_435) & 0xff_ff_ff).toString(16).padStart(6, '0');
}
