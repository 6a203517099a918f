import { runOtelPythonClient } from '../client-programs.ts';
import { BUSY, LOSE_ANSWER, PASS, RESET } from '../faults.ts';
import { describeClient } from '../tools.ts';
import { describeTracesClient } from '../traces-suite.ts';

describeClient('OpenTelemetry Python', ['Python'], () => {
  for (const compression of ['none', 'gzip'] as const) {
    describeTracesClient(`http/protobuf, compression ${compression}`, {
      send: (plan, origin, { clientUrls, keys }) => {
        const path = new URL(clientUrls.otel).pathname.replace(/\/$/, '');
        const target = { url: origin + path, key: keys.traces };
        return runOtelPythonClient(plan, target, { OTEL_EXPORTER_OTLP_COMPRESSION: compression });
      },
      contentType: 'application/x-protobuf',
      gzipped: [1, 2, 3, 4].map(() => compression === 'gzip'),
      faults: [BUSY, BUSY, PASS, RESET, PASS, LOSE_ANSWER],
    });
  }
});
