import { type CliContext, CliError, ExitCode, type GlobalOptions } from './cli.ts';
import { type DeploymentRecord, readDeployment, sayWhetherEmulated } from './deployment.ts';
import { printable } from './table.ts';

/** No single answer takes longer; beyond it the store counts as unreachable. */
const TIMEOUT_MILLIS = 30_000;

/** Never seen is an answer about the evidence; a malformed id is the caller's mistake. */
const EXIT_BY_STATUS: Readonly<Record<number, number>> = {
  400: ExitCode.usage,
  404: ExitCode.finding,
  409: ExitCode.usage,
};

interface Problem {
  readonly detail?: string;
  readonly errors?: ReadonlyArray<{ readonly path: string; readonly rule: string }>;
}

interface Target {
  readonly url: string;
  readonly key: string;
}

/**
 * Reads one resource of the API as text: numbers that a double cannot hold stay what they are.
 * @throws CliError usage (2) when no target is named, cannotLook (3) when the store does not answer or refuses
 */
export async function readApi(
  path: string,
  options: GlobalOptions,
  context: CliContext,
): Promise<string> {
  return call(path, { headers: {} }, resolveTarget(options, context, 'read'));
}

/** Asks for a change the same way; of a local store with the administrator's key. */
export async function changeByApi(
  method: 'PUT' | 'DELETE',
  path: string,
  body: unknown,
  options: GlobalOptions,
  context: CliContext,
): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const request = { method, headers, body: JSON.stringify(body) };
  return call(path, request, resolveTarget(options, context, 'admin'));
}

async function call(
  path: string,
  { headers, ...request }: RequestInit & { readonly headers: Record<string, string> },
  { key, url }: Target,
): Promise<string> {
  const response = await fetch(url + path, {
    ...request,
    headers: { ...headers, authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(TIMEOUT_MILLIS),
  }).catch(() => {
    throw new CliError(
      ExitCode.cannotLook,
      `${url} does not answer: check the URL, or run npm start for a local store.`,
    );
  });
  const text = await response.text();
  if (response.ok) return text;
  throw new CliError(
    EXIT_BY_STATUS[response.status] ?? ExitCode.cannotLook,
    `${response.status}: ${reasonOf(text)}`,
  );
}

function resolveTarget(
  options: GlobalOptions,
  context: CliContext,
  role: 'read' | 'admin',
): Target {
  const { url, key, stage } = options;
  const { env } = context;
  // What is said with the command outranks what the shell says.
  const named = url ?? (stage === undefined ? env.EVIDENCE_URL : undefined);
  const recorded = named ? undefined : readDeployment(stage, env);
  const bearer = key ?? env.EVIDENCE_KEY ?? recorded?.keys?.[role];
  if (!bearer)
    throw new CliError(ExitCode.usage, 'No key is named: give --key or set EVIDENCE_KEY.');
  if (named && !(/^https?:/i.test(named) && URL.canParse(named))) {
    throw new CliError(
      ExitCode.usage,
      'The URL of the store is none: it begins with http:// or https://.',
    );
  }
  const apiUrl = (named ?? (recorded as DeploymentRecord).apiUrl).replace(/\/+$/, '');
  sayWhetherEmulated(recorded ?? { apiUrl }, options, context);
  return { url: apiUrl, key: bearer };
}

function reasonOf(body: string): string {
  try {
    const { detail, errors = [] } = JSON.parse(body) as Problem;
    const rules = errors.map(({ path, rule }) => `; ${path}: ${rule}`).join('');
    return detail === undefined ? 'the store gave no reason' : printable(detail + rules);
  } catch {
    return 'the answer is not from this store; check the URL';
  }
}
