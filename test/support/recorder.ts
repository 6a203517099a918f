type Extra = Record<string, unknown> | Error | string;

/** A logger and metrics that remember what they were told. */
export function recorder() {
  const lines: Array<{ level: string; message: unknown; extra: readonly unknown[] }> = [];
  const counted: Record<string, number> = {};
  /** What was counted by the time of each line that goes to the log. */
  const publications: Array<Record<string, number>> = [];
  const write =
    (level: string) =>
    (message: unknown, ...extra: readonly Extra[]) => {
      lines.push({ level, message, extra });
    };
  return {
    lines,
    counted,
    publications,
    logger: { info: write('info'), warn: write('warn'), error: write('error') },
    metrics: {
      addMetric: (name: string, _unit: unknown, value: number) => {
        counted[name] = (counted[name] ?? 0) + value;
        return undefined as never;
      },
      publishStoredMetrics: () => {
        publications.push({ ...counted });
        return undefined as never;
      },
    },
  };
}
