import type { SyntaxRule } from './scanner.ts';

/** What each rule of the scanner says; it holds for every body that has to be JSON. */
export const SYNTAX_REFUSALS = {
  unexpected_end: 'the text ends inside a value, or is empty',
  unexpected_character: 'no value begins with this character',
  more_than_one_value: 'text follows the value',
  expected_key: 'an object needs a key in double quotes here',
  expected_colon: 'a colon must follow a key',
  expected_comma_or_end: 'a comma or the end of the object or array must follow a value',
  unterminated_string: 'a string has no closing quote',
  control_character_in_string: 'a string holds a raw control character',
  invalid_escape: 'a backslash starts no escape of JSON',
  invalid_number: 'a number lacks a digit',
  too_deep: 'objects and arrays nest deeper than 500 (in protobuf: messages deeper than 100)',
} as const satisfies Readonly<Record<SyntaxRule, string>>;
