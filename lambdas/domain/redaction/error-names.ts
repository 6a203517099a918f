import { isWordPart } from './characters.ts';
import type { SlotKind } from './error-templates.ts';
import { isDataName } from './identifier.ts';

export const MAX_NAME_CHARACTERS = 256;
const NAME = /^[\p{L}_][\p{L}\p{N}_$#]{0,127}(?:[.:-][\p{L}_][\p{L}\p{N}_$#]{0,127}){0,8}$/u;

export const isNamePart = (code: number) =>
  isWordPart(code) || code === 36 || code === 35 || code === 46 || code === 45;
export const isTypePart = (code: number) =>
  isWordPart(code) || code === 32 || code === 40 || code === 41 || code === 44;

/** Whether a name in a slot of a kind is one that stays. */
export function isKept(kind: SlotKind, name: string): boolean {
  if (kind === '#' || kind === 'type') return true;
  if (kind === '~') return false;
  const names = kind === 'columns' ? name.split(', ') : [name];
  return (
    name.length <= MAX_NAME_CHARACTERS && names.every((one) => NAME.test(one) && !isDataName(one))
  );
}

const TYPES = new Set(
  'integer int int2 int4 int8 int64 bigint smallint tinyint mediumint number numeric decimal double real float float64 boolean bool bit text string varchar nvarchar char nchar character varying date datetime datetime2 time timestamp timestamptz timestamp_ntz timestamp_ltz timestamp_tz interval uuid json jsonb bytea blob binary varbinary bytes variant object array geography geometry inet cidr oid precision with without zone large unsigned money xml enum set fixed'.split(
    ' ',
  ),
);

/** A type by its words and at most two lengths. */
export function isType(name: string): boolean {
  const bare = name
    .replace(/\(\d{1,5}(?:, ?\d{1,5})?\)/g, '')
    .trim()
    .toLowerCase();
  return name.length <= 80 && bare !== '' && bare.split(' ').every((word) => TYPES.has(word));
}
