import { ERROR_CODES, ERROR_TEXT, OTHER_OUTPUT } from './error-text.ts';

/** A file, one line that breaks a rule, and what biome calls the rule. */
export interface Violation {
  readonly file: string;
  readonly line: string;
  readonly rule: 'noRestrictedImports' | 'noRestrictedGlobals' | 'plugin';
}

const imports = (file: string, ...sources: readonly string[]): Violation[] =>
  sources.map((source) => ({
    file,
    line: `import { x } from '${source}';`,
    rule: 'noRestrictedImports',
  }));

const impure = (rule: Violation['rule'], ...expressions: readonly string[]): Violation[] =>
  expressions.map((expression) => ({
    file: 'lambdas/domain/evidence/file.ts',
    line: `export const x = ${expression};`,
    rule,
  }));

/** One of each layer that meets errors. */
const WITH_ERRORS = [
  'lambdas/domain/evidence/failures.ts',
  'lambdas/adapters/failures.ts',
  'lambdas/shared/http/failures.ts',
  'lambdas/ingest/failures.ts',
  'lambdas/ingest/index.ts',
  'bin/evidence/failures.ts',
];

const inEach = (lines: readonly string[]) =>
  WITH_ERRORS.flatMap((file) => lines.map((line) => [file, line] as const));

/** Each breaks one rule of design.md, Layout: "Dependencies point one way". */
export const VIOLATIONS: readonly Violation[] = [
  ...imports(
    'lambdas/domain/evidence/file.ts',
    ...[
      '../../adapters/s3-vault.ts',
      '../../shared/env.ts',
      '../../ingest/handler.ts',
      '../../archive-traces/index.ts',
    ],
    ...[
      '@aws-sdk/client-s3',
      '@smithy/node-http-handler',
      '@middy/core',
      '@aws-lambda-powertools/logger',
    ],
    ...[
      '@opentelemetry/api',
      'aws-cdk-lib',
      'aws-cdk-lib/aws-s3',
      'constructs',
      'uuid',
      'aws-lambda',
    ],
    ...[
      'node:fs',
      'node:fs/promises',
      'node:net',
      'node:http',
      'node:https',
      'node:child_process',
      'fs',
    ],
    ...['node:process', 'node:timers', 'node:perf_hooks'],
    '../../../lib/config/environments.ts',
  ),
  ...imports(
    'lambdas/domain/findings.ts',
    '../adapters/s3-vault.ts',
    '../shared/env.ts',
    '../query/handler.ts',
    'node:fs',
    '@aws-sdk/client-s3',
  ),
  { file: 'lambdas/domain/findings.ts', line: 'export const x = Date.now();', rule: 'plugin' },
  {
    file: 'lambdas/domain/findings.ts',
    line: 'export const x = process;',
    rule: 'noRestrictedGlobals',
  },
  {
    file: 'lambdas/domain/evidence/file.ts',
    line: "import { randomUUID } from 'node:crypto';",
    rule: 'noRestrictedImports',
  },
  {
    file: 'lambdas/domain/producers/file.ts',
    line: "import { promisify } from 'node:util';",
    rule: 'noRestrictedImports',
  },
  ...impure(
    'plugin',
    'Date.now()',
    'Date.now',
    'Math.random()',
    'new Date()',
    'new Date',
    'Date()',
    'process.env.X',
  ),
  ...impure(
    'noRestrictedGlobals',
    'process.pid',
    'performance.now()',
    'fetch',
    'crypto.randomUUID()',
    'globalThis.x',
    'setTimeout(() => {}, 1)',
  ),
  ...imports(
    'lambdas/adapters/file.ts',
    '../shared/env.ts',
    '../ingest/handler.ts',
    '../../lib/x.ts',
    'aws-cdk-lib',
    '@middy/core',
  ),
  ...imports(
    'lambdas/shared/file.ts',
    '../adapters/s3-vault.ts',
    '../ingest/handler.ts',
    'aws-cdk-lib',
  ),
  ...imports(
    'lambdas/shared/http/file.ts',
    '../../adapters/s3-vault.ts',
    '../../ingest/handler.ts',
  ),
  ...imports(
    'lambdas/ingest/file.ts',
    '../adapters/s3-vault.ts',
    '../query/handler.ts',
    '../ingest-traces/otlp-answer.ts',
    '@aws-sdk/client-s3',
    '../../lib/x.ts',
  ),
  ...imports(
    'lambdas/ingest/index.ts',
    '../query/handler.ts',
    '../archive/index.ts',
    'aws-cdk-lib',
    '../../localstack/x.ts',
  ),
  ...imports(
    'lib/stacks/file.ts',
    '../../lambdas/domain/evidence/ports.ts',
    '../../lambdas/domain/evidence/evidence-object.ts',
    '../../lambdas/domain/redaction/facet-map.ts',
    '../../lambdas/adapters/dynamo-table.ts',
    '../../lambdas/shared/env.ts',
    '../../localstack/aws.ts',
    '@aws-sdk/client-s3',
  ),
  ...imports(
    'bin/app.ts',
    '../lambdas/domain/evidence/ports.ts',
    '../localstack/aws.ts',
    './evidence.ts',
  ),
  ...[
    ...inEach(ERROR_TEXT),
    ...OTHER_OUTPUT.map((line) => ['lambdas/ingest/index.ts', line] as const),
  ].map(([file, line]): Violation => ({ file, line, rule: 'plugin' })),
];

/** The ways to reach another module; a rule that catches only the first is none. */
export const FORMS: Readonly<Record<string, (source: string) => string>> = {
  static: (source) => `import { x } from '${source}';`,
  'type-only': (source) => `import type { X } from '${source}';`,
  'side effect': (source) => `import '${source}';`,
  're-export': (source) => `export { x } from '${source}';`,
  'star re-export': (source) => `export * from '${source}';`,
  dynamic: (source) => `export const x = import('${source}');`,
};

/** What each layer may do, so that a rule that forbids everything is seen, too. */
export const ALLOWED: ReadonlyArray<readonly [file: string, line: string]> = [
  ['lambdas/domain/evidence/file.ts', "import { x } from '../json/document.ts';"],
  ['lambdas/domain/evidence/file.ts', "import { x } from './envelope.ts';"],
  ['lambdas/domain/evidence/file.ts', "import { createHash } from 'node:crypto';"],
  ['lambdas/domain/evidence/file.ts', "import { gzipSync } from 'node:zlib';"],
  ['lambdas/domain/producers/file.ts', "import { isDeepStrictEqual } from 'node:util';"],
  ['lambdas/domain/protobuf/file.ts', "import { x } from '@bufbuild/protobuf';"],
  ['lambdas/domain/protobuf/file.ts', "import { x } from '@bufbuild/protobuf/wire';"],
  [
    'lambdas/domain/evidence/file.ts',
    'export const x = [new Date(5), Date.parse("x"), Date.UTC(1, 1)];',
  ],
  ['lambdas/domain/findings.ts', "import { x } from './evidence/retention.ts';"],
  ['lambdas/adapters/file.ts', "import { x } from '../domain/evidence/ports.ts';"],
  ['lambdas/adapters/file.ts', "import { x } from '@aws-sdk/client-s3';"],
  ['lambdas/shared/http/file.ts', "import { x } from '../../domain/errors.ts';"],
  ['lambdas/shared/http/file.ts', "import { x } from '../acceptance.ts';"],
  ['lambdas/ingest/file.ts', "import { x } from '../shared/http/body.ts';"],
  ['lambdas/ingest/file.ts', "import { x } from '@middy/core';"],
  ['lambdas/ingest/file.ts', 'export const x = Date.now();'],
  ['lambdas/ingest/index.ts', "import { x } from '../adapters/s3-vault.ts';"],
  ['lambdas/ingest/index.ts', "import { x } from '@aws-sdk/client-s3';"],
  ['lib/stacks/file.ts', "import { x } from '../../lambdas/shared/metric-names.ts';"],
  ['lib/stacks/file.ts', "import { x } from '../../lambdas/domain/evidence/evidence-prefix.ts';"],
  ['lib/stacks/file.ts', "import { x } from '../../lambdas/adapters/table-layout.ts';"],
  ['lib/config/file.ts', "import { x } from '../../lambdas/domain/redaction/policy.ts';"],
  ['lib/config/file.ts', "import { x } from '../../lambdas/domain/redaction/policy-rules.ts';"],
  ['lib/stacks/file.ts', "import { x } from 'aws-cdk-lib';"],
  ['bin/app.ts', "import { x } from '../lib/stages/evidence-stage.ts';"],
  ...inEach(ERROR_CODES),
  ['lambdas/ingest/index.ts', 'export const handler = entryPoint(handle);'],
  ['lambdas/ingest/index.ts', 'export const handler = entryPoint(createHandler({}));'],
];
