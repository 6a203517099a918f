import { endOfRun, isAlphanumeric, isWordPart } from './characters.ts';

const isUpper = (code: number) => (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
const isHex = (code: number) =>
  (code >= 48 && code <= 57) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
export const isDashed = (code: number) => code === 45 || isWordPart(code);
const isDotted = (code: number) => code === 46 || isDashed(code);
/** Base64 in either alphabet, and what RFC 6750 allows in a bearer token. */
export const isTokenPart = (code: number): boolean =>
  code === 43 || code === 47 || code === 61 || code === 126 || isDotted(code);

interface SecretShape {
  readonly prefix: string;
  readonly isPart: (code: number) => boolean;
  /** The least number of characters behind the prefix. */
  readonly least: number;
}

const shapes = (
  prefixes: string,
  isPart: (code: number) => boolean,
  least: number,
): readonly SecretShape[] => prefixes.split(' ').map((prefix) => ({ prefix, isPart, least }));

/** Credentials that their issuers gave a prefix; documented by each of them for secret scanners. */
export const SECRET_SHAPES: readonly SecretShape[] = [
  ...shapes('AKIA ASIA ABIA ACCA', isUpper, 16), // AWS
  ...shapes('ABSK', isTokenPart, 80), // AWS Bedrock
  ...shapes('ghp_ gho_ ghu_ ghs_ ghr_ github_pat_', isWordPart, 20), // GitHub
  ...shapes(
    'glpat- glptt- gldt- glrt- glrtr- glcbt- glsoat- glft- glimt- glagent- gloas-',
    isDashed,
    16,
  ), // GitLab
  ...shapes('GR1348941', isDashed, 20), // GitLab runners
  ...shapes('xoxa- xoxb- xoxe- xoxp- xoxr- xoxs- xoxc- xoxd- xapp-', isDashed, 10), // Slack
  ...shapes('sk_live_ sk_test_ rk_live_ rk_test_ whsec_', isWordPart, 10), // Stripe
  ...shapes('sk-ant- sk-proj- sk-svcacct- sk-or-', isDashed, 16), // Anthropic, OpenAI
  ...shapes('sk-', isAlphanumeric, 32), // OpenAI
  ...shapes('AIza', isDashed, 35), // Google
  ...shapes('ya29.', isDotted, 20), // Google
  ...shapes('GOCSPX-', isDashed, 20), // Google
  ...shapes('npm_', isAlphanumeric, 30),
  ...shapes('pypi-AgE', isDashed, 30),
  ...shapes('rubygems_', isHex, 32),
  ...shapes('dckr_pat_', isDashed, 20), // Docker
  ...shapes('SG.', isDotted, 40), // SendGrid
  ...shapes('hf_', isAlphanumeric, 30), // Hugging Face
  ...shapes('dapi dkea dose', isHex, 32), // Databricks
  ...shapes('dop_v1_ doo_v1_ dor_v1_', isHex, 40), // DigitalOcean
  ...shapes('shpat_ shpca_ shppa_ shpss_', isHex, 32), // Shopify
  ...shapes('hvs. hvb. hvr.', isDashed, 20), // Vault
  ...shapes('lin_api_', isAlphanumeric, 30), // Linear
  ...shapes('NRAK- NRII- NRAL-', isAlphanumeric, 20), // New Relic
  ...shapes('glsa_ glc_', isTokenPart, 30), // Grafana
  ...shapes('sq0atp- sq0csp-', isDashed, 20), // Square
  ...shapes('PMAK-', isDashed, 30), // Postman
  ...shapes('AGE-SECRET-KEY-1', isUpper, 40),
  ...shapes('key-', isHex, 32), // Mailgun
  ...shapes('SK', isHex, 32), // Twilio
  ...shapes('dp.pt. dp.st.', isDotted, 30), // Doppler
  ...shapes('pul-', isHex, 40), // Pulumi
  ...shapes('tskey-', isDashed, 20), // Tailscale
  ...shapes('sntrys_ sntryu_', isTokenPart, 30), // Sentry
  ...shapes('dbtc_ dbtu_', isTokenPart, 20), // dbt
  ...shapes('1//0', isDashed, 30), // Google refresh tokens
  ...shapes('ATATT3 ATCTT3 ATBB ATSTT3', isTokenPart, 20), // Atlassian
  ...shapes('HRKU- sbp_ nfp_ figd_ ntn_ pcsk_ tvly- pplx- xai- gsk_ r8_', isDashed, 20), // Heroku, Supabase, Netlify, Figma, Notion, Pinecone, Tavily, Perplexity, xAI, Groq, Replicate
  ...shapes('pscale_tkn_ pscale_pw_ pscale_oauth_', isTokenPart, 20), // PlanetScale
  ...shapes('lsv2_pt_ lsv2_sk_ sk-lf- pnu_ pnb_', isDashed, 20), // LangSmith, Langfuse, Prefect
  ...shapes('LS0tLS1CRUdJTi', isTokenPart, 40), // PEM in base64
];

/** By the first two characters: most words stop there. */
const HEADS = new Uint8Array(128 * 128);
const BY_HEAD = new Map<number, SecretShape[]>();
for (const shape of SECRET_SHAPES) {
  const head = headOf(shape.prefix, 0);
  HEADS[head] = 1;
  BY_HEAD.set(head, [...(BY_HEAD.get(head) ?? []), shape]);
}
for (const pair of ['ey', ...casesOf('be'), ...casesOf('ba')]) HEADS[headOf(pair, 0)] = 1;

function casesOf(pair: string): string[] {
  const [first = '', second = ''] = pair;
  return [first, first.toUpperCase()].flatMap((one) => [one + second, one + second.toUpperCase()]);
}

/** Two characters as one number; 0 when they are not ASCII. */
function headOf(text: string, at: number): number {
  const first = text.charCodeAt(at);
  const second = text.charCodeAt(at + 1);
  return first < 128 && second < 128 ? first * 128 + second : 0;
}

/** Whether a credential, a JWT or the word `Bearer` or `Basic` may start here. */
export function mayStartSecret(text: string, at: number): boolean {
  return HEADS[headOf(text, at)] === 1;
}

/** End of the credential that starts at a word's first character; undefined when none does. */
export function endOfSecret(text: string, at: number): number | undefined {
  const found = BY_HEAD.get(headOf(text, at))?.find(({ prefix, isPart, least }) => {
    const start = at + prefix.length;
    return text.startsWith(prefix, at) && endOfRun(text, start, isPart, least) === start + least;
  });
  // A neighbour that could not stand in it may still belong to it: the whole token goes.
  return found && endOfRun(text, at, isTokenPart);
}

/** RFC 7519: a base64url object and at least one more part. */
export function endOfJwt(text: string, at: number): number | undefined {
  if (!text.startsWith('eyJ', at)) return undefined;
  const head = endOfRun(text, at, isDashed);
  if (head - at < 11 || text[head] !== '.') return undefined;
  const end = endOfRun(text, head, isDotted);
  return end - head > 8 ? end : undefined;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z])/iy;

/** End of the UUID that starts here. Its digits are nobody's. */
export function endOfUuid(text: string, at: number): number | undefined {
  UUID.lastIndex = at;
  return UUID.test(text) ? UUID.lastIndex : undefined;
}
