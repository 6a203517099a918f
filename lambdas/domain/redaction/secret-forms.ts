import { endOfRun, isDigit, isSpace } from './characters.ts';
import type { Finding } from './finding.ts';
import { endOfMarker } from './marker.ts';
import { isTokenPart } from './secret-shapes.ts';

const PRIVATE_KEY_HEADER = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/y;

/** End of the private key in PEM that starts here, or of the text when the key does not end. */
export function endOfPrivateKey(text: string, at: number): number | undefined {
  if (text.charCodeAt(at + 1) !== 45) return undefined;
  PRIVATE_KEY_HEADER.lastIndex = at;
  if (!PRIVATE_KEY_HEADER.test(text)) return undefined;
  const footer = text.indexOf('-----END', at);
  const end = footer === -1 ? -1 : text.indexOf('KEY', footer);
  return end === -1 ? text.length : endOfRun(text, end + 3, (code) => code === 45);
}

/** bcrypt, crypt(3) and Argon2: the hash of a password can be guessed against. */
const PASSWORD_HASH = /\$(?:2[abxy]\$\d\d|argon2(?:id|i|d)|[156y])\$[\w./$=,+-]{20}/y;

/** End of the hash of a password that starts here. */
export function endOfPasswordHash(text: string, at: number): number | undefined {
  PASSWORD_HASH.lastIndex = at;
  if (!PASSWORD_HASH.test(text)) return undefined;
  return endOfRun(text, at, (code) => code === 36 || code === 44 || isTokenPart(code));
}

/** What stands before the tilde of a secret of Azure: `abc8Q`. */
const AZURE_HEAD_CHARACTERS = 5;
const MIN_AZURE_TAIL_CHARACTERS = 31;

/** The client secret of Azure around the tilde at an offset: `abc8Q~…`. */
export function findAzureSecret(text: string, at: number): Finding | undefined {
  if (text[at - 1] !== 'Q' || !isDigit(text.charCodeAt(at - 2))) return undefined;
  const end = endOfRun(text, at + 1, isTokenPart);
  if (at < AZURE_HEAD_CHARACTERS || end - at <= MIN_AZURE_TAIL_CHARACTERS) return undefined;
  return { start: at - AZURE_HEAD_CHARACTERS, end, rule: 'secret' };
}

/** A sentence about bearer authentication goes on with a word. */
const PLAIN_WORD = /^[A-Za-z]?[a-z]{1,20}[.=]?$/;
const PRINTABLE = /^[\x20-\x7e]+$/;

/** End of the token behind `Bearer` or `Basic`, whose word ends here. */
function endOfSchemeToken(text: string, scheme: string, at: number): number | undefined {
  const start = endOfRun(text, at, (code) => code === 32 || code === 9, 8);
  if (start === at) return undefined;
  const end = endOfRun(text, start, isTokenPart);
  const isPlainWord = end - start <= 24 && PLAIN_WORD.test(text.slice(start, end));
  if (scheme === 'bearer') return end - start >= 8 && !isPlainWord ? end : undefined;
  // What `Basic` announces is a user and a password, with a colon between: most words are not.
  const decoded =
    end - start >= 4 ? Buffer.from(text.slice(start, end), 'base64').toString('latin1') : '';
  const isWhole = (end - start) % 4 === 0 || PRINTABLE.test(decoded);
  return decoded.includes(':') && isWhole ? end : undefined;
}

/** The token behind the word `Bearer` or `Basic`, when a word is one. */
export function findSchemeToken(text: string, at: number, wordEnd: number): Finding | undefined {
  if (wordEnd - at !== 5 && wordEnd - at !== 6) return undefined;
  const scheme = text.slice(at, wordEnd).toLowerCase();
  if (scheme !== 'bearer' && scheme !== 'basic') return undefined;
  const end = endOfSchemeToken(text, scheme, wordEnd);
  if (end === undefined) return undefined;
  const start = endOfRun(text, wordEnd, isSpace);
  return endOfMarker(text, start) === undefined ? { start, end, rule: 'secret' } : undefined;
}
