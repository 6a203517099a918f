/** A part of a text that must go, and the rule that says so. */
export interface Finding {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
}
