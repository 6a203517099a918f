import { copyFileSync, readdirSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Exchange, Fault } from '../../support/recording-proxy.ts';
import { BUSY, LOSE_ANSWER, PASS, RESET } from '../faults.ts';
import { CLIENTS, installJava, installPython } from '../installed.ts';
import { itIsStoredWithoutTheLiteral } from '../lineage-suite.ts';
import { runProgram, withFolder } from '../program.ts';
import { useProxy } from '../proxied.ts';
import { accepted, delivered, distinctBodies, expectRunsComplete } from '../stored.ts';
import { describeClient } from '../tools.ts';

const SETUP_MILLIS = 540_000;
const READ_MILLIS = 180_000;

describeClient('openlineage-spark', ['Python', 'Java', 'Maven'], () => {
  const proxied = useProxy();

  const runJob = async (...faults: readonly (Fault | undefined)[]) => {
    const python = await installPython('openlineage-spark');
    const jars = await installJava('openlineage-spark');
    proxied.proxy.inject(...faults);
    const work = async (folder: string) => {
      const conf = join(folder, 'spark-defaults.conf');
      copyFileSync(join(CLIENTS, 'openlineage-spark', 'spark-defaults.conf'), conf);
      // From Spark's own settings the listener takes no path of a URL, only origin and endpoint.
      const { endpoint } = proxied.environment.clientUrls.spark;
      const jar = readdirSync(jars).find((name) => name.endsWith('.jar')) ?? '';
      await appendFile(
        conf,
        [
          `spark.jars ${join(jars, jar)}`,
          `spark.openlineage.transport.url ${proxied.proxy.origin}`,
          `spark.openlineage.transport.endpoint ${endpoint}`,
          `spark.openlineage.transport.auth.apiKey ${proxied.environment.keys.lineage}`,
        ].join('\n'),
      );
      const settings = {
        SPARK_CONF_DIR: folder,
        PYSPARK_PYTHON: python,
        SPARK_LOCAL_IP: '127.0.0.1',
      };
      const program = join(CLIENTS, 'openlineage-spark', 'job.py');
      return await runProgram(python, [program, folder], settings, folder);
    };
    const ended = await proxied.during(() => withFolder(work));
    if (ended.code !== 0) throw new Error(`Spark ended with ${ended.code}:\n${ended.output}`);
    return ended;
  };

  describe('undisturbed', { timeout: READ_MILLIS }, () => {
    let job: Awaited<ReturnType<typeof runJob>>;

    beforeAll(async () => {
      job = await runJob();
    }, SETUP_MILLIS);

    it('gets 201 for each gzipped event, at the first attempt', () => {
      expect(job.output).toContain('FAILED AS PLANNED');
      expect(job.output).not.toContain('Could not emit lineage');
      expect(job.exchanges.length).toBeGreaterThan(10);
      expect(new Set(job.exchanges.map(({ response }) => response?.status))).toEqual(
        new Set([201]),
      );
      expect(new Set(job.exchanges.map(({ gzip }) => gzip))).toEqual(new Set([true]));
    });

    itIsStoredWithoutTheLiteral(proxied, () => job.exchanges);

    it('shows the write as complete, the failed one as failed though a COMPLETE may follow', async () => {
      const runs = [...(await expectRunsComplete(proxied.environment, job.exchanges)).values()];
      const written = runs.filter(({ outputs }) =>
        outputs.some(({ name }) => name.endsWith('totals')),
      );
      expect(written.map(({ state }) => state)).toEqual(['COMPLETE']);
      expect(written[0]?.inputs.map(({ name }) => name.split('/').at(-1))).toEqual(['orders.csv']);
      const failed = runs.filter(({ state }) => state === 'FAIL');
      const types = failed.flatMap(({ events }) => events.map(({ eventType }) => eventType));
      expect(failed).toHaveLength(1);
      expect(types).toEqual(expect.arrayContaining(['START', 'FAIL']));
      // Spark sends COMPLETE behind the FAIL unless it stops first: sent or not, the run has failed.
      const codes = failed[0]?.qualifications.map(({ code }) => code) ?? [];
      expect(codes.includes('conflicting_terminals')).toBe(types.includes('COMPLETE'));
    });
  });

  it(
    'loses what meets a reset or two busy answers, says so in its log, and nothing that got a 2xx',
    async () => {
      const { output, exchanges } = await runJob(BUSY, PASS, BUSY, BUSY, RESET, LOSE_ANSWER);
      const arrived: readonly Exchange[] = delivered(exchanges);
      const sent = distinctBodies(exchanges);
      expect(distinctBodies(arrived)).toHaveLength(sent.length - 2);
      expect(output.match(/Could not emit lineage/g)).toHaveLength(3);
      expect(accepted(exchanges)).toHaveLength(arrived.length - 1);
      await expectRunsComplete(proxied.environment, arrived);
    },
    READ_MILLIS,
  );
});
