import { isWordPart } from './characters.ts';

/** Words that name a secret when a name ends in them, whatever stands before. */
const ENDINGS =
  'password passwords passwd passwort passphrase passcode passkey kennwort motdepasse contrasena wachtwoord senha secret secrets secretvalue secretstring secrettext token tokenvalue accesstokens refreshtokens sessiontokens authtokens apikeys accesskeys accesskeyids secretaccesskeys privatekeys secretkeys pwds passphrases connectionstrings contrasenas apikey appkey accesskey accesskeyid secretkey accountkey privatekey encryptionkey signingkey sharedkey storagekey subscriptionkey masterkey licensekey credential credentials creds connectionstring connstr authorization xamzsignature xamzcredential xamzsecuritytoken xgoogsignature xgoogcredential jaasconfig cookie sessionid sessid pwd pw signature sharedaccesssignature webhookurl'.split(
    ' ',
  );

/** Words that are too short to be looked for at the end of others: `pass` names a secret, `compass` does not. */
const WHOLE = 'pass sig pin auth jwt sas otp cvv cvc pat mdp passin passout'.split(' ');

/** Headers whose value is the rest of the line, spaces and all. */
const HEADERS = /(?:^|[^a-z0-9])(?:authorization|(?:set[-_]?)?cookie)$/i;

/** Longer names are cut from the front: what they end in decides. */
const MAX_NAME_CHARACTERS = 128;

const [IS_ENDING, IS_WHOLE] = [1, 2];

/** The words backwards, as a tree: 26 entries for each node, 0 where no word goes on. Most names stop after two letters. */
const NEXT: number[] = new Array(26).fill(0);
const KIND: number[] = [0];
for (const [words, kind] of [
  [WHOLE, IS_WHOLE],
  [ENDINGS, IS_ENDING],
] as const) {
  for (const word of words) KIND[nodeOf(word)] = kind;
}

function nodeOf(word: string): number {
  let node = 0;
  for (let at = word.length - 1; at >= 0; at--) {
    const edge = node * 26 + word.charCodeAt(at) - 97;
    if (NEXT[edge] === 0) {
      NEXT[edge] = KIND.length;
      KIND.push(0);
      NEXT.push(...new Array(26).fill(0));
    }
    node = NEXT[edge] as number;
  }
  return node;
}

const NEXT_NODE = Uint16Array.from(NEXT);
const NODE_KIND = Uint8Array.from(KIND);

/** Whether what a name stands for is a secret: `db_password`, `X-Amz-Signature`, `--api-key`, `user.pass`, `token_2`. */
export function isSecretName(name: string): boolean {
  let end = name.length;
  while (end > 0 && !isWordPart(name.charCodeAt(end - 1))) end--;
  return endsInSecretName(name, end) || holdsPassw(name, 0, end);
}

/** Whether the name that ends here in a text does so in a word for a secret. Digits behind the word count it. */
export function endsInSecretName(text: string, end: number): boolean {
  const floor = Math.max(0, end - MAX_NAME_CHARACTERS);
  let at = end - 1;
  while (at >= floor && isCount(text.charCodeAt(at))) at--;
  let node = 0;
  let isGap = false;
  for (; at >= floor; at--) {
    const code = text.charCodeAt(at);
    if (!isLetter(code)) {
      if (isGap || !isJoint(code)) return false;
      isGap = true;
      continue;
    }
    isGap = false;
    node = NEXT_NODE[node * 26 + (code | 32) - 97] as number;
    if (node === 0) return false;
    const kind = NODE_KIND[node];
    if (kind === IS_ENDING || (kind === IS_WHOLE && startsWord(text, at))) return true;
  }
  return false;
}

/** Azure names the account behind: `fs.azure.account.key.x.dfs.core.windows.net`. */
const ACCOUNT_KEY = /account[._-]?key[._-]/i;

/** `passw` in the middle, as in `passwordHash` or `passwd_old`; punctuation in it does not count. */
export function holdsPassw(text: string, start: number, end: number): boolean {
  for (let at = Math.max(start, end - MAX_NAME_CHARACTERS); at < end; at++) {
    if ((text.charCodeAt(at) | 32) !== 119) continue;
    const before = text.slice(Math.max(start, at - 8), at).replace(/[^a-z]/gi, '');
    if (before.toLowerCase().endsWith('pass')) return true;
  }
  return ACCOUNT_KEY.test(text.slice(start, Math.min(end, start + MAX_NAME_CHARACTERS)));
}

/** Whether a header's value is a secret that spaces do not end. */
export function isSecretHeader(name: string): boolean {
  return HEADERS.test(name.slice(-MAX_NAME_CHARACTERS));
}

const isLetter = (code: number): boolean => {
  const lower = code | 32;
  return lower >= 97 && lower <= 122 && code < 128;
};

/** What may stand behind the word: a digit, `-`, `.`, `_`. */
const isCount = (code: number): boolean =>
  (code >= 48 && code <= 57) || code === 45 || code === 46 || code === 95;

/** What may stand between the parts of a name: a space, `$`, `-`, `.`, `_`. */
const isJoint = (code: number): boolean =>
  code === 32 || code === 36 || code === 45 || code === 46 || code === 95;

/** A word starts behind anything but a letter or a digit, and with a capital behind a small letter. */
function startsWord(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  if (before >= 97 && before <= 122) return text.charCodeAt(at) < 97;
  return !isLetter(before) && !(before >= 48 && before <= 57);
}
