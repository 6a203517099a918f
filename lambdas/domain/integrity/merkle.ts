import { createHash } from 'node:crypto';

/** Bytes of a hash of the tree. */
export const HASH_BYTES = 32;

const NODE = Buffer.from([1]);

function nodeOf(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update(NODE).update(left).update(right).digest();
}

/**
 * The root over leaf hashes that come one by one; memory grows with the depth of the tree only. An empty tree has the
 * hash of nothing (RFC 6962, section 2.1).
 */
export class MerkleRoot {
  /** Roots of complete subtrees, the widest first; the size of each is a power of two. */
  readonly #subtrees: Array<{ readonly leaves: number; readonly hash: Uint8Array }> = [];

  add(leaf: Uint8Array): void {
    let subtree = { leaves: 1, hash: leaf };
    for (let last = this.#subtrees.at(-1); last?.leaves === subtree.leaves; ) {
      subtree = { leaves: 2 * subtree.leaves, hash: nodeOf(last.hash, subtree.hash) };
      this.#subtrees.pop();
      last = this.#subtrees.at(-1);
    }
    this.#subtrees.push(subtree);
  }

  hex(): string {
    const hashes = this.#subtrees.map(({ hash }) => hash);
    if (hashes.length === 0) return createHash('sha256').digest('hex');
    return Buffer.from(hashes.reduceRight((right, left) => nodeOf(left, right))).toString('hex');
  }
}

/** One step of an inclusion proof: the sibling's hash (hex), and on which side of the path it stands. */
export interface ProofStep {
  readonly side: 'left' | 'right';
  readonly hash: string;
}

/**
 * The hashes that lead from one leaf to the root (RFC 6962, section 2.1.1), nearest to the leaf first.
 *
 * @param leaves the leaf hashes of the tree, one behind the other
 * @throws RangeError when the tree has no such leaf
 */
export function inclusionPath(leaves: Uint8Array, index: number): ProofStep[] {
  const count = leaves.length / HASH_BYTES;
  if (!Number.isInteger(count) || !Number.isInteger(index) || index < 0 || index >= count) {
    throw new RangeError('no such leaf');
  }
  const path: ProofStep[] = [];
  let from = 0;
  let to = count;
  // From the root down; each step hashes the half that the path leaves out, all together every leaf but one.
  while (to - from > 1) {
    const middle = from + 2 ** Math.floor(Math.log2(to - from - 1));
    const goesLeft = index < middle;
    const [start, end] = goesLeft ? [middle, to] : [from, middle];
    path.push({ side: goesLeft ? 'right' : 'left', hash: rootOf(leaves, start, end) });
    if (goesLeft) to = middle;
    else from = middle;
  }
  return path.reverse();
}

/** The root that a path leads to from a leaf hash (hex). */
export function rootOfPath(leaf: string, path: readonly ProofStep[]): string {
  return path.reduce((hash, step) => {
    const [own, sibling] = [Buffer.from(hash, 'hex'), Buffer.from(step.hash, 'hex')];
    const node = step.side === 'left' ? nodeOf(sibling, own) : nodeOf(own, sibling);
    return node.toString('hex');
  }, leaf);
}

/** Root (hex) over leaf hashes that stand one behind the other, or over a part of them. */
export function rootOf(leaves: Uint8Array, from = 0, to = leaves.length / HASH_BYTES): string {
  const root = new MerkleRoot();
  for (let at = from; at < to; at++) {
    root.add(leaves.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
  }
  return root.hex();
}
