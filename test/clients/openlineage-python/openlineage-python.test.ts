import { runPythonClient } from '../client-programs.ts';
import { BUSY, LOSE_ANSWER, PASS, RESET } from '../faults.ts';
import { describeLineageClient } from '../lineage-suite.ts';
import { describeClient } from '../tools.ts';

describeClient('openlineage-python', ['Python'], () => {
  for (const transport of ['http', 'async_http'] as const) {
    describeLineageClient(transport, {
      gzipped: 2,
      async send(plan, origin, { clientUrls, keys }) {
        const url = origin + new URL(clientUrls.python).pathname;
        await runPythonClient(plan, { url, key: keys.lineage }, transport);
        return 0;
      },
      faults: [BUSY, BUSY, PASS, RESET, PASS, LOSE_ANSWER],
      gaveUp: 0,
      lost: 0,
      repeated: 1,
    });
  }
});
