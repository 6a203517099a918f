/** Every kind of damage that the verifier tells apart, the gravest first. The codes are what `evidence verify` ends with. */
export const DAMAGES = {
  modified_record: { exitCode: 10, means: 'lines of an evidence object are not those sealed' },
  modified_object: { exitCode: 11, means: 'the bytes of an object are not those sealed' },
  missing_object: { exitCode: 12, means: 'an object that was sealed is not there' },
  accepted_not_stored: {
    exitCode: 23,
    means: 'records were accepted and are not stored, by the recounts in the digests',
  },
  missing_digest: { exitCode: 13, means: 'a digest of the chain is not there' },
  wrong_key: {
    exitCode: 14,
    means: 'a digest is signed with a key that nothing trusted announced',
  },
  malformed_digest: { exitCode: 15, means: 'a digest is not in its form, or contradicts itself' },
  bad_signature: { exitCode: 16, means: 'the signature of a digest does not hold' },
  broken_chain: { exitCode: 17, means: 'a digest does not continue the one before it' },
  moved_object: {
    exitCode: 18,
    means: 'an object or a digest stands under another key than sealed',
  },
  second_version: { exitCode: 19, means: 'a key has more than one version, or a delete marker' },
  retention_short: { exitCode: 20, means: 'an object is locked shorter or weaker than sealed' },
  extra_object: { exitCode: 21, means: 'an object is in no digest, though its interval is sealed' },
  unsealed_tail: { exitCode: 22, means: 'objects landed after the last digest' },
} as const satisfies Readonly<Record<string, { exitCode: number; means: string }>>;

export type DamageKind = keyof typeof DAMAGES;

/** One thing that does not hold. It names keys, numbers and times of the store, nothing of a payload. */
export interface Damage {
  readonly kind: DamageKind;
  /** Of the object or digest that does not hold. */
  readonly key: string;
  readonly versionId?: string;
  /** The first of the lines (from 0) that differ. */
  readonly lines?: readonly number[];
  readonly detail: string;
}

export type ReportDamage = (damage: Damage) => void;
