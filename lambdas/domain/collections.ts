/** Items by key, keys and items in the order they came. */
export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** The first item of each key. */
export function uniqueBy<T>(items: Iterable<T>, keyOf: (item: T) => string): T[] {
  return [...groupBy(items, keyOf).values()].map(([first]) => first as T);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Those that satisfy a condition, and the others, each in their order. */
export function divide<T>(items: Iterable<T>, condition: (item: T) => boolean): [T[], T[]] {
  const [yes, no]: [T[], T[]] = [[], []];
  for (const item of items) (condition(item) ? yes : no).push(item);
  return [yes, no];
}
