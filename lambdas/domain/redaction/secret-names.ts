/** Words that name a secret when a name ends in them, in lower case without punctuation. */
const ENDINGS = [
  'password',
  'passwd',
  'passwort',
  'passphrase',
  'passcode',
  'secret',
  'secrets',
  'secretvalue',
  'secretstring',
  'secrettext',
  'token',
  'tokenvalue',
  'apikey',
  'appkey',
  'accesskey',
  'accesskeyid',
  'secretkey',
  'accountkey',
  'privatekey',
  'encryptionkey',
  'signingkey',
  'sharedkey',
  'storagekey',
  'subscriptionkey',
  'masterkey',
  'licensekey',
  'credential',
  'credentials',
  'connectionstring',
  'authorization',
  'xamzsignature',
  'xamzcredential',
  'xamzsecuritytoken',
  'xgoogsignature',
  'xgoogcredential',
  'saslpassword',
  'jaasconfig',
  'cookie',
  'sessionid',
  'pwd',
  'pw',
  'signature',
  'sharedaccesssignature',
];

/** Names that are too short to be looked for at the end of others. */
const WHOLE = new Set([
  'pass',
  'sig',
  'pin',
  'auth',
  'jwt',
  'sas',
  'otp',
  'cvv',
  'cvc',
  'passin',
  'passout',
]);

/** Headers whose value is the rest of the line, spaces and all. */
const HEADERS = new Set(['authorization', 'proxyauthorization', 'cookie', 'setcookie']);

/** Longer names are cut from the front: what they end in decides. */
const MAX_NAME_CHARACTERS = 128;

/** By length, so that a name is looked up once for each length and not compared with each ending. */
const ENDING_LENGTHS = [...new Set(ENDINGS.map(({ length }) => length))];
const ENDING_SET = new Set(ENDINGS);

/** Whether what a name stands for is a secret: `db_password`, `X-Amz-Signature`, `--api-key`, `user.pass`. */
export function isSecretName(name: string): boolean {
  const plain = plainEnd(name);
  if (plain.includes('passw')) return true;
  if (ENDING_LENGTHS.some((length) => ENDING_SET.has(plain.slice(-length)))) return true;
  let start = name.length;
  while (start > 0 && start > name.length - 12 && !'_.- '.includes(name[start - 1] as string))
    start--;
  return WHOLE.has(name.slice(start).toLowerCase());
}

/** Whether a header's value is a secret that spaces do not end. */
export function isSecretHeader(name: string): boolean {
  return HEADERS.has(plainEnd(name));
}

function plainEnd(name: string): string {
  return name
    .slice(-MAX_NAME_CHARACTERS)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}
