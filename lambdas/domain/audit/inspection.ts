import type { ObjectVersion, VersionInspector, VersionState } from '../evidence/ports.ts';
import { versionName } from '../evidence/version-name.ts';

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

  /** Whether S3 said how a version (by its name) stands. */
  saw(subject: string): boolean {
    return this.#states.has(subject) && !this.denied.has(subject);
  }

  /** Takes note of a lock that was made longer after it was looked at. */
  relocked(version: ObjectVersion, retainUntil: string): void {
    const subject = versionName(version);
    const before = this.#states.get(subject);
    if (before) {
      this.#states.set(
        subject,
        before.then((state) => (state.status === 'present' ? { ...state, retainUntil } : state)),
      );
    }
  }
}
