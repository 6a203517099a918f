import { isCardNumber } from '../../lambdas/domain/redaction/checksums/card-number.ts';
import { isIban } from '../../lambdas/domain/redaction/checksums/iban.ts';
import { isLetteredNationalNumber } from '../../lambdas/domain/redaction/checksums/lettered-national-number.ts';
import { isNationalNumber } from '../../lambdas/domain/redaction/checksums/national-number.ts';
import { SECRET_SHAPES } from '../../lambdas/domain/redaction/secret-shapes.ts';

/** A text that a detector knows, and what of it must be gone. */
export interface DetectorForm {
  readonly name: string;
  readonly text: string;
  readonly needle: string;
}

/** Texts around a secret, by the detector that has to find it. */
const AROUND_A_SECRET: Readonly<Record<string, (secret: string) => string>> = {
  'e-mail address': (s) => `${s}@example.com`,
  'e-mail address, encoded': (s) => `/users/${s}%40example.com/x`,
  'named secret': (s) => `password=${s}`,
  'named secret in JSON': (s) => `{"accessToken":"${s}"}`,
  'named secret in XML': (s) => `<Password>${s}</Password>`,
  'named secret in a sentence': (s) => `The API key: ${s}`,
  flag: (s) => `run --db-password ${s} --verbose`,
  header: (s) => `Authorization: Digest a b ${s}`,
  bearer: (s) => `Bearer ${s}`,
  basic: (s) => `Basic ${Buffer.from(`u:${s}`).toString('base64')}`,
  JWT: (s) => `eyJhbGciOiJIUzI1NiJ9.${s}.${s}`,
  PEM: (s) => `-----BEGIN RSA PRIVATE KEY-----\n${s}\n-----END RSA PRIVATE KEY-----`,
  'password hash': (s) => `$2b$12$${s}${s}${s}`.slice(0, 60),
  'client secret of Azure': (s) => `abc8Q~${s}${s}${s}`,
  'user info of a URL': (s) => `postgres://u:${s}@db.example:5432/d`,
  'user info without a scheme': (s) => `u:${s}@db.example:5432/d`,
  'user info of Oracle': (s) => `jdbc:oracle:thin:scott/${s}@db.example:1521:orcl`,
  'signed query': (s) => `https://b.s3.amazonaws.com/k?X-Amz-Signature=${s}`,
  'shared access signature': (s) => `https://a.blob.core.windows.net/c/b?sv=2024&sig=${s}`,
  'parameter of a person': (s) => `https://h.example/p?user=${s}`,
  'parameter of JDBC': (s) => `jdbc:sqlserver://h;databaseName=d;user=u;password=${s}`,
  'DSN of ODBC': (s) => `Driver={x};Server=h;Database=d;PWD=${s}`,
  'keywords of libpq': (s) => `host=h dbname=d password=${s}`,
  webhook: (s) => `https://hooks.slack.com/services/T0/B0/${s}`,
  statement: (s) => `SELECT a FROM t WHERE b = '${s}'`,
  'statement in a sentence': (s) => `failed: INSERT INTO t (a) VALUES ('${s}')`,
  'statement behind a comment': (s) => `/* app */ DELETE FROM t WHERE a = '${s}'`,
  'definition of a user': (s) => `CREATE USER u PASSWORD '${s}'`,
};

/** `#` is any digit, so that each run of the tests looks for numbers of its own. */
const NUMBERS: Readonly<Record<string, readonly [string, (digits: string) => boolean]>> = {
  card: ['4###############', isCardNumber],
  'card in groups': ['5### #### #### ####', isCardNumber],
  'American Express card': ['37## ###### #####', isCardNumber],
  'UnionPay card of nineteen digits': ['62#################', isCardNumber],
  'German IBAN': ['DE## 3704 0044 #### #### ##', isIban],
  'British IBAN': ['GB##NWBK##############', isIban],
  CPF: ['###.###.###-##', isNationalNumber],
  PESEL: ['850714#####', isNationalNumber],
  AHV: ['756.####.####.##', isNationalNumber],
  NIR: ['1 85 07 ## ### ### ##', isNationalNumber],
  'Chinese identity number': ['11010519850714####', isNationalNumber],
  DNI: ['########Z', isLetteredNationalNumber],
  'codice fiscale': ['RSSMRA85L##A###S', isLetteredNationalNumber],
  HETU: ['140785A###N', isLetteredNationalNumber],
  SSN: ['SSN: 07#-##-####', () => true],
  passport: ['passport no. ########', () => true],
};

/**
 * A text in the form of each detector.
 * @param secret letters and digits, 12 or more
 * @param digit any next digit
 */
export function detectorForms(secret: string, digit: () => number): readonly DetectorForm[] {
  // In any alphabet that issuers use, and as long as the longest of their keys.
  const hex = Buffer.from(secret).toString('hex').toUpperCase();
  const key = hex.repeat(Math.ceil(100 / hex.length));
  return [
    ...Object.entries(AROUND_A_SECRET).map(([name, around]) => {
      const needle = name === 'basic' ? around(secret).slice('Basic '.length) : secret;
      return { name, text: around(secret), needle };
    }),
    ...SECRET_SHAPES.map(({ prefix, least }) => {
      const text = prefix + key.slice(0, least);
      return { name: prefix, text, needle: text };
    }),
    ...Object.entries(NUMBERS).map(([name, [pattern, isValid]]) => {
      const text = numberOf(pattern, isValid, digit);
      return { name, text, needle: text.replace(/^[a-z .:]+(?=\d)/i, '') };
    }),
  ];
}

/** Of a hundred thousand numbers in a pattern some have the right check digits. */
const MAX_TRIES = 100_000;

function numberOf(pattern: string, isValid: (plain: string) => boolean, digit: () => number) {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const text = pattern.replace(/#/g, () => String(digit()));
    if (isValid(text.replace(/[ .-]/g, ''))) return text;
  }
  throw new Error(`no number like ${pattern}`);
}
