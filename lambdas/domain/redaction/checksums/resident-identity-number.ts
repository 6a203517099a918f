import { isMonthAndDay, weighted } from './parts.ts';

/** China: resident identity number, ISO 7064 mod 11-2. */
export function isChinese(text: string): boolean {
  const year = Number(text.slice(6, 10));
  const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
  return (
    year >= 1900 &&
    year < 2100 &&
    isMonthAndDay(text.slice(10, 12), text.slice(12, 14)) &&
    '10X98765432'[weighted(text, weights) % 11] === text[17]
  );
}
