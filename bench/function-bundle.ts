import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { FUNCTION_BUNDLING } from '../lib/constructs/function-bundling.ts';
import { REPOSITORY } from '../localstack/paths.ts';

/** A built function. */
export interface Bundle {
  readonly path: string;
  readonly bytes: number;
  /** The largest packages and the bytes they put into the bundle, largest first. */
  readonly packages: ReadonlyArray<readonly [name: string, bytes: number]>;
}

const LARGEST_PACKAGES = 4;

/** Bundles an entry file, or a source text, exactly as a function is bundled for deployment. */
export async function buildFunction(
  input: { readonly entry: string } | { readonly source: string },
  outfile: string,
): Promise<Bundle> {
  const { metafile } = await build({
    ...esbuildOptions(),
    ...('entry' in input
      ? { entryPoints: [input.entry] }
      : { stdin: { contents: input.source, resolveDir: REPOSITORY } }),
    absWorkingDir: REPOSITORY,
    outfile,
    logLevel: 'error',
    metafile: true,
  });
  const [output] = Object.values(metafile.outputs);
  if (!output) throw new Error('esbuild wrote nothing');
  const packages = new Map<string, number>();
  for (const [file, { bytesInOutput }] of Object.entries(output.inputs)) {
    const name = packageOf(file);
    packages.set(name, (packages.get(name) ?? 0) + bytesInOutput);
  }
  return {
    path: outfile,
    bytes: output.bytes,
    packages: [...packages].sort((a, b) => b[1] - a[1]).slice(0, LARGEST_PACKAGES),
  };
}

/** A variable that a module asks for by the functions of lambdas/shared/env.ts. */
const REQUIRED = /\brequire(?:Env|Integer|List)\(\s*'(\w+)'/g;

const READS_ENVIRONMENT = /\bprocess\.env\b/;

/** The only modules that may look at the environment themselves; the others ask them by name. */
const READERS = /^lambdas\/shared\/(?:\w+-)?env\.ts$/;

/**
 * Names of the environment variables that a function reads anywhere below its index.ts, sorted.
 * @throws Error when a module reads the environment past lambdas/shared/env.ts
 */
export async function variablesOf(folder: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: REPOSITORY,
    bundle: true,
    entryPoints: [entryOf(folder)],
    format: 'esm',
    metafile: true,
    packages: 'external',
    platform: 'node',
    write: false,
  });
  const names = new Set<string>();
  for (const file of Object.keys(metafile.inputs)) {
    const source = readFileSync(join(REPOSITORY, file), 'utf8');
    for (const [, name] of source.matchAll(REQUIRED)) names.add(name as string);
    if (!READERS.test(file) && READS_ENVIRONMENT.test(source)) {
      throw new Error(`${file} reads the environment past lambdas/shared/env.ts`);
    }
  }
  return [...names].sort();
}

/** Path of the file that a function is bundled from, relative to the repository. */
export function entryOf(folder: string): string {
  return `lambdas/${folder}/index.ts`;
}

/** The deployed options in esbuild's own words. An option that is new there and not here does not compile. */
function esbuildOptions() {
  const { banner, bundleAwsSDK, format, mainFields, minify, sourceMap, target, ...others } =
    FUNCTION_BUNDLING;
  others satisfies Record<string, never>;
  return {
    banner: { js: banner },
    bundle: true,
    external: bundleAwsSDK ? [] : ['@aws-sdk/*', '@smithy/*'],
    format,
    mainFields,
    minify,
    platform: 'node',
    sourcemap: sourceMap,
    target,
  } satisfies BuildOptions;
}

function packageOf(file: string): string {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
  return name ?? 'own code';
}
