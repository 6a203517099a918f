type Extra = Record<string, unknown> | Error | string;

/** A logger and metrics that remember what they were told. */
export function recorder() {
  const lines: Array<{ level: string; message: unknown; extra: readonly unknown[] }> = [];
  const counted: Record<string, number> = {};
  const write =
    (level: string) =>
    (message: unknown, ...extra: readonly Extra[]) => {
      lines.push({ level, message, extra });
    };
  return {
    lines,
    counted,
    logger: { info: write('info'), warn: write('warn'), error: write('error') },
    metrics: {
      addMetric: (name: string, _unit: unknown, value: number) => {
        counted[name] = (counted[name] ?? 0) + value;
        return undefined as never;
      },
      publishStoredMetrics: () => undefined as never,
    },
  };
}
