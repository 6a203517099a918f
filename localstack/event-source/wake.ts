/** Lets loops sleep until a time, a nudge or the end, whichever comes first. */
export interface Wake {
  /** Ends all current sleeps. */
  nudge(): void;
  /** Sleeps at most `millis`. */
  sleep(millis: number): Promise<void>;
  /** Waits `millis` whatever the nudges; only the end cuts it short. */
  pause(millis: number): Promise<void>;
}

/** Creates a wake whose sleeps and pauses end when the signal aborts. */
export function createWake(signal: AbortSignal): Wake {
  const sleepers = new Set<() => void>();
  const pausers = new Set<() => void>();
  const endAll = (waiting: Set<() => void>) => {
    for (const end of [...waiting]) end();
  };
  signal.addEventListener('abort', () => {
    endAll(sleepers);
    endAll(pausers);
  });
  const wait = (waiting: Set<() => void>, millis: number) =>
    new Promise<void>((resolve) => {
      if (signal.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, millis);
      waiting.add(end);
    });
  return {
    nudge: () => endAll(sleepers),
    sleep: (millis) => wait(sleepers, millis),
    pause: (millis) => wait(pausers, millis),
  };
}
