import type { FunctionName } from './roles.ts';

/** Something that a function has to be able to do. */
export interface Check {
  readonly fn: FunctionName;
  /** Completes "the function …". */
  readonly name: string;
  /** Variables of the function that it takes. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Makes ready, with all rights, before each run. */
  readonly prepare?: () => Promise<void>;
  /** @throws when it is not done */
  readonly run: () => Promise<void>;
}
