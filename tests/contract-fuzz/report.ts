/** What a fuzz found. */
export interface Report {
  requests: number;
  /** Of them broken on purpose. */
  broken: number;
  /** Whole requests that were answered, and not refused for what they asked. */
  answered: number;
  /** How often which status was answered, by operation. */
  statuses: Map<string, Map<number, number>>;
  slowestMs: number;
  slowest: string;
  /** Each kind of complaint with how often it was made, and one request that shows it. */
  complaints: Map<string, { times: number; how: string; curl: string; answer: string }>;
}

/** The report as text, complaints first. */
export function formatReport(report: Report, seed: number): string {
  const complaints = [...report.complaints].map(
    ([kind, { times, how, curl, answer }]) => `\n${times} x ${kind}\n  ${how}\n  ${curl.slice(0, 3000)}\n  ${answer}`,
  );
  const statuses = [...report.statuses].map(([operationId, counts]) => {
    const told = [...counts].toSorted(([a], [b]) => a - b).map(([status, times]) => `${status}: ${times}`);
    return `  ${operationId} ${told.join(', ')}`;
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
