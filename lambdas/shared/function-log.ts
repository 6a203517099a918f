/** A word of ours, a number, or a list of words: nothing that an error, a request or a record is. */
type LogField = string | number | boolean | readonly string[] | undefined;

/**
 * The log of a function: a fixed message and fields beside it. Powertools' Logger is one, and takes errors and
 * objects as well, with all their words; this takes neither.
 */
export interface FunctionLog {
  info(message: string, fields: Readonly<Record<string, LogField>>): void;
  warn(message: string, fields: Readonly<Record<string, LogField>>): void;
  error(message: string, fields: Readonly<Record<string, LogField>>): void;
}
