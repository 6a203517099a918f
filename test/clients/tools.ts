import { execFileSync } from 'node:child_process';
import { describe, it } from 'vitest';
import { findPython } from '../../localstack/prerequisites.ts';

/** What a client needs on the machine beside Node. */
export type Tool = 'Python' | 'Java' | 'Maven' | 'Go';

const CHECKS: Readonly<Record<Tool, () => unknown>> = {
  Python: findPython,
  Java: () => execFileSync('javac', ['-version'], { stdio: 'ignore' }),
  Maven: () => execFileSync('mvn', ['-version'], { stdio: 'ignore' }),
  Go: () => execFileSync('go', ['version'], { stdio: 'ignore' }),
};

const VERSIONS: Readonly<Record<Tool, string>> = {
  Python: 'Python 3.10 or newer with venv',
  Java: 'a JDK 17 or newer',
  Maven: 'Maven 3.8 or newer',
  Go: 'Go 1.26 or newer',
};

/**
 * A suite of one client. Where a tool is missing it is skipped and its name says why; with
 * REQUIRE_CLIENTS=1, as in .ci/run, it fails instead.
 */
export function describeClient(name: string, tools: readonly Tool[], suite: () => void): void {
  const missing = tools.filter((tool) => !works(tool)).map((tool) => VERSIONS[tool]);
  if (missing.length === 0) {
    describe(name, suite);
  } else if (process.env.REQUIRE_CLIENTS === '1') {
    describe(name, () => {
      it('has what it needs', () => {
        throw new Error(`install ${missing.join(' and ')}: REQUIRE_CLIENTS=1 allows no skip`);
      });
    });
  } else {
    describe.skip(`${name} (skipped: needs ${missing.join(' and ')})`, suite);
  }
}

function works(tool: Tool): boolean {
  try {
    CHECKS[tool]();
    return true;
  } catch {
    return false;
  }
}
