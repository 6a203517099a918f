const TRACE_ID = /^[0-9a-f]{32}$/;
const SPAN_ID = /^[0-9a-f]{16}$/;
const ALL_ZERO = /^0+$/;

/** A trace id (16 bytes, hex in any case) in the form it is filed under; undefined for anything else and for all zeros. */
export function traceIdOf(text: string | undefined): string | undefined {
  return readId(text, TRACE_ID);
}

/** The same for a span id (8 bytes). */
export function spanIdOf(text: string | undefined): string | undefined {
  return readId(text, SPAN_ID);
}

function readId(text: string | undefined, form: RegExp): string | undefined {
  const id = text?.toLowerCase();
  return id !== undefined && form.test(id) && !ALL_ZERO.test(id) ? id : undefined;
}
