import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const BIN = join(REPOSITORY, 'node_modules/.bin');
const DEFINITIONS = 'lambdas/domain/protobuf';

/** Generates code from our own definitions into a folder, as `npm run generate:otlp` does by default. */
export function generate(folder: string, template = `${DEFINITIONS}/buf.gen.yaml`): void {
  execFileSync(
    join(BIN, 'buf'),
    ['generate', DEFINITIONS, '--template', template, '--output', folder],
    {
      cwd: REPOSITORY,
      env: { ...process.env, PATH: `${BIN}:${process.env.PATH}` },
      stdio: 'pipe',
    },
  );
}

/** A message as ts-proto holds it: bytes as Uint8Array, 64-bit integers as bigint. */
export type Decoded = Readonly<Record<string, unknown>>;

/** A codec that shares no code with ours but the reader of single values. */
export interface Oracle {
  decode(bytes: Uint8Array): Decoded;
  encode(message: Decoded): { finish(): Uint8Array };
}

const TS_PROTO = JSON.stringify({
  version: 'v2',
  plugins: [
    {
      local: 'protoc-gen-ts_proto',
      out: '.',
      opt: [
        'forceLong=bigint',
        'outputJsonMethods=false',
        'outputPartialMethods=false',
        'outputServices=none',
      ],
    },
  ],
});

/** Export requests by ts-proto, generated and bundled on the spot: a second tree would have to be kept. */
export async function tsProtoOracle(): Promise<Oracle> {
  const folder = mkdtempSync(join(tmpdir(), 'ts-proto-'));
  try {
    generate(folder, TS_PROTO);
    const outfile = join(folder, 'oracle.mjs');
    await build({
      bundle: true,
      entryPoints: [join(folder, 'otlp-traces.ts')],
      format: 'esm',
      logLevel: 'error',
      nodePaths: [join(REPOSITORY, 'node_modules')],
      outfile,
      platform: 'node',
    });
    const { ExportTraceServiceRequest } = await import(pathToFileURL(outfile).href);
    return ExportTraceServiceRequest;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
