import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dialectName } from '../lambdas/domain/redaction/sql/dialects.ts';
import type { LabelledStatement } from './redaction-corpora.ts';

const SOURCES = fileURLToPath(new URL('go-sqllexer', import.meta.url));
const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;

/** What it calls the databases that it knows, by our names; the rest is read as no one's. */
const DBMS: Readonly<Record<string, string>> = {
  postgres: 'postgresql',
  postgresql: 'postgresql',
  mysql: 'mysql',
  mariadb: 'mysql',
  sqlserver: 'mssql',
  oracle: 'oracle',
  db2: 'ibm_db2',
  snowflake: 'snowflake',
};

/** DataDog's go-sqllexer in a process of its own. */
export interface GoSqllexer {
  /** Redacted texts, and the microseconds of each pass over all statements. */
  run(statements: readonly LabelledStatement[]): { texts: string[]; micros: number[] };
  remove(): void;
}

/** Builds the program in a temporary folder; undefined where there is no Go. */
export function buildGoSqllexer(): GoSqllexer | undefined {
  if (!hasGo()) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'bench-go-sqllexer-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const program = join(folder, 'redact');
  try {
    const env = { ...process.env, CGO_ENABLED: '0' };
    execFileSync('go', ['build', '-o', program, '.'], { cwd: SOURCES, env, stdio: 'inherit' });
  } catch (error) {
    remove();
    throw error;
  }
  return {
    run: (statements) => {
      const lines = statements.map(({ sql, dialect }) =>
        JSON.stringify({ sql, dbms: DBMS[dialectName(dialect) ?? ''] ?? '' }),
      );
      const options = { input: lines.join('\n'), maxBuffer: MOST_OUTPUT_BYTES };
      return JSON.parse(execFileSync(program, options).toString());
    },
    remove,
  };
}

function hasGo(): boolean {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
