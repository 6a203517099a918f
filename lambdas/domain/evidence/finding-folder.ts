import type { Finding } from '../findings.ts';
import { EvidencePrefix } from './evidence-prefix.ts';

const PREFIXES: ReadonlySet<string> = new Set(Object.values(EvidencePrefix));

/**
 * `<bucket>/<folder of the vault>/`, under which a finding about an object is listed when it concerns no run: who looks
 * at the folder again finds it. Undefined for any other finding.
 */
export function findingFolder({ runKeys, subject }: Finding): string | undefined {
  const [, folder] = subject.split('/', 2);
  if (runKeys.length > 0 || !PREFIXES.has(`${folder}/`)) return undefined;
  return folderOf(subject);
}

/** What a name or a key lies in, with the slash at its end. */
export function folderOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1);
}
