import { versionName } from '../evidence/version-name.ts';
import type { ObjectVersion, VersionInspector, VersionState } from '../ports.ts';

/** Asks S3 once per version, however many rows point at it. */
export class Inspection {
  readonly denied = new Set<string>();
  readonly #inspector: VersionInspector;
  readonly #states = new Map<string, Promise<VersionState>>();

  constructor(inspector: VersionInspector) {
    this.#inspector = inspector;
  }

  of({ bucket, key, versionId }: ObjectVersion): Promise<VersionState> {
    const version = { bucket, key, versionId };
    const subject = versionName(version);
    const known = this.#states.get(subject);
    if (known) return known;
    const state = this.#inspector.inspect(version).then((answer) => {
      if (answer.status === 'denied') this.denied.add(subject);
      return answer;
    });
    this.#states.set(subject, state);
    return state;
  }
}
