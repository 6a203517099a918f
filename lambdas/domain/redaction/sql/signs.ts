/** Character codes of operators that several rules look for. */
export const OPEN = 40;
export const CLOSE = 41;
export const COMMA = 44;
export const DOT = 46;
export const COLON = 58;
export const SEMICOLON = 59;
export const EQUALS = 61;
export const QUESTION = 63;
