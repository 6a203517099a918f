import type { RedactedField } from '../evidence/envelope.ts';
import { JsonDocument } from '../json/document.ts';
import { applyEdits, type Edit } from '../json/edit.ts';
import { itemPath, memberPath, ROOT_PATH } from '../json/path.ts';
import { JsonSyntaxError, Kind, type Node } from '../json/scanner.ts';
import { Changes, MAX_WORK } from './changes.ts';
import { endOfRun, isSpace } from './characters.ts';
import type { RedactionFacts } from './fact-list.ts';
import { isMarker } from './marker.ts';
import { isColumnData, judgeName } from './names.ts';
import type { Place, Places } from './places.ts';
import type { RedactedValue, ValueRedactor } from './redact-value.ts';
import type { Treatment } from './treatment.ts';

export interface RedactedDocument {
  readonly text: string;
  readonly fields: readonly RedactedField[];
  readonly facts: RedactionFacts;
}

/** A text that only looks like JSON costs 10 us, as an error is made of it. */
const WORK_OF_FAILED_PARSE = 200;

/** JSON in a text in a JSON in a text: what hides deeper is dropped. */
const MAX_TEXT_DEPTH = 3;

/** A card number has 13 digits and more; shorter numbers are counts, times and ids. */
const MIN_CARD_DIGITS = 13;

/**
 * Redacts a document by position in the original text: everything else stays to the byte. A name that
 * is data becomes a pseudonym. Redacting a redacted document changes nothing.
 * @param maxWork values and characters; the default is for everything but tests
 * @throws LineageError when the work or the list of changes would outgrow its bound
 */
export function redactDocument<P extends Place>(
  document: JsonDocument,
  places: Places<P>,
  redactor: ValueRedactor,
  maxWork = MAX_WORK,
): RedactedDocument {
  const changes = new Changes(maxWork);
  const text = new Walk(document, places, redactor, changes).run(places.root);
  return { text, fields: changes.fields, facts: changes.facts.all() };
}

/** One JSON text, the document or one inside it: those have the path of the text they stand in. */
class Walk<P extends Place> {
  private readonly document: JsonDocument;
  private readonly places: Places<P>;
  private readonly redactor: ValueRedactor;
  private readonly changes: Changes;
  /** The walk over the document that this one stands in a text of. */
  private readonly outer: Walk<P> | undefined;
  private readonly textDepth: number;
  private readonly edits: Edit[] = [];
  /** The way down to the value being judged; few values are replaced, so only those get it spelled out. */
  private readonly steps: Array<string | number> = [];
  /** Of a JSON inside a text: listed once, with the text. */
  readonly rules = new Set<string>();

  constructor(
    document: JsonDocument,
    places: Places<P>,
    redactor: ValueRedactor,
    changes: Changes,
    outer?: Walk<P>,
  ) {
    this.document = document;
    this.places = places;
    this.redactor = redactor;
    this.changes = changes;
    this.outer = outer;
    this.textDepth = outer === undefined ? 0 : outer.textDepth + 1;
  }

  run(place: P): string {
    this.visit(this.document.root, place);
    return applyEdits(this.document.text, this.edits);
  }

  private visit(node: Node, place: P): void {
    this.changes.work(1);
    if (place.isUntouched) return;
    const kind = this.document.kind(node);
    if (kind === Kind.string) this.text(node, place);
    else if (kind === Kind.object || kind === Kind.array) {
      const isDropped = place.other === 'drop' && !place.isOpen;
      // Of a list of words nobody knows which belong together.
      if (isDropped || (place.text === 'command' && kind === Kind.array)) this.drop(node, place);
      else if (kind === Kind.object) this.members(node, place);
      else this.items(node, place);
    } else if (place.other === 'drop') this.drop(node, place);
    else this.scalar(node, kind, place);
  }

  /** A number or a literal that is not dropped. */
  private scalar(node: Node, kind: Kind, place: P): void {
    const isLong = this.document.end(node) - this.document.start(node) >= MIN_CARD_DIGITS;
    const treatment = place.other !== 'keep' ? place.other : isLong ? ofNumber(place.text) : 'keep';
    if (treatment === 'keep') return;
    const raw = this.document.raw(node);
    if (kind === Kind.number || (raw !== 'null' && place.other !== 'keep')) {
      this.apply(node, raw, this.redactor.redact(raw, treatment));
    }
  }

  private items(node: Node, place: P): void {
    const { document, steps } = this;
    const end = document.next(node);
    const last = steps.push(0) - 1;
    for (let item = node + 1; item < end; item = document.next(item)) {
      this.visit(item, place);
      (steps[last] as number)++;
    }
    steps.pop();
  }

  private members(node: Node, above: P): void {
    const { document, places, changes } = this;
    const place = places.enter?.(document, node, above) ?? above;
    const end = document.next(node);
    for (let key = node + 1; key < end; key = document.next(key + 1)) {
      const name = document.string(key) as string;
      changes.work(name.length);
      const known = places.known?.(name, place);
      // The place is the one of the name that is stored, so that a second run decides the same.
      const stored = known === undefined ? this.nameOf(name, place) : name;
      this.steps.push(stored);
      this.rename(key, name, stored);
      this.visit(key + 1, known ?? places.member(stored, place));
      this.steps.pop();
    }
  }

  private nameOf(name: string, place: P): string {
    const isIdentifier = place.hasColumns ? isColumnData(name) : judgeName(name).isData;
    return isIdentifier ? this.redactor.pseudonym(name) : name;
  }

  private rename(node: Node, name: string, stored: string): void {
    if (stored !== name) this.replace(node, JSON.stringify(stored), ['identifier']);
  }

  private text(node: Node, place: P): void {
    const text = this.document.string(node) as string;
    this.changes.work(text.length);
    if (text === '' || isMarker(text)) return;
    if (place.isName) this.rename(node, text, this.nameOf(text, place));
    else if (place.text === 'drop') this.drop(node, place);
    else if (MAY_BE_JSON.has(place.text) && looksLikeJson(text)) this.json(node, text, place);
    else this.apply(node, text, this.redactor.redact(text, place.text, place.dialect));
  }

  private json(node: Node, text: string, place: P): void {
    let inner: JsonDocument;
    try {
      inner = new JsonDocument(text);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      this.changes.work(WORK_OF_FAILED_PARSE);
      this.apply(node, text, this.redactor.redact(text, place.text, place.dialect));
      return;
    }
    if (this.textDepth === MAX_TEXT_DEPTH) {
      this.drop(node, place);
      return;
    }
    const { places, redactor, changes } = this;
    const walk = new Walk(inner, places, redactor, changes, this);
    const redacted = walk.run(places.inText(place));
    if (redacted !== text) this.replace(node, JSON.stringify(redacted), [...walk.rules]);
  }

  private apply(node: Node, text: string, redacted: RedactedValue | undefined): void {
    if (redacted === undefined) return;
    if (redacted.statement || redacted.error) {
      this.changes.facts.add(this.path(), redacted);
    }
    if (redacted.text === text) return;
    this.replace(node, JSON.stringify(redacted.text), redacted.rules, redacted.mode);
  }

  private drop(node: Node, place: P): void {
    const rule = place.rule ?? 'dropped';
    const replacement = this.places.dropped(place, rule);
    // Empty values hold nothing to hide, and that they are empty is evidence.
    if (isEmpty(this.document, node) || this.document.raw(node) === replacement) return;
    this.replace(node, replacement, [rule]);
  }

  private replace(
    node: Node,
    replacement: string,
    rules: readonly string[],
    mode?: RedactedField['mode'],
  ): void {
    const start = this.document.start(node);
    const end = this.document.end(node);
    this.edits.push({ start, end, replacement });
    if (this.outer) {
      for (const rule of rules) this.rules.add(rule);
      return;
    }
    const bytes = Buffer.byteLength(this.document.raw(node));
    this.changes.list(this.path(), rules, bytes, mode);
  }

  private path(): string {
    if (this.outer) return this.outer.path();
    const path = this.steps.reduce<string>(
      (above, step) => (typeof step === 'number' ? itemPath(above, step) : memberPath(above, step)),
      ROOT_PATH,
    );
    this.changes.work(path.length);
    return path;
  }
}

/** Treatments under which a text may be a document; of the others nothing but what they know is kept. */
const MAY_BE_JSON: ReadonlySet<Treatment> = new Set(['scan', 'identity']);

/** `null`, `""`, `{}` and `[]`, however they are spaced. */
function isEmpty(document: JsonDocument, node: Node): boolean {
  const kind = document.kind(node);
  if (kind === Kind.object || kind === Kind.array) return document.next(node) === node + 1;
  const length = document.end(node) - document.start(node);
  return kind === Kind.string ? length === 2 : document.raw(node) === 'null';
}

/** What a number gets that is long enough to be one of a card. */
function ofNumber(text: Treatment): Treatment {
  return text === 'keep' || text === 'identity' || text === 'column' ? text : 'scan';
}

/** An object, an array or a text; a marker in brackets is none of them. */
function looksLikeJson(text: string): boolean {
  const first = text.charCodeAt(endOfRun(text, 0, isSpace));
  const close = first === 0x7b ? '}' : first === 0x5b ? ']' : first === 0x22 ? '"' : undefined;
  return close !== undefined && text.length > 1 && text.trimEnd().endsWith(close);
}
