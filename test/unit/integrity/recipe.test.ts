import { spawnSync } from 'node:child_process';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DirectoryStore } from '../../../bin/evidence/verify-directory.ts';
import { packObjects } from '../../../lambdas/domain/evidence/evidence-object.ts';
import {
  besideDigest,
  type Digest,
  publicKeyKey,
} from '../../../lambdas/domain/integrity/digest.ts';
import { verify } from '../../../lambdas/domain/integrity/verify.ts';
import { NOW } from '../../support/builders.ts';
import { readDocument } from '../../support/markdown.ts';
import {
  receiptOf,
  SealedBundle,
  sealedEnvelope,
  signingPair,
} from '../../support/sealed-bundle.ts';

const TOOLS = ['bash', 'openssl', 'sha256sum', 'jq', 'xxd', 'gunzip'];
const missing = TOOLS.filter((tool) => spawnSync('which', [tool]).status !== 0);

const LINE = 3;

let bundle: SealedBundle;
let digest: Digest;
let object: string;

beforeEach(async () => {
  bundle = new SealedBundle();
  bundle.seal([]);
  const envelopes = Array.from({ length: 5 }, (_, i) => sealedEnvelope(i));
  const landed = [...packObjects('lineage', envelopes)];
  digest = bundle.seal([...landed, { key: 'findings/f.json', body: Buffer.from('{}') }]);
  object = landed[0]?.key as string;
  const store = DirectoryStore.open(bundle.folder);
  const { proofs } = await verify(store, {
    report: ({ kind }) => expect.fail(kind),
    nowMillis: NOW,
    receiptId: receiptOf(LINE),
  });
  bundle.write('proof.json', JSON.stringify(proofs[0]));
});
afterEach(() => bundle.remove());

/** The blocks of the document as they stand, one after the other. */
function runRecipe(variables: Readonly<Record<string, string>> = {}) {
  const blocks = [...readDocument('docs/integrity.md').matchAll(/^```sh\n([\s\S]*?)^```$/gm)];
  const script = blocks.map(([, block]) => block).join('');
  return spawnSync('bash', ['--norc', '-c', script], {
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      COPY: bundle.folder,
      KEY: bundle.path(publicKeyKey(bundle.pair.fingerprint)),
      DIGEST: digest.location.key,
      OBJECT: object,
      LINE: String(LINE),
      PROOF: bundle.path('proof.json'),
      ...variables,
    },
  });
}

describe.skipIf(missing.length > 0)(
  `the shell recipe of docs/integrity.md${missing.length > 0 ? `, skipped: this machine has no ${missing.join(', ')}` : ''}`,
  () => {
    it('proves a record from its line to the key', () => {
      const { status, stdout, stderr } = runRecipe();
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toMatch(/^Verified OK\n.*: OK\nleaf [0-9a-f]{64}\nthe record is sealed\n$/);
    });

    it('walks on to the first digest, which has none before it', () => {
      const first = (bundle.digests[0] as Digest).location.key;
      expect(runRecipe({ DIGEST: first }).stdout).toMatch(/^Verified OK\nleaf/);
    });

    const flip = (key: string, at: number) => {
      const bytes = bundle.read(key);
      bytes[at] = (bytes[at] as number) ^ 1;
      bundle.write(key, bytes);
    };
    const other = () => {
      bundle.write('other.pem', signingPair().pem);
      return { KEY: bundle.path('other.pem') };
    };
    it.each<readonly [string, () => unknown]>([
      ['another key', other],
      ['a changed digest', () => flip(digest.location.key, 40)],
      ['a changed signature', () => flip(besideDigest(digest.location.key, 'signature'), 30)],
      ['a changed predecessor', () => flip(digest.previous?.key ?? '', 40)],
      ['a changed object', () => flip('findings/f.json', 0)],
      ['changed leaves', () => flip(besideDigest(digest.location.key, 'leaves'), 0)],
      ['another line', () => ({ LINE: '2' })],
    ])('fails for %s', (_, change) => {
      const variables = change();
      const { status, stdout } = runRecipe((variables ?? {}) as Record<string, string>);
      expect(status).not.toBe(0);
      expect(stdout).not.toContain('the record is sealed');
    });

    it('fails for a changed line, even of an object whose hash is not looked at', () => {
      const lines = gunzipSync(bundle.read(object)).toString();
      bundle.write('edited.gz', gzipSync(lines.replace('n\\":3', 'n\\":4')));
      expect(runRecipe({ OBJECT: 'edited.gz' }).status).not.toBe(0);
      bundle.write('edited.gz', gzipSync(lines));
      expect(runRecipe({ OBJECT: 'edited.gz' }).status).toBe(0);
    });
  },
);
