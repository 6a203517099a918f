import { afterEach, beforeEach, expect, it } from 'vitest';
import { waitUntil } from '../../../localstack/process.ts';
import { type RecordingProxy, startRecordingProxy } from '../../support/recording-proxy.ts';
import { runOtelClient, runOtelPythonClient } from '../client-programs.ts';
import { type ClientEnvironment, clientEnvironment } from '../environment.ts';
import { BUSY, LOSE_ANSWER, RESET } from '../faults.ts';
import { createPlan } from '../plan.ts';
import { withFolder } from '../program.ts';
import type { OtlpSpan } from '../spans.ts';
import { describeClient } from '../tools.ts';
import { expectStoredSpans } from '../traces-suite.ts';
import { type Collector, startCollector } from './collector.ts';

const SETUP_MILLIS = 540_000;
const READ_MILLIS = 240_000;
const FIRST_TRY_MILLIS = 30_000;

describeClient('OpenTelemetry Collector', ['Go', 'Python'], () => {
  let environment: ClientEnvironment;
  let proxy: RecordingProxy;

  beforeEach(async () => {
    environment = clientEnvironment();
    proxy = await startRecordingProxy(new URL(environment.apiUrl).origin);
  });

  afterEach(() => proxy?.close());

  // The collector does not look at the key of who sends to it.
  const send = {
    grpc: (collector: Collector) =>
      runOtelPythonClient(
        createPlan(new Date()),
        { url: collector.grpcUrl, key: 'none' },
        {
          OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
        },
      ),
    'http/protobuf': (collector: Collector) =>
      runOtelClient(
        createPlan(new Date()),
        { url: collector.httpUrl, key: 'none' },
        'http/protobuf',
      ),
  };

  it.each([
    { from: 'grpc', encoding: 'proto', type: 'application/x-protobuf' },
    { from: 'http/protobuf', encoding: 'json', type: 'application/json' },
  ] as const)(
    'takes $from and loses no span as $encoding when the store is away and it is killed meanwhile',
    async ({ from, encoding, type }) => {
      await withFolder(async (folder) => {
        const apiUrl = proxy.origin + new URL(environment.apiUrl).pathname;
        const options = { apiUrl, key: environment.keys.traces, encoding, folder };
        let told: readonly OtlpSpan[];

        proxy.failAll(BUSY);
        const first = await startCollector(options);
        try {
          told = await send[from](first);
          expect(await waitUntil(() => proxy.exchanges.length > 0, FIRST_TRY_MILLIS)).toBe(true);
        } finally {
          await first.kill();
        }
        expect(proxy.exchanges.every(({ response }) => response?.status === 503)).toBe(true);

        proxy.failAll(undefined);
        proxy.inject(RESET, LOSE_ANSWER);
        const second = await startCollector(options);
        try {
          await expectStoredSpans(environment, told);
        } finally {
          await second.kill();
        }
        expect(proxy.exchanges.filter(({ fault }) => fault === 'reset')).toHaveLength(1);
        expect(proxy.exchanges.filter(({ fault }) => fault === 'lose-answer')).toHaveLength(1);
        for (const { headers, gzip, response } of proxy.exchanges) {
          expect(headers['Content-Type']).toBe(type);
          expect(gzip).toBe(true);
          expect([200, 503, undefined]).toContain(response?.status);
        }
      });
    },
    SETUP_MILLIS + READ_MILLIS,
  );
});
