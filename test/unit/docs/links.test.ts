import { existsSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf, readDocument } from '../../support/markdown.ts';

const ROOT = new URL('../../../', import.meta.url);
const documents = [
  ...['README.md', 'CHANGELOG.md', 'SECURITY.md'].filter((path) => existsSync(new URL(path, ROOT))),
  ...['docs', 'docs/decisions'].flatMap((folder) =>
    readdirSync(new URL(folder, ROOT))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

describe.each(documents)('%s', (path) => {
  const text = readDocument(path);
  const links = [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(
    ([, target]) => target as string,
  );

  it('links to what exists', () => {
    for (const link of links) {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : posix.join(posix.dirname(path), file);
      expect(existsSync(new URL(target, ROOT)), link).toBe(true);
      if (anchor) expect(anchorsOf(readDocument(target)), link).toContain(anchor);
    }
  });

  it('cites tests and sources that exist', () => {
    const cited = text.matchAll(
      /`((?:test|lambdas|lib|localstack|bin)\/[\w./-]+\.(?:ts|py|txt))`/g,
    );
    for (const [, file = ''] of cited) expect(existsSync(new URL(file, ROOT)), file).toBe(true);
  });

  it('names no folder of one machine', () => {
    expect(text).not.toMatch(/(?:^|[\s`"(])\/(?:home|root|Users|work)\//m);
  });
});
