import { runOtelClient } from '../client-programs.ts';
import { BUSY, LOSE_ANSWER, PASS, RESET } from '../faults.ts';
import { describeTracesClient } from '../traces-suite.ts';

const CONTENT_TYPES = {
  'http/json': 'application/json',
  'http/protobuf': 'application/x-protobuf',
};

for (const protocol of ['http/json', 'http/protobuf'] as const) {
  describeTracesClient(`OpenTelemetry JS ${protocol}`, {
    send: (plan, origin, { clientUrls, keys }) => {
      const path = new URL(clientUrls.otel).pathname.replace(/\/$/, '');
      return runOtelClient(plan, { url: origin + path, key: keys.traces }, protocol);
    },
    contentType: CONTENT_TYPES[protocol],
    gzipped: [true, false, true, false],
    faults: [BUSY, BUSY, PASS, RESET, PASS, LOSE_ANSWER],
  });
}
