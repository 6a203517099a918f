import type { Fault } from '../support/recording-proxy.ts';

/** What a client is told when it comes too fast or at a bad moment. */
export const BUSY: Fault = { kind: 'answer', status: 503, retryAfterSeconds: 2 };
/** The connection breaks before the store saw the request. */
export const RESET: Fault = { kind: 'reset' };
/** The store did its work, and the connection breaks before the client hears of it. */
export const LOSE_ANSWER: Fault = { kind: 'lose-answer' };
/** Lets one request through between two faults. */
export const PASS = undefined;
