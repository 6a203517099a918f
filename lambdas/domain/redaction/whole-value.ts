import { LineageError } from '../errors.ts';
import { bytesBucket, type RedactedField } from '../evidence/envelope.ts';
import type { JsonDocument } from '../json/document.ts';
import { applyEdits, type Edit } from '../json/edit.ts';
import { itemPath, memberPath, ROOT_PATH } from '../json/path.ts';
import { Kind, type Node } from '../json/scanner.ts';

/** Where a value stands: the names above it, outermost first; array indexes are left out. */
export interface Place {
  readonly names: readonly string[];
  /** Decoded `key` of an OTLP key-value pair whose `value` is being judged. */
  readonly attribute?: string;
}

/** Decides value by value what may be stored. Must be pure: a replay has to yield the same bytes. */
export interface ValuePolicy {
  /** Identifier and version, stored in every envelope. */
  readonly id: string;
  /** The rule under which the whole value goes, judged by its place alone. */
  ruleForPlace(place: Place): string | undefined;
  /** What a string is replaced by, judged by its content; undefined keeps it. */
  judgeText(place: Place, text: string): { rule: string; replacement: string } | undefined;
  /** JSON put in the place of a value. */
  replacement(place: Place, rule: string): string;
}

export interface RedactedDocument {
  readonly text: string;
  readonly fields: readonly RedactedField[];
}

/** What stands where a value was. */
export function marker(rule: string): string {
  return `[redacted:${rule}]`;
}

/**
 * Real events have tens of redactions. Long names above many sensitive values would multiply: 4 MB
 * of them have made 80 GB of paths. What goes beyond this is stored as a skeleton.
 */
const MAX_LISTED_CHARACTERS = 8 * 1024 * 1024;
const LISTED_PER_FIELD = 64;

const MARKER = /^\[redacted:[a-z_]+\]$/;

/**
 * Replaces whole values by position in the original text: everything else stays to the byte.
 * Redacting a redacted document changes nothing.
 * @throws LineageError when the list of changes would outgrow its bound
 */
export function redactWholeValues(document: JsonDocument, policy: ValuePolicy): RedactedDocument {
  const edits: Edit[] = [];
  const fields: RedactedField[] = [];
  let listed = 0;
  // The way down to the value being judged; few values are replaced, so only those get it spelled out.
  const steps: Array<string | number> = [];

  const replace = (node: Node, rule: string, replacement: string) => {
    const bytes = Buffer.byteLength(document.raw(node));
    edits.push({ start: document.start(node), end: document.end(node), replacement });
    const path = pathOf(steps);
    listed += path.length + LISTED_PER_FIELD;
    if (listed > MAX_LISTED_CHARACTERS) {
      throw new LineageError('too_many_redactions', 'the list of redactions outgrows its bound');
    }
    fields.push({ path, rule, bytesBucket: bytesBucket(bytes) });
  };

  const visit = (node: Node, place: Place): void => {
    const rule = policy.ruleForPlace(place);
    if (rule !== undefined) {
      const replacement = policy.replacement(place, rule);
      if (!saysNothing(document, node) && document.raw(node) !== replacement) {
        replace(node, rule, replacement);
      }
      return;
    }
    switch (document.kind(node)) {
      case Kind.object:
        visitMembers(node, place);
        return;
      case Kind.array: {
        const inner = { names: place.names };
        for (const [index, item] of document.items(node).entries()) {
          steps.push(index);
          visit(item, inner);
          steps.pop();
        }
        return;
      }
      case Kind.string: {
        const text = document.string(node) as string;
        const verdict = MARKER.test(text) ? undefined : policy.judgeText(place, text);
        if (verdict) replace(node, verdict.rule, JSON.stringify(verdict.replacement));
      }
    }
  };

  const visitMembers = (node: Node, { names }: Place): void => {
    const members = document.members(node).map(({ key, value }) => ({
      name: document.string(key) as string,
      value,
    }));
    const attributes: string[] = []; // a well-formed OTLP pair has one
    for (const { name, value } of members) {
      const text = name === 'key' ? document.string(value) : undefined;
      if (text !== undefined) attributes.push(text);
    }
    for (const { name, value } of members) {
      const inner = { names: [...names, name] };
      steps.push(name);
      visit(value, name === 'value' ? strictest(policy, inner, attributes) : inner);
      steps.pop();
    }
  };

  visit(document.root, { names: [] });
  return { text: applyEdits(document.text, edits), fields };
}

/** Of several keys any may be the one that a reader takes: the strictest decides. */
function strictest(policy: ValuePolicy, place: Place, attributes: readonly string[]): Place {
  const places = attributes.map((attribute) => ({ ...place, attribute }));
  return places.find((named) => policy.ruleForPlace(named) !== undefined) ?? places[0] ?? place;
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
