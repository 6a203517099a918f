import { TEMPLATES } from './error-template-texts.ts';

export type SlotKind =
  | '*'
  | '~'
  | '#'
  | 'constraint'
  | 'table'
  | 'column'
  | 'columns'
  | 'type'
  | 'name';

export type TemplatePart = { readonly literal: string } | { readonly slot: SlotKind };

/** Templates that are the same up to their first value: which one it is shows behind the value. */
export interface TemplateGroup {
  readonly system: string;
  /** Of the head as it is written. */
  readonly length: number;
  readonly head: readonly TemplatePart[];
  /** What follows the head; the first part is the value unless the template has none. */
  readonly tails: ReadonlyArray<readonly TemplatePart[]>;
}

function partsOf(template: string): TemplatePart[] {
  return template
    .split(/(\{[a-z*~#]+\})/)
    .filter((piece) => piece !== '')
    .map((piece) =>
      /^\{[a-z*~#]+\}$/.test(piece) ? { slot: piece.slice(1, -1) as SlotKind } : { literal: piece },
    );
}

function groupsOf(system: string, templates: readonly string[]): TemplateGroup[] {
  const groups = new Map<string, { head: TemplatePart[]; tails: TemplatePart[][] }>();
  for (const template of templates) {
    const value = template.indexOf('{*}');
    const end = value === -1 ? template.length : value;
    const head = template.slice(0, end);
    const group = groups.get(head) ?? { head: partsOf(head), tails: [] };
    group.tails.push(partsOf(template.slice(end)));
    groups.set(head, group);
  }
  return [...groups].map(([head, group]) => ({ system, length: head.length, ...group }));
}

/** By first character, as no template starts with a slot but `{type}`. */
const BY_FIRST = new Map<string, TemplateGroup[]>();
for (const [system, templates] of Object.entries(TEMPLATES)) {
  for (const group of groupsOf(system, templates)) {
    const first = group.head[0];
    const key = first && 'literal' in first ? (first.literal[0] as string) : '';
    BY_FIRST.set(key, [...(BY_FIRST.get(key) ?? []), group]);
  }
}

// Of two that start alike the longer one says more.
for (const groups of BY_FIRST.values()) groups.sort((one, other) => other.length - one.length);

/** The templates that a text may follow which starts with a character. */
export function templatesFor(first: string): readonly TemplateGroup[] {
  return [...(BY_FIRST.get(first) ?? []), ...(BY_FIRST.get('') ?? [])];
}

/** Every template, for tests that fill each slot of each. */
export function allTemplates(): ReadonlyArray<readonly [system: string, template: string]> {
  return Object.entries(TEMPLATES).flatMap(([system, templates]) =>
    templates.map((template) => [system, template] as const),
  );
}
