import { expect, it } from 'vitest';
import { startRecordingProxy } from '../../support/recording-proxy.ts';
import { runJavaClient } from '../client-programs.ts';
import { type ClientEnvironment, clientEnvironment } from '../environment.ts';
import { BUSY, LOSE_ANSWER, PASS, RESET } from '../faults.ts';
import { describeLineageClient } from '../lineage-suite.ts';
import { createPlan } from '../plan.ts';
import { plannedEvents } from '../planned-runs.ts';
import { describeClient } from '../tools.ts';

const SETUP_MILLIS = 540_000;

describeClient('openlineage-java', ['Java', 'Maven'], () => {
  const urlOf = (origin: string, { apiUrl }: ClientEnvironment) =>
    `${origin}${new URL(apiUrl).pathname}/api/v1/lineage`;

  for (const compression of ['none', 'gzip'] as const) {
    describeLineageClient(`compression ${compression}`, {
      gzipped: compression === 'gzip' ? plannedEvents(createPlan(new Date())) : 0,
      send: (plan, origin, environment) =>
        runJavaClient(
          plan,
          { url: urlOf(origin, environment), key: environment.keys.lineage },
          compression === 'gzip' ? { EVIDENCE_COMPRESSION: 'gzip' } : {},
        ),
      // One retry for a 503, none for a broken connection: the caller gets an exception and must act on it.
      faults: [BUSY, PASS, BUSY, BUSY, RESET, LOSE_ANSWER],
      gaveUp: 3,
      // The third was stored before its answer got lost.
      lost: 2,
      repeated: 0,
    });
  }

  it(
    'is let in by its key when it sends another Authorization line before it',
    async () => {
      const environment = clientEnvironment();
      const proxy = await startRecordingProxy(new URL(environment.apiUrl).origin);
      const target = { url: urlOf(proxy.origin, environment), key: environment.keys.lineage };
      const foreign = { EVIDENCE_AUTHORIZATION: 'Custom zzz' };
      expect(await runJavaClient(createPlan(new Date()), target, foreign)).toBe(0);
      await proxy.close();
      for (const { authorizationSchemes, response } of proxy.exchanges) {
        expect(authorizationSchemes).toEqual(['Custom', 'Bearer']);
        expect(response?.status).toBe(201);
      }
    },
    SETUP_MILLIS,
  );
});
