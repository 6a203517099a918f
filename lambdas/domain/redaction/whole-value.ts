import { LineageError } from '../errors.ts';
import { bytesBucket, type RedactedField } from '../evidence/envelope.ts';
import type { JsonDocument } from '../json/document.ts';
import { applyEdits, type Edit } from '../json/edit.ts';
import { itemPath, memberPath, ROOT_PATH } from '../json/path.ts';
import { Kind, type Node } from '../json/scanner.ts';
import { isMarker, marker } from './marker.ts';
import { ruleForSecretName } from './sensitive-names.ts';

/** What a policy knows about where a value stands; made once for each member, shared by the items of an array. */
export interface Place {
  /** The rule under which the whole value goes, whatever it holds. */
  readonly rule?: string;
}

/**
 * Decides value by value what may be stored. Must be pure: a replay has to yield the same bytes.
 * Whatever depends on the way down to a value is carried in its place, so that depth and long names
 * are paid for once and not again for every value below them.
 */
export interface ValuePolicy<P extends Place = Place> {
  /** Identifier and version, stored in every envelope. */
  readonly id: string;
  /** The place of the document itself. */
  readonly root: P;
  /** The place of a member, given the place of its object. */
  placeOf(name: string, above: P): P;
  /**
   * The place of every `value` in an object with these `key`s: an OTLP pair, which has one. A key that is no
   * text is undefined.
   */
  placeOfValue(keys: ReadonlyArray<string | undefined>, above: P): P;
  /** Whether a `key` speaks for every other member of its object and not only for `value`. */
  readonly keyNamesAll: boolean;
  /** The rule under which a value goes without a look at its content. */
  ruleForPlace(place: P, kind: Kind): string | undefined;
  /** What a string is replaced by, judged by its content; undefined keeps it. */
  judgeText(place: P, text: string): { rule: string; replacement: string } | undefined;
  /** JSON put in the place of a value. */
  replacement(place: P, rule: string): string;
}

export interface RedactedDocument {
  readonly text: string;
  readonly fields: readonly RedactedField[];
}

/**
 * Real events have tens of redactions. Long names above many sensitive values would multiply: 4 MB
 * of them have made 80 GB of paths. What goes beyond this is stored as a skeleton.
 */
const MAX_LISTED_CHARACTERS = 8 * 1024 * 1024;
const LISTED_PER_FIELD = 64;

/**
 * Values visited plus characters judged or listed. The largest accepted body (6 MB) needs fewer,
 * however it is made; the dearest shapes cost 0.15 microseconds each, so all of them take 3 s, and on
 * a 1 GiB Lambda below 10 of the 60 s that the archive function has. What needs more is a mistake in
 * the redactor, which must not hold up a shard: it is stored as a skeleton.
 */
const MAX_WORK = 20_000_000;

/**
 * Replaces whole values by position in the original text: everything else stays to the byte. A name
 * that gives away a secret is replaced, too, and its value goes with it. Redacting a redacted
 * document changes nothing.
 * @param maxWork values and characters; the default is for everything but tests
 * @throws LineageError when the work or the list of changes would outgrow its bound
 */
export function redactWholeValues<P extends Place>(
  document: JsonDocument,
  policy: ValuePolicy<P>,
  maxWork = MAX_WORK,
): RedactedDocument {
  const edits: Edit[] = [];
  const fields: RedactedField[] = [];
  let listed = 0;
  let worked = 0;
  // The way down to the value being judged; few values are replaced, so only those get it spelled out.
  const steps: Array<string | number> = [];

  const work = (units: number) => {
    worked += units;
    if (worked > maxWork) {
      throw new LineageError('too_much_work', 'the redaction outgrows its bound');
    }
  };

  const replace = (node: Node, rule: string, replacement: string) => {
    const bytes = Buffer.byteLength(document.raw(node));
    edits.push({ start: document.start(node), end: document.end(node), replacement });
    const path = pathOf(steps);
    work(path.length);
    listed += path.length + LISTED_PER_FIELD;
    if (listed > MAX_LISTED_CHARACTERS) {
      throw new LineageError('too_many_redactions', 'the list of redactions outgrows its bound');
    }
    fields.push({ path, rule, bytesBucket: bytesBucket(bytes) });
  };

  /** @param ruleForName under which the value goes with its name, unless its place has a rule of its own */
  const visit = (node: Node, place: P, ruleForName?: string): void => {
    work(1);
    const kind = document.kind(node);
    const rule = policy.ruleForPlace(place, kind) ?? ruleForName;
    if (rule !== undefined) {
      const replacement = policy.replacement(place, rule);
      if (!saysNothing(document, node) && document.raw(node) !== replacement) {
        replace(node, rule, replacement);
      }
      return;
    }
    if (kind === Kind.object) visitMembers(node, place);
    else if (kind === Kind.array) visitItems(node, place);
    else if (kind === Kind.string) {
      const text = document.string(node) as string;
      work(text.length);
      const verdict = isMarker(text) ? undefined : policy.judgeText(place, text);
      if (verdict) replace(node, verdict.rule, JSON.stringify(verdict.replacement));
    }
  };

  const visitItems = (node: Node, place: P): void => {
    for (const [index, item] of document.items(node).entries()) {
      steps.push(index);
      visit(item, place);
      steps.pop();
    }
  };

  const visitMembers = (node: Node, above: P): void => {
    const members = document.members(node).map(({ key, value }) => ({
      key,
      name: document.string(key) as string,
      value,
    }));
    const keys: Array<string | undefined> = [];
    for (const { name, value } of members) {
      if (isKey(name)) keys.push(document.string(value));
    }
    let placeOfValue: P | undefined;
    if (keys.length > 0) {
      work(keys.reduce((sum, key) => sum + (key?.length ?? 0), 0));
      placeOfValue = policy.placeOfValue(keys, above);
    }
    for (const { key, name, value } of members) {
      work(name.length);
      // The place is the one of the name that is stored, so that a second run decides the same.
      const rule = ruleForSecretName(name);
      const stored = rule === undefined ? name : marker(rule);
      steps.push(stored);
      if (rule !== undefined) replace(key, rule, JSON.stringify(stored));
      const isNamedByKey =
        placeOfValue !== undefined && (policy.keyNamesAll ? !isKey(name) : name === 'value');
      visit(value, isNamedByKey ? (placeOfValue as P) : policy.placeOf(stored, above), rule);
      steps.pop();
    }
  };

  visit(document.root, policy.root);
  return { text: applyEdits(document.text, edits), fields };
}

/** `Key` is no key to OTLP, and may be one to whoever reads the document. */
function isKey(name: string): boolean {
  return name.length === 3 && name.toLowerCase() === 'key';
}

function pathOf(steps: ReadonlyArray<string | number>): string {
  return steps.reduce<string>(
    (path, step) => (typeof step === 'number' ? itemPath(path, step) : memberPath(path, step)),
    ROOT_PATH,
  );
}

/** Empty values hold nothing to hide, and that they are empty is evidence. */
function saysNothing(document: JsonDocument, node: Node): boolean {
  const raw = document.raw(node);
  return raw === 'null' || raw === '""' || raw === '{}' || raw === '[]';
}
