import type { ProducerDirectory } from '../producers/ports.ts';
import type { Producer, ProducerRecord } from '../producers/producer.ts';

/**
 * Writes a producer as its newest record has it. Keys come back without their hashes, which are nowhere: they are
 * listed, and open nothing, unless the table still has them. Of a role that two records claim, the older keeps it.
 * @returns false when the table has that version or a later one
 */
export async function restoreProducer(
  record: ProducerRecord,
  directory: ProducerDirectory,
): Promise<boolean> {
  const { producer: _p, version, at: _at, change: _c, by: _by, keyId: _k, keys, ...rest } = record;
  const before = await directory.find(rest.producerId);
  if (before && before.version >= version) return false;
  const { roleArn: _role, ...withoutRole } = rest;
  const registration = (await directory.mayHaveRole(rest)) ? rest : withoutRole;
  const after: Producer = { version, registration, keys };
  return directory.put(before, after);
}
