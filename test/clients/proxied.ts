import { afterAll, beforeAll } from 'vitest';
import {
  type Exchange,
  type RecordingProxy,
  startRecordingProxy,
} from '../support/recording-proxy.ts';
import { type ClientEnvironment, clientEnvironment } from './environment.ts';

/** The deployed environment and a proxy in front of it, there from the first hook of a suite on. */
export interface Proxied {
  readonly environment: ClientEnvironment;
  readonly proxy: RecordingProxy;
  /** What went through the proxy during the work, with its result. */
  during<T>(work: () => Promise<T>): Promise<T & { readonly exchanges: readonly Exchange[] }>;
}

/** To be called in a `describe`: starts the proxy before its tests and hooks and closes it after them. */
export function useProxy(): Proxied {
  let environment: ClientEnvironment;
  let proxy: RecordingProxy;
  beforeAll(async () => {
    environment = clientEnvironment();
    proxy = await startRecordingProxy(new URL(environment.apiUrl).origin);
  });
  afterAll(() => proxy?.close());
  return {
    get environment() {
      return environment;
    },
    get proxy() {
      return proxy;
    },
    async during(work) {
      const before = proxy.exchanges.length;
      const result = await work();
      return { ...result, exchanges: proxy.exchanges.slice(before) };
    },
  };
}
