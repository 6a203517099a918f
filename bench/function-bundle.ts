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
