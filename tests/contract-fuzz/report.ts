/** The result of a fuzz run. */
export interface Report {
  requests: number;
  /** Number of intentionally invalid requests. */
  broken: number;
  /** Number of valid requests with a success response. */
  answered: number;
  /** Number of responses by operation and status. */
  statuses: Map<string, Map<number, number>>;
  slowestMs: number;
  slowest: string;
  /** Each kind of complaint with its count and one example request. */
  complaints: Map<string, { times: number; how: string; curl: string; answer: string }>;
}

/** The report as text, complaints first. */
export function formatReport(report: Report, seed: number): string {
  const complaints = [...report.complaints].map(
    ([kind, { times, how, curl, answer }]) => `\n${times} x ${kind}\n  ${how}\n  ${curl.slice(0, 3000)}\n  ${answer}`,
  );
  const statuses = [...report.statuses].map(([operationId, counts]) => {
    const parts = [...counts].toSorted(([a], [b]) => a - b).map(([status, times]) => `${status}: ${times}`);
    return `  ${operationId} ${parts.join(', ')}`;
  });
  const percent = (part: number, whole: number) => `${Math.round((100 * part) / Math.max(whole, 1))} %`;
  const whole = report.requests - report.broken;
  return [
    ...complaints,
    ...statuses,
    `${report.requests} requests with seed ${seed}: ${percent(report.broken, report.requests)} broken on purpose, ${percent(report.answered, whole)} of the others answered`,
    `slowest ${Math.round(report.slowestMs)} ms: ${report.slowest}`,
  ].join('\n');
}
