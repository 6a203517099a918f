import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Exchange } from '../../support/recording-proxy.ts';
import { BUSY, LOSE_ANSWER, PASS, RESET } from '../faults.ts';
import { CLIENTS, installPython } from '../installed.ts';
import { itIsStoredWithoutTheLiteral } from '../lineage-suite.ts';
import { runProgram, withFolder } from '../program.ts';
import { useProxy } from '../proxied.ts';
import { delivered, distinctBodies, expectRunsComplete } from '../stored.ts';
import { describeClient } from '../tools.ts';

const SETUP_MILLIS = 540_000;
const READ_MILLIS = 180_000;

describeClient('openlineage-dbt', ['Python'], () => {
  const proxied = useProxy();

  /** Builds the project with dbt-ol; what it sent and what it says that it sent. */
  const build = async (...options: readonly string[]) => {
    const programs = join(await installPython('openlineage-dbt'), '..');
    const work = async (folder: string) => {
      cpSync(join(CLIENTS, 'openlineage-dbt', 'project'), folder, { recursive: true });
      const settings = {
        PATH: `${programs}:${process.env.PATH}`,
        DBT_PROFILES_DIR: folder,
        SHOP_DATABASE: join(folder, 'shop.duckdb'),
        OPENLINEAGE_URL:
          proxied.proxy.origin + new URL(proxied.environment.clientUrls.python).pathname,
        OPENLINEAGE_API_KEY: proxied.environment.keys.lineage,
      };
      return await runProgram(join(programs, 'dbt-ol'), [...options, 'build'], settings, folder);
    };
    const ended = await proxied.during(() => withFolder(work));
    const emitted = Number(/Emitted (\d+) OpenLineage events/.exec(ended.output)?.[1]);
    return { ...ended, emitted };
  };

  describe.each([
    {
      when: 'after the run',
      options: [],
      failedJobs: ['dbt-run-shop', 'shop.main.shop.customer_totals.build.run'],
    },
    {
      when: 'while it runs',
      options: ['--consume-structured-logs'],
      failedJobs: [
        'dbt-run-shop',
        'model.shop.customer_totals',
        'model.shop.customer_totals.sql.2',
      ],
    },
  ])('reporting $when', { timeout: READ_MILLIS }, ({ options, failedJobs }) => {
    let built: Awaited<ReturnType<typeof build>>;

    beforeAll(async () => {
      built = await build(...options);
    }, SETUP_MILLIS);

    it('ends as dbt ends and gets 201 for as many events as it says it sent', () => {
      expect(built.code).toBe(1);
      expect(built.exchanges.length).toBeGreaterThan(0);
      expect(built.exchanges).toHaveLength(built.emitted);
      expect(built.exchanges.map(({ response }) => response?.status)).toEqual(
        built.exchanges.map(() => 201),
      );
    });

    itIsStoredWithoutTheLiteral(proxied, () => built.exchanges);

    it('shows the failed model and the dbt run as failed, all others as complete', async () => {
      const runs = await expectRunsComplete(proxied.environment, built.exchanges);
      const failed = [...runs.values()].filter(({ state }) => state === 'FAIL');
      expect([...runs.values()].filter(({ state }) => state === 'COMPLETE')).toHaveLength(
        runs.size - failed.length,
      );
      expect(failed.map(({ job }) => job.name).sort()).toEqual(failedJobs);
    });
  });

  it(
    'loses nothing when the store is busy twice, resets once and loses an answer',
    async () => {
      proxied.proxy.inject(BUSY, BUSY, PASS, RESET, PASS, LOSE_ANSWER);
      const { code, emitted, exchanges } = await build();
      expect(code).toBe(1);
      const arrived: readonly Exchange[] = delivered(exchanges);
      expect(distinctBodies(arrived)).toHaveLength(emitted);
      expect(arrived).toHaveLength(emitted + 1);
      await expectRunsComplete(proxied.environment, arrived);
    },
    READ_MILLIS,
  );
});
