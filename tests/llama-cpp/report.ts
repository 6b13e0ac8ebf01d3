import type { MeasuredRequest } from './compare.ts';

interface Report {
  results: { requests: { ttft_ms: number; e2e_ms: number; output_tokens: number; error: string | null }[] }[];
}

/** The requests in a report of the load generator, which has a point per line. */
export const requestsOf = (report: string): MeasuredRequest[] =>
  report
    .trim()
    .split('\n')
    .flatMap((line) => (JSON.parse(line) as Report).results)
    .flatMap(({ requests }) => requests)
    .map(({ ttft_ms, e2e_ms, output_tokens, error }) => ({
      error,
      tokens: output_tokens,
      generationMs: e2e_ms - ttft_ms,
    }));
