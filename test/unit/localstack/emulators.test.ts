import { mkdtempSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { localstack } from '../../../localstack/emulators/localstack.ts';
import { ministack } from '../../../localstack/emulators/ministack.ts';
import { REPOSITORY } from '../../../localstack/paths.ts';

const root = mkdtempSync(join(tmpdir(), 'emulators-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe.each([
  [ministack, 'localstack/requirements.txt', 'ministack'],
  [localstack, 'localstack/host/requirements.txt', 'localstack-core'],
])('$name', (kind, requirements, distribution) => {
  const dataDir = join(root, kind.name);
  const { env } = kind.launch(dataDir, 4_999);

  it('listens on this machine alone', () => {
    const addresses = Object.entries(env).filter(([name]) => /LISTEN|HOST$/.test(name));
    expect(addresses).not.toEqual([]);
    for (const [, value] of addresses) expect(value).toMatch(/^127\.0\.0\.1(:4999)?$/);
  });

  it('writes below its data folder', () => {
    const folders = ['HOME', 'TMPDIR', 'STATE_DIR', 'S3_DATA_DIR', 'FILESYSTEM_ROOT', 'CONFIG_DIR'];
    const paths = folders.flatMap((name) => env[name] ?? []);
    expect(paths.length).toBeGreaterThan(3);
    for (const path of paths) expect(path.startsWith(dataDir)).toBe(true);
  });

  it('takes nothing of the caller with it but where certificates are', () => {
    process.env.AWS_PROFILE = 'prod';
    const names = Object.keys(kind.launch(join(root, `${kind.name}-again`), 4_999).env);
    delete process.env.AWS_PROFILE;
    expect(names).not.toContain('AWS_PROFILE');
  });

  it('is of the version that is pinned', () => {
    const pinned = readFileSync(join(REPOSITORY, requirements), 'utf8');
    expect(pinned).toContain(`\n${distribution}==${kind.version} `);
  });
});

describe('localstack', () => {
  it('finds its Kinesis where it looks for it, so that it fetches none', () => {
    const dataDir = join(root, 'kinesis');
    localstack.launch(dataDir, 4_999);
    const { version } = JSON.parse(
      readFileSync(join(REPOSITORY, 'node_modules/kinesis-local/package.json'), 'utf8'),
    );
    const link = join(
      dataDir,
      `var/lib/localstack/lib/kinesis-local/${version}/node_modules/kinesis-local`,
    );
    expect(realpathSync(readlinkSync(link))).toBe(
      realpathSync(join(REPOSITORY, 'node_modules/kinesis-local')),
    );
  });

  it('builds with the setuptools that it runs with', () => {
    const host = join(REPOSITORY, 'localstack/host');
    const pin = (file: string) =>
      /^setuptools==\S+/m.exec(readFileSync(join(host, file), 'utf8'))?.[0];
    expect(pin('build-requirements.txt')).toBe(pin('requirements.txt'));
    expect(pin('requirements.txt')).toBeDefined();
  });
});
