import { type CliContext, CliError, ExitCode, type GlobalOptions } from './cli.ts';
import { type DeploymentRecord, readDeployment } from './deployment.ts';
import { printable } from './table.ts';

/** No single answer takes longer; beyond it the store counts as unreachable. */
const TIMEOUT_MILLIS = 30_000;

/** Never seen is an answer about the evidence; a malformed id is the caller's mistake. */
const EXIT_BY_STATUS: Readonly<Record<number, number>> = {
  400: ExitCode.usage,
  404: ExitCode.finding,
  409: ExitCode.usage,
};

interface Target {
  readonly url: string;
  readonly key: string;
}

/**
 * Reads one resource of the query API as text: numbers that a double cannot hold stay what they are.
 * @throws CliError usage (2) when no target is named, cannotLook (3) when the store does not answer or refuses
 */
export async function readApi(
  path: string,
  options: GlobalOptions,
  context: CliContext,
): Promise<string> {
  const { url, key } = resolveTarget(options, context.env);
  const response = await fetch(url + path, {
    headers: { authorization: `Bearer ${key}` },
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
    `${response.status}: ${detailOf(text)}`,
  );
}

function resolveTarget({ url, key, stage }: GlobalOptions, env: NodeJS.ProcessEnv): Target {
  // What is said with the command outranks what the shell says.
  const named = url ?? (stage === undefined ? env.EVIDENCE_URL : undefined);
  const recorded = named ? undefined : readDeployment(stage, env);
  const bearer = key ?? env.EVIDENCE_KEY ?? recorded?.keys?.read;
  if (!bearer)
    throw new CliError(ExitCode.usage, 'No key is named: give --key or set EVIDENCE_KEY.');
  return { url: (named ?? (recorded as DeploymentRecord).apiUrl).replace(/\/+$/, ''), key: bearer };
}

function detailOf(body: string): string {
  try {
    const { detail } = JSON.parse(body) as { detail?: string };
    return detail === undefined ? 'the store gave no reason' : printable(detail);
  } catch {
    return 'the answer is not from this store; check the URL';
  }
}
