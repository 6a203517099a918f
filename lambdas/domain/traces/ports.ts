import type { EvidenceObject } from '../evidence/evidence-object.ts';
import type { ObjectVersion } from '../evidence/ports.ts';

/** Where ungoverned traces wait; unlocked, emptied by lifecycle. */
export interface TraceStaging {
  putObject(object: EvidenceObject): Promise<ObjectVersion>;
}
