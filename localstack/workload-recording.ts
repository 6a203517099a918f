import { readdirSync, readFileSync } from 'node:fs';

/** One request of a real client as it went over the wire. */
interface RecordedRequest {
  readonly method: string;
  /** Below the API's base URL. */
  readonly path: string;
  /** As the client spelled and ordered them, without Authorization and Host. */
  readonly headers: Readonly<Record<string, string>>;
  /** The client compressed the body; `body` is what was inside. */
  readonly gzip: boolean;
  readonly body: string;
}

/** A request of the recorded workload. */
export interface WorkloadRequest extends RecordedRequest {
  /** Unique in the recording, e.g. `failed START`. */
  readonly name: string;
  /** Name of the run that the event belongs to; absent for trace exports, which hold several. */
  readonly run?: string;
}

const RECORDING = new URL('../test/fixtures/workload/', import.meta.url);

/** The recorded workload in the order in which its clients sent it. */
export function readRecording(folder: URL = RECORDING): WorkloadRequest[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')));
}
