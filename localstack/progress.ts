/** Runs one named step and shows that it runs. */
export type Progress = <T>(step: string, work: () => Promise<T>) => Promise<T>;

/** Shorter steps stay silent; the contract shows progress for anything over 2 s. */
const QUIET_MILLIS = 2_000;
/** On a terminal the elapsed time moves; in a log file a line now and then proves that it lives. */
const TERMINAL_TICK_MILLIS = 1_000;
const LOG_TICK_MILLIS = 15_000;

/** Where progress goes: stderr in practice. */
export interface ProgressSink {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** Reports each step that takes over 2 s, with elapsed time, and its end. */
export function createProgress(sink: ProgressSink = process.stderr): Progress {
  return async (step, work) => {
    const start = Date.now();
    const seconds = () => `${Math.round((Date.now() - start) / 1_000)} s`;
    let shown = false;
    const show = () => {
      shown = true;
      sink.write(sink.isTTY ? `\r\x1b[2K${step} … ${seconds()}` : `${step} … ${seconds()}\n`);
    };
    let ticker: NodeJS.Timeout | undefined;
    const first = setTimeout(() => {
      show();
      ticker = setInterval(show, sink.isTTY ? TERMINAL_TICK_MILLIS : LOG_TICK_MILLIS);
    }, QUIET_MILLIS);
    try {
      const result = await work();
      if (shown) sink.write(`${sink.isTTY ? '\r\x1b[2K' : ''}${step}: done in ${seconds()}\n`);
      return result;
    } catch (error) {
      if (shown && sink.isTTY) sink.write('\n');
      throw error;
    } finally {
      clearTimeout(first);
      clearInterval(ticker);
    }
  };
}

/** Runs steps without a word; for tests. */
export const silent: Progress = (_step, work) => work();
