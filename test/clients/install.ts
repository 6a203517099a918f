import { setPriority } from 'node:os';
import { runEntryPoint } from '../../localstack/errors.ts';
import { installCollector, installJava, installPython } from './installed.ts';

/** Below everything else: .ci/run checks the code meanwhile. */
const LOW_PRIORITY = 10;

/** Installs every client, one after the other, and says how long each took. The tests find them installed. */
await runEntryPoint(async () => {
  setPriority(LOW_PRIORITY);
  const installs: Readonly<Record<string, () => Promise<string>>> = {
    'openlineage-python': () => installPython('openlineage-python'),
    'openlineage-java': () => installJava('openlineage-java'),
    'openlineage-dbt': () => installPython('openlineage-dbt'),
    'otel-python': () => installPython('otel-python'),
    'openlineage-spark': () => installJava('openlineage-spark'),
    pyspark: () => installPython('openlineage-spark'),
    'otel-collector': installCollector,
  };
  for (const [name, install] of Object.entries(installs)) {
    const startedAt = performance.now();
    await install();
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    process.stdout.write(`${name} installed in ${seconds} s\n`);
  }
});
