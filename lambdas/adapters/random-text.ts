import { randomInt } from 'node:crypto';

/** Text of a cryptographic source, each character with the same chance. */
export function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}
