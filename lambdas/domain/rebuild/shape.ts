/** An object of JSON whose members nobody has looked at. */
export type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parts of the keys of items, which are never empty. */
export const areTexts = (...values: readonly unknown[]) =>
  values.every((value) => typeof value === 'string' && value !== '');

export const isCount = (value: unknown, from: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= from;

export const isTime = (value: unknown) =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value));
