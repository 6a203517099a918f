import type { RoleIdentity } from '../domain/producers/role-arn.ts';
import { storeKey } from '../domain/store-key.ts';
import type { ItemKey } from './dynamo-table.ts';

/**
 * All producers are one partition: they change seldom, only administrators and readers list them, and a
 * page is one query. What every request asks for, keys and roles, has a partition each.
 */
export const PRODUCERS_PARTITION = storeKey('producers');

export function producerItem(producerId: string): ItemKey {
  return { pk: PRODUCERS_PARTITION, sk: storeKey('producer', producerId) };
}

/** `{keyHash, registration, validUntil?}`: everything that authentication needs, in one read. */
export function bearerKeyItem(keyId: string): ItemKey {
  return { pk: storeKey('bearer-key', keyId), sk: storeKey('bearer-key') };
}

/** `{producerId, registration}`; empty once the role is given up. */
export function roleItem({ account, name }: RoleIdentity): ItemKey {
  return { pk: storeKey('role', account, name), sk: storeKey('role') };
}
