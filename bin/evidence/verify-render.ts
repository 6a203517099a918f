import { UNANCHORED } from '../../lambdas/domain/integrity/digest.ts';
import type { RecordProof } from '../../lambdas/domain/integrity/record-proof.ts';
import type { Verification } from '../../lambdas/domain/integrity/verify.ts';
import {
  DAMAGES,
  type Damage,
  type DamageKind,
} from '../../lambdas/domain/integrity/verify-damage.ts';
import { printable } from './table.ts';

/** Enough to see what happened; all are counted. */
const MAX_LISTED_OF_A_KIND = 100;

/** What was found, in the order of gravity. */
export class DamageList {
  readonly #listed = new Map<DamageKind, Damage[]>();
  readonly #counts = new Map<DamageKind, number>();

  add(damage: Damage): void {
    const { kind } = damage;
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    const listed = this.#listed.get(kind);
    if (!listed) this.#listed.set(kind, [damage]);
    else if (listed.length < MAX_LISTED_OF_A_KIND) listed.push(damage);
  }

  get #kinds(): DamageKind[] {
    return (Object.keys(DAMAGES) as DamageKind[]).filter((kind) => this.#counts.has(kind));
  }

  get gravest(): DamageKind | undefined {
    return this.#kinds[0];
  }

  has(kind: DamageKind): boolean {
    return this.#counts.has(kind);
  }

  view() {
    const counts = Object.fromEntries(this.#kinds.map((kind) => [kind, this.#counts.get(kind)]));
    return { counts, damages: this.#kinds.flatMap((kind) => this.#listed.get(kind) ?? []) };
  }

  lines(): string[] {
    return this.#kinds.flatMap((kind) => {
      const listed = this.#listed.get(kind) ?? [];
      const more = (this.#counts.get(kind) ?? 0) - listed.length;
      return [...listed.map(sayDamage), ...(more > 0 ? [`  ${kind}: ${more} more`] : [])];
    });
  }
}

function sayDamage({ kind, key, versionId, lines, detail }: Damage): string {
  const version = versionId === undefined ? '' : ` version ${versionId}`;
  const numbers = lines ? `, lines ${lines.join(', ')} (from 0)` : '';
  return printable(`  ${kind}: ${key}${version}${numbers}: ${detail}`);
}

/**
 * A verification for people: what was looked at, what holds, and what could not be said.
 * @param target what was verified; for a copy with a list of versions, where that lies
 * @param unproven why a record that was asked for is not proven
 */
export function renderVerification(
  { name, versionsFrom }: { readonly name: string; readonly versionsFrom?: string },
  done: Verification,
  damages: DamageList,
  unproven?: string,
): string {
  const { head, proofs } = done;
  const found = damages.lines();
  const holds = unproven === undefined ? ['It holds: every part looked at is as sealed.'] : [];
  return [
    `Verified   ${printable(name)}`,
    ...(versionsFrom === undefined
      ? []
      : [
          `Versions   and locks as ${printable(versionsFrom)} has them: believed as far as you made it`,
        ]),
    `Chain      ${done.digests} digests, ${done.proven} under a trusted key`,
    `Objects    ${done.objects} read, ${done.bytes} bytes, ${done.records} records`,
    ...renderRecounts(done),
    ...(head ? renderHead(head, done) : []),
    ...limitsOf(done).map((limit) => `Not said   ${limit}`),
    ...proofs.map((proof) => `\n${renderProof(proof)}`),
    '',
    ...(unproven === undefined ? [] : [`Not proven: ${printable(unproven)}`]),
    ...(found.length > 0 ? ['Damage', ...found] : holds),
    ...(damages.has('unsealed_tail') && head
      ? [`What was sealed is verified alone with --to ${head.to}`]
      : []),
  ].join('\n');
}

function renderRecounts({ recounts }: Verification): string[] {
  const { equal, behind, notRecounted, notStored } = recounts;
  if (equal + behind + notRecounted + notStored === 0) return [];
  const lost = `${notStored} with records that are not`;
  return [`Recounts   ${equal} shards and intervals with all records stored, ${lost}`];
}

function renderHead(head: NonNullable<Verification['head']>, done: Verification): string[] {
  const trusted =
    done.trust === 'pinned'
      ? 'by the key you gave'
      : 'trusted on first use: compare it, or give --public-key';
  const first = done.firstSigner ?? head.fingerprint;
  return [
    `Head       ${head.sha256}`,
    `           ${printable(head.key)}, number ${head.number}, until ${head.to}`,
    `Signed     ${first}, ${trusted}`,
    ...(first === head.fingerprint
      ? []
      : [`           the head by ${head.fingerprint}, announced under the keys before it`]),
    head.anchor === UNANCHORED
      ? 'Anchor     unanchored: nobody outside the account holds a head, so that a cut end is not seen without --head'
      : `Anchor     ${printable(head.anchor)}: compare the last head there, or give it as --head`,
  ];
}

function limitsOf(done: Verification): string[] {
  const { begin, beforeChain, expired, locksNotKnown, objectsNotProven } = done;
  const { notSealedYet, notJudged, unread } = done;
  const { behind, notRecounted } = done.recounts;
  const counted: ReadonlyArray<readonly [count: number, what: string]> = [
    [expired, 'objects that are gone since their locks ended: they may have been deleted'],
    [unread, 'objects that the sealer could not read: their content was not sealed then'],
    [locksNotKnown, 'objects whose retention was not checked: their locks are not known'],
    [objectsNotProven, 'objects of digests that prove nothing'],
    [notSealedYet, 'objects landed after the head and are not due yet'],
    [notJudged, 'further objects may be in no digest'],
    [beforeChain, 'objects landed before the first digest that is left: no digest tells of them'],
    [behind, 'recounts are behind: not everything was stored yet, or the stream was not read'],
    [notRecounted, 'intervals of a shard were not recounted: the stream had let go of them'],
  ];
  return [
    ...(begin ? [renderBegin(begin)] : []),
    ...(done.versionsKnown ? [] : ['versions: a copy without versions.ndjson has none']),
    ...counted.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : [])),
  ];
}

function renderBegin({ from, number, retainedUntil }: NonNullable<Verification['begin']>): string {
  return `before ${from}: the chain begins with number ${number}, those before it were promised until ${retainedUntil} at most, expired and are gone, or were not given`;
}

function renderProof({ object, digest, ...proof }: RecordProof): string {
  return [
    `Record     ${printable(proof.receiptId)}`,
    `Object     ${printable(object.key)} version ${printable(object.versionId)}, line ${object.line} (from 0)`,
    `Leaf       ${proof.leaf}, number ${proof.index} (from 0) of ${proof.leaves}`,
    ...proof.path.map(({ side, hash }) => `  ${side.padEnd(9)}${hash}`),
    `Root       ${proof.root}`,
    `Digest     ${printable(digest.key)}, number ${digest.number}, ${digest.from} to ${digest.to}`,
    `SHA-256    ${digest.sha256}`,
    `Signature  ${printable(digest.signature)}`,
    `Signer     ${digest.fingerprint}`,
  ].join('\n');
}
