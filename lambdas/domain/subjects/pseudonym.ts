import { createHmac } from 'node:crypto';
import { type EpochKey, keyedHash } from '../evidence/keyed-hash.ts';

/** What stands for the identity of a person; undefined when nothing may, because their key was erased. */
export type SubjectPseudonyms = (identity: string) => string | undefined;

const PREFIX = 'sub_';
/** 128 bits: no two persons of a store meet. */
const PSEUDONYM_BYTES = 16;
const PSEUDONYM = /^sub_[a-p]{32}$/;

/** What a pseudonym looks like before the key of its subject is known. */
export const PLACEHOLDER = PREFIX + 'a'.repeat(2 * PSEUDONYM_BYTES);

/**
 * `sub_` and 32 letters: the same wherever a person is named for as long as their key lives. With the key
 * goes the only way from an identity to it. Letters only, as digits could make a number that is taken for data.
 * @param secret of this subject alone, at random: whoever has all other keys learns nothing
 */
export function subjectPseudonym(secret: Uint8Array, identity: string): string {
  const tag = createHmac('sha256', secret).update(`subject/1\0${identity}`).digest();
  let name = PREFIX;
  for (const byte of tag.subarray(0, PSEUDONYM_BYTES)) {
    name += String.fromCharCode(97 + (byte >> 4), 97 + (byte & 15));
  }
  return name;
}

/** Whether a text was made by {@link subjectPseudonym}: redacting it again changes nothing. */
export function isSubjectPseudonym(text: string): boolean {
  return PSEUDONYM.test(text);
}

/** Under which the key of a subject is held: without the key of the epoch nobody can tell whose it is. */
export function subjectLookup(key: EpochKey, identity: string): string {
  return keyedHash(key, 'subject/1', identity);
}
