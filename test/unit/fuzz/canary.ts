/** Planted in bodies and headers: no piece of it may come out anywhere. */
export const CANARY = 'kanari3n-7f3e9d01-b0a7c0de';

/** A shorter piece may be chance: half an id, a word of ours. */
const PIECE_CHARACTERS = 12;

const PIECES = Array.from({ length: CANARY.length - PIECE_CHARACTERS + 1 }, (_, at) =>
  CANARY.slice(at, at + PIECE_CHARACTERS),
);

/** Whether a text shows a piece of the canary. */
export function showsCanary(text: string): boolean {
  return PIECES.some((piece) => text.includes(piece));
}
