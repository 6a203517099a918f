import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../../../localstack/paths.ts';
import { freePort } from '../../../localstack/port.ts';
import { waitUntil } from '../../../localstack/process.ts';
import { installCollector } from '../installed.ts';

/** The file that users copy; the test runs it as it is. */
const CONFIG = join(REPOSITORY, 'producers', 'otel-collector', 'config.yaml');
const START_LIMIT_MILLIS = 60_000;

export interface Collector {
  readonly grpcUrl: string;
  readonly httpUrl: string;
  /** What it logged so far. */
  log(): string;
  /** As a machine dies: nothing is flushed. */
  kill(): Promise<void>;
}

/** Starts the collector with the given queue folder and encoding, and waits until it takes spans. */
export async function startCollector(options: {
  readonly apiUrl: string;
  readonly key: string;
  readonly encoding: 'json' | 'proto';
  /** Holds the queue and the log. */
  readonly folder: string;
}): Promise<Collector> {
  const program = await installCollector();
  const [grpcPort, httpPort] = [await freePort(), await freePort()];
  const logFile = join(options.folder, 'collector.log');
  const output = openSync(logFile, 'a');
  const encoding = `yaml:exporters::otlp_http::encoding: ${options.encoding}`;
  // It speaks of itself on a fixed port otherwise, which a second one would not get.
  const silent = 'yaml:service::telemetry::metrics::level: none';
  const args = ['--config', CONFIG, '--config', encoding, '--config', silent];
  const child = spawn(program, args, {
    env: {
      PATH: process.env.PATH,
      EVIDENCE_API_URL: options.apiUrl,
      EVIDENCE_TRACES_KEY: options.key,
      EVIDENCE_QUEUE_DIR: join(options.folder, 'queue'),
      OTLP_GRPC_ENDPOINT: `127.0.0.1:${grpcPort}`,
      OTLP_HTTP_ENDPOINT: `127.0.0.1:${httpPort}`,
    },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  const httpUrl = `http://127.0.0.1:${httpPort}`;
  const ready = await waitUntil(() => isGone(child) || answers(httpUrl), START_LIMIT_MILLIS);
  if (!ready || isGone(child)) {
    end();
    throw new Error(`the collector did not start:\n${readFileSync(logFile, 'utf8')}`);
  }
  return {
    grpcUrl: `http://127.0.0.1:${grpcPort}`,
    httpUrl,
    log: () => readFileSync(logFile, 'utf8'),
    async kill() {
      process.off('exit', end);
      if (isGone(child)) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      end();
      await gone;
    },
  };
}

const isGone = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

async function answers(url: string): Promise<boolean> {
  return await fetch(url).then(
    () => true,
    () => false,
  );
}
