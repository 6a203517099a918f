import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALLOWED, FORMS, VIOLATIONS } from './violations.ts';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const LAYER_RULES = /^(?:lint\/style\/(noRestrictedImports|noRestrictedGlobals)|(plugin))$/;

interface Diagnostic {
  readonly category: string;
  readonly location: {
    readonly path: string | { readonly file: string };
    readonly start?: { readonly line: number };
  };
}

/** Rules broken in a folder laid out like the repository, as `file:line rule`. */
function lint(files: ReadonlyMap<string, readonly string[]>): Set<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'layers-')));
  try {
    cpSync(join(REPOSITORY, 'biome.json'), join(folder, 'biome.json'));
    cpSync(join(REPOSITORY, 'lint'), join(folder, 'lint'), { recursive: true });
    for (const [file, lines] of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), lines.join('\n'));
    }
    return new Set(run(folder).flatMap(describeLayerRule));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(cwd: string): Diagnostic[] {
  const biome = join(REPOSITORY, 'node_modules/@biomejs/biome/bin/biome');
  const args = [
    biome,
    'lint',
    '--reporter=json',
    '--max-diagnostics=none',
    '--vcs-enabled=false',
    '.',
  ];
  try {
    const output = execFileSync(process.execPath, args, {
      cwd,
      encoding: 'utf8',
      timeout: 20_000,
      stdio: 'pipe',
    });
    return JSON.parse(output).diagnostics;
  } catch (error) {
    return JSON.parse((error as { stdout: string }).stdout).diagnostics;
  }
}

function describeLayerRule({ category, location }: Diagnostic): string[] {
  const rule = LAYER_RULES.exec(category);
  if (!rule) return [];
  const path = typeof location.path === 'string' ? location.path : location.path.file;
  return [`${path.replace(/^\.\//, '')}:${location.start?.line} ${rule[1] ?? rule[2]}`];
}

/** Puts every line into its file; answers where each came to stand (1-based). */
class Layout {
  readonly files = new Map<string, string[]>();

  add(file: string, line: string): string {
    const lines = this.files.get(file) ?? [];
    this.files.set(file, [...lines, line]);
    return `${file}:${lines.length + 1}`;
  }
}

const layout = new Layout();
const violations = VIOLATIONS.map(
  ({ file, line, rule }) => [`${file}: ${line}`, `${layout.add(file, line)} ${rule}`] as const,
);
const forms = Object.entries(FORMS).map(
  ([form, line]) =>
    [
      form,
      `${layout.add('lambdas/domain/openlineage/form.ts', line('../../adapters/s3-vault.ts'))} noRestrictedImports`,
    ] as const,
);
const allowed = ALLOWED.map(
  ([file, line]) => [`${file}: ${line}`, layout.add(file, line)] as const,
);

describe('layer rules and rules for errors', () => {
  let found: Set<string>;
  beforeAll(() => {
    found = lint(layout.files);
  });
  afterAll(() => found.clear());

  it.each(violations)('refuse %s', (_what, expected) => {
    expect(found).toContain(expected);
  });

  it.each(forms)('refuse what reaches another layer by a %s import', (_form, expected) => {
    expect(found).toContain(expected);
  });

  it.each(allowed)('allow %s', (_what, place) => {
    expect([...found].filter((broken) => broken.startsWith(`${place} `))).toEqual([]);
  });

  it('are suppressed nowhere', () => {
    const sources = ['lambdas', 'bin'].flatMap((folder) =>
      readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => join(folder, file)),
    );
    expect(sources).toContain('lambdas/ingest/index.ts');
    const suppressed = sources.filter((file) =>
      /biome-ignore(?:-\w+)? lint(?:\/plugin|:|\/style\/noRestricted)/.test(
        readFileSync(join(REPOSITORY, file), 'utf8'),
      ),
    );
    expect(suppressed).toEqual([]);
  });
});
