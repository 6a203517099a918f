import type { Clock } from '../../../lambdas/domain/evidence/ports.ts';
import { isValidAt } from '../../../lambdas/domain/producers/issued-key.ts';
import type {
  ProducerDirectory,
  ProducerRegistry,
} from '../../../lambdas/domain/producers/ports.ts';
import type { Producer } from '../../../lambdas/domain/producers/producer.ts';
import type { Registration } from '../../../lambdas/domain/producers/registration.ts';
import { type RoleIdentity, readRoleArn } from '../../../lambdas/domain/producers/role-arn.ts';
import { storeKey } from '../../../lambdas/domain/store-key.ts';
import { Faults } from './bucket.ts';

interface KeyRow {
  /** Absent where a change told a key whose hash was never written, as DynamoDB does. */
  readonly keyHash?: string;
  readonly registration: Registration;
  readonly validUntil?: string;
}

/** Producers, their keys and roles as maps; nothing is cached. */
export class InMemoryProducers implements ProducerRegistry, ProducerDirectory {
  readonly faults = new Faults();
  readonly rows = new Map<string, KeyRow>();
  /** The row of a role that was given up stays, empty. */
  readonly roles = new Map<string, { producerId?: string; registration?: Registration }>();
  readonly producers = new Map<string, Producer>();
  readonly #clock: Clock;

  constructor(clock: Clock = () => 0) {
    this.#clock = clock;
  }

  async findByKeyId(keyId: string) {
    this.faults.enter('findByKeyId');
    const row = this.rows.get(keyId);
    if (row?.keyHash === undefined || !isValidAt(row, this.#clock())) return undefined;
    return { keyHash: row.keyHash, registration: row.registration };
  }

  async findByRole(role: RoleIdentity): Promise<Registration | undefined> {
    this.faults.enter('findByRole');
    return this.roles.get(roleKey(role))?.registration;
  }

  async find(producerId: string): Promise<Producer | undefined> {
    this.faults.enter('find');
    return this.producers.get(producerId);
  }

  async list(limit: number, after?: string) {
    this.faults.enter('list');
    const inOrder = [...this.producers]
      .map(([id, producer]): [string, Producer] => [storeKey('producer', id), producer])
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .filter(([key]) => after === undefined || key > after);
    const page = inOrder.slice(0, limit);
    const producers = page.map(([, producer]) => producer);
    const next = inOrder.length > limit ? page.at(-1)?.[0] : undefined;
    return { producers, ...(next !== undefined && { next }) };
  }

  async mayHaveRole(registration: Registration): Promise<boolean> {
    this.faults.enter('mayHaveRole');
    return this.#isRoleFreeFor(registration);
  }

  #isRoleFreeFor({ producerId, roleArn }: Registration): boolean {
    const role = roleArn === undefined ? undefined : readRoleArn(roleArn);
    const holder = role && this.roles.get(roleKey(role))?.producerId;
    return holder === undefined || holder === producerId;
  }

  async put(
    before: Producer | undefined,
    after: Producer,
    newKey?: { readonly keyId: string; readonly keyHash: string },
  ): Promise<boolean> {
    await Promise.resolve();
    this.faults.enter('put');
    const { registration } = after;
    if (this.producers.get(registration.producerId)?.version !== before?.version) return false;
    if (!this.#isRoleFreeFor(registration)) return false;
    this.producers.set(registration.producerId, after);
    for (const { keyId, validUntil } of after.keys) {
      const keyHash = keyId === newKey?.keyId ? newKey.keyHash : this.rows.get(keyId)?.keyHash;
      const state = { registration, ...(validUntil && { validUntil }) };
      this.rows.set(keyId, { ...(keyHash !== undefined && { keyHash }), ...state });
    }
    const { producerId, roleArn } = registration;
    const left = before?.registration.roleArn && readRoleArn(before.registration.roleArn);
    if (left) this.roles.set(roleKey(left), {});
    const role = roleArn === undefined ? undefined : readRoleArn(roleArn);
    if (role) this.roles.set(roleKey(role), { producerId, registration });
    return true;
  }
}

const roleKey = ({ account, name }: RoleIdentity) => `${account}/${name}`;
