import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  KNOWN_NAMESPACES,
} from '../../lambdas/domain/redaction/attribute-table.ts';
import type { Treatment } from '../../lambdas/domain/redaction/treatment.ts';
import { type CanaryPlace, type Fill, NAMES, UNLISTED } from './canary-events.ts';

type Json = unknown;

/** How a text stands in the value of an attribute. */
export const VALUE_FORMS = ['text', 'list', 'pairs', 'json'] as const;
export type ValueForm = (typeof VALUE_FORMS)[number];

/** Where attributes stand in an export. */
const SLOTS = ['resource', 'scope', 'span', 'event', 'link'] as const;
export type Slot = (typeof SLOTS)[number];

/** What the table calls an attribute, and a name that it goes for. */
const LISTED: ReadonlyArray<readonly [key: string, place: CanaryPlace]> = Object.entries(
  ATTRIBUTES,
).flatMap(([namespace, names]) =>
  (Object.entries(names) as Array<[Treatment, string]>).flatMap(([treatment, list]) =>
    list.split(' ').map((name) => {
      const key = name === '.' ? namespace : `${namespace}.${name}`;
      return [key, { where: 'attribute', path: key, treatment }] as const;
    }),
  ),
);

const BY_NAME: typeof LISTED = (
  Object.entries(ATTRIBUTE_NAMES) as Array<[Treatment, string]>
).flatMap(([treatment, list]) =>
  list
    .split(' ')
    .map((name) => [`acme.${name}`, { where: 'any attribute', path: name, treatment }] as const),
);

const UNKNOWN: typeof LISTED = [
  ...KNOWN_NAMESPACES.split(' ').map((namespace) => `${namespace}.a_setting`),
  'acme.note',
].map((key) => [key, { where: 'attribute', path: UNLISTED }]);

const CREDENTIALS: typeof LISTED = ['acme.password', 'db.api_key', 'service.token'].map((key) => [
  key,
  { where: 'attribute', path: 'credential', treatment: 'drop' },
]);

function attributes(fill: Fill, form: ValueForm): Json[] {
  // What is below a listed name is treated as it is, but only the name itself is kept unseen.
  const places = [...LISTED, ...BY_NAME, ...UNKNOWN, ...CREDENTIALS];
  return [
    ...places.map(([key, place]) => ({
      key,
      value: value(fill({ ...place, isNested: form === 'pairs' || form === 'json' }), form),
    })),
    { key: fill({ where: 'document', path: NAMES }), value: { boolValue: true } },
    {
      key: 'acme.bytes',
      value: {
        bytesValue: Buffer.from(
          fill({ where: 'attribute', path: 'bytes', treatment: 'drop' }),
        ).toString('base64'),
      },
    },
  ];
}

function value(text: string, form: ValueForm): Json {
  switch (form) {
    case 'text':
      return { stringValue: text };
    case 'list':
      return { arrayValue: { values: [{ stringValue: text }, { stringValue: '' }] } };
    case 'pairs':
      return { kvlistValue: { values: [{ key: 'inner', value: { stringValue: text } }] } };
    case 'json':
      return { stringValue: JSON.stringify({ inner: [text] }) };
  }
}

/** Members of a span, its events and links, its resource and scope that hold text and are no attributes. */
export const EXPORT_TEXTS =
  'name kind flags events.name scope.name scope.version schemaUrl resource.schemaUrl';

/**
 * An export of one span that holds every attribute in one place, and a text in every member.
 * @param form of the values of the attributes
 */
export function canaryExport(fill: Fill, slot: Slot, form: ValueForm): Record<string, Json> {
  const at = (own: Slot) => (own === slot ? { attributes: attributes(fill, form) } : {});
  const text = (path: string, treatment?: Treatment) =>
    fill({ where: 'export', path, ...(treatment && { treatment }) });
  const unlisted = () => ({ unlistedMember: text(UNLISTED) });
  const ids = (of: string) => ({
    traceId: text(`${of}traceId`, 'keep'),
    spanId: text(`${of}spanId`, 'keep'),
    traceState: text(`${of}traceState`, 'drop'),
  });
  const span = {
    ...ids(''),
    parentSpanId: text('parentSpanId', 'keep'),
    name: text('name'),
    kind: text('kind'),
    flags: text('flags'),
    startTimeUnixNano: text('startTimeUnixNano', 'keep'),
    endTimeUnixNano: text('endTimeUnixNano', 'keep'),
    status: { code: 2, message: text('status.message', 'error'), ...unlisted() },
    events: [
      {
        timeUnixNano: text('events.timeUnixNano', 'keep'),
        name: text('events.name'),
        ...at('event'),
        ...unlisted(),
      },
    ],
    links: [{ ...ids('links.'), ...at('link'), ...unlisted() }],
    ...at('span'),
    ...unlisted(),
  };
  return {
    resourceSpans: [
      {
        resource: { ...at('resource'), ...unlisted() },
        schemaUrl: text('resource.schemaUrl'),
        scopeSpans: [
          {
            scope: {
              name: text('scope.name'),
              version: text('scope.version'),
              ...at('scope'),
              ...unlisted(),
            },
            schemaUrl: text('schemaUrl'),
            spans: [span],
          },
        ],
      },
    ],
  };
}

/** Every place of attributes, and each form of their values in one of them. */
export const EXPORT_SHAPES: ReadonlyArray<readonly [Slot, ValueForm]> = [
  ...SLOTS.map((slot) => [slot, 'text'] as const),
  ...VALUE_FORMS.slice(1).map((form) => ['span', form] as const),
];
