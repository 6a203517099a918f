import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { takeLock } from '../../localstack/lock.ts';
import { REPOSITORY } from '../../localstack/paths.ts';
import { findPython } from '../../localstack/prerequisites.ts';
import { run } from '../../localstack/process.ts';
import { ensureVenv } from '../../localstack/venv.ts';

/** The folder of the client programs and their lock files. */
export const CLIENTS = join(REPOSITORY, 'test', 'clients');
/** Shared by every run in this checkout, whatever LOCAL_DIR says. */
const INSTALLED = join(REPOSITORY, '.local', 'clients');
/** Compiling the collector from nothing takes two minutes on two cores. */
const INSTALL_LIMIT_MILLIS = 540_000;

/** A virtual environment with what `<client>/requirements.txt` pins by hash. Returns its Python. */
export async function installPython(client: string): Promise<string> {
  const files = ['requirements-build.txt', 'requirements.txt'].map((name) =>
    join(CLIENTS, client, name),
  );
  const requirements = files.filter((file) => existsSync(file));
  return await ensureVenv(findPython(), { baseDir: INSTALLED, requirements });
}

// The plugin is pinned like what it copies; -C refuses a file that its repository's checksum denies.
const COPY_JARS = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

/**
 * The jars that `<client>/pom.xml` names, each checked against `<client>/jars.sha256`, and the classes of the
 * program beside them if there is one. Returns the folder of both.
 */
export async function installJava(client: string): Promise<string> {
  const source = (name: string) => join(CLIENTS, client, name);
  const [pom, checksums] = [source('pom.xml'), source('jars.sha256')];
  const programs = readdirSync(source('.')).filter((name) => name.endsWith('.java'));
  const pins = [pom, checksums, ...programs.map(source)];
  return await installOnce(client, pins, async (folder, command) => {
    const output = `-DoutputDirectory=${folder}`;
    await command('mvn', [
      '-B',
      '-q',
      '-C',
      '-f',
      pom,
      COPY_JARS,
      '-DincludeScope=runtime',
      output,
    ]);
    const jars = readdirSync(folder).filter((name) => name.endsWith('.jar'));
    const actual = jars.sort().map((name) => `${sha256(join(folder, name))}  ${name}\n`);
    if (actual.join('') !== readFileSync(checksums, 'utf8')) {
      throw new Error(`the jars are not those of ${checksums}; they are:\n${actual.join('')}`);
    }
    if (programs.length === 0) return;
    await command('javac', ['-cp', join(folder, '*'), '-d', folder, ...programs.map(source)]);
  });
}

const OCB = 'go.opentelemetry.io/collector/cmd/builder@v0.161.0';

/** The collector of `otel-collector/builder.yaml`, whose modules are those of `go.sum` beside it. Returns the program. */
export async function installCollector(): Promise<string> {
  const manifest = join(CLIENTS, 'otel-collector', 'builder.yaml');
  const sums = join(CLIENTS, 'otel-collector', 'go.sum');
  const folder = await installOnce('otel-collector', [manifest, sums], async (target, command) => {
    const sources = join(target, 'sources');
    // It writes to ./sources, as the manifest says: below its working directory, which is `target`.
    await command('go', ['run', OCB, '--config', manifest, '--skip-compilation']);
    if (readFileSync(join(sources, 'go.sum'), 'utf8') !== readFileSync(sums, 'utf8')) {
      throw new Error(`the modules are not those of ${sums}: compare ${sources}/go.sum`);
    }
    const build = ['build', '-trimpath', '-ldflags=-s -w', '-o', join(target, 'otelcol'), '.'];
    await command('go', build, { cwd: sources, env: { CGO_ENABLED: '0' } });
  });
  return join(folder, 'otelcol');
}

/** Runs in the folder that is being built unless told otherwise: what it writes on its own is never in the repository. */
type Command = (
  command: string,
  args: readonly string[],
  options?: { readonly env?: Record<string, string>; readonly cwd?: string },
) => Promise<void>;

/** Builds a folder once for each content of its pins; one builder at a time, a half-built one is built anew. */
async function installOnce(
  name: string,
  pins: readonly string[],
  build: (folder: string, command: Command) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256');
  for (const pin of pins) hash.update(readFileSync(pin));
  const folder = join(INSTALLED, `${name}-${hash.digest('hex').slice(0, 12)}`);
  const stamp = join(folder, 'complete');
  if (existsSync(stamp)) return folder;
  const release = await takeLock(`${folder}.lock`, INSTALL_LIMIT_MILLIS);
  try {
    if (existsSync(stamp)) return folder;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const log = join(INSTALLED, `${basename(folder)}.log`);
    rmSync(log, { force: true });
    await build(folder, async (command, args, { env, cwd = folder } = {}) => {
      const options = { log, cwd, limitMillis: INSTALL_LIMIT_MILLIS };
      const { code } = await run(command, args, { ...options, env: { ...process.env, ...env } });
      if (code !== 0) throw new Error(`${command} ended with ${code}: ${tail(log)}`);
    });
    writeFileSync(stamp, '');
  } finally {
    release();
  }
  return folder;
}

const sha256 = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

const TAIL_CHARACTERS = 2_000;
const tail = (log: string) => readFileSync(log, 'utf8').slice(-TAIL_CHARACTERS);
