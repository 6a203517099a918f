import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leafOf } from '../../../lambdas/domain/evidence/evidence-object.ts';
import {
  HASH_BYTES,
  inclusionPath,
  MerkleRoot,
  rootOfPath,
} from '../../../lambdas/domain/integrity/merkle.ts';

/** Inputs and roots of Certificate Transparency's own tests (RFC 6962 reference implementation). */
const INPUTS = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657'].concat(
  '606162636465666768696a6b6c6d6e6f',
);
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

function rootOf(leaves: readonly Uint8Array[]): string {
  const root = new MerkleRoot();
  for (const leaf of leaves) root.add(leaf);
  return root.hex();
}

/** The definition of RFC 6962, section 2.1, word for word. */
function definedRoot(leaves: readonly Uint8Array[]): string {
  if (leaves.length === 0) return createHash('sha256').digest('hex');
  if (leaves.length === 1) return Buffer.from(leaves[0] as Uint8Array).toString('hex');
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return createHash('sha256')
    .update(Buffer.from([1]))
    .update(Buffer.from(definedRoot(leaves.slice(0, k)), 'hex'))
    .update(Buffer.from(definedRoot(leaves.slice(k)), 'hex'))
    .digest('hex');
}

const someLeaves = fc
  .array(fc.uint8Array({ maxLength: 4 }), { maxLength: 70 })
  .map((lines) => lines.map(leafOf));

describe('the tree of RFC 6962', () => {
  it('has the roots of the reference implementation', () => {
    const leaves = INPUTS.map((hex) => leafOf(Buffer.from(hex, 'hex')));
    expect(leaves.map((_, at) => rootOf(leaves.slice(0, at + 1)))).toEqual(ROOTS);
  });

  it('has the root of its definition', () => {
    fc.assert(fc.property(someLeaves, (leaves) => rootOf(leaves) === definedRoot(leaves)));
  });

  it('leads from every leaf to the root, and from no other', () => {
    fc.assert(
      fc.property(someLeaves, (leaves) => {
        const root = rootOf(leaves);
        for (const [index, leaf] of leaves.entries()) {
          const path = inclusionPath(Buffer.concat(leaves), index);
          expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(leaves.length)));
          expect(rootOfPath(leaf.toString('hex'), path)).toBe(root);
          expect(rootOfPath(leafOf(Buffer.from('another')).toString('hex'), path)).not.toBe(root);
        }
      }),
    );
  });

  it.each([-1, 2, 0.5])('has no leaf %d among two', (index) => {
    expect(() => inclusionPath(Buffer.alloc(2 * HASH_BYTES), index)).toThrow(RangeError);
  });
});
