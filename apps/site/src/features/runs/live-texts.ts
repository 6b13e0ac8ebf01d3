import type { LiveFigures, LiveLatency } from '@inferboard/core/observed/live-figures';

// Also used in the browser, so it imports nothing that is large.

const figure = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });
const missing = '–';

const textOf = (value: number | null | undefined) => (value == null ? missing : figure.format(value));
const countOf = (value: number) => value.toLocaleString('en');

export const latencyNames = { ttft_ms: 'TTFT', itl_ms: 'ITL', e2e_ms: 'E2E' } as const;
export const latencyColumns = ['p50', 'p90', 'p95', 'p99', 'n'] as const satisfies readonly (keyof LiveLatency)[];

/** Facts of the current point: their keys in `liveTexts`, and their titles. */
export const liveFacts = {
  requests: 'Requests',
  in_flight: 'In flight',
  req_s: 'Requests, req/s',
  output_tok_s: 'Output, tok/s',
  failed: 'Failed',
} as const;

/** Facts of the server. */
export const serverFacts = {
  running: 'Running in the server',
  waiting: 'Waiting in the server',
  kv_cache_share: 'KV cache in use',
  preemptions: 'Preemptions since the server started',
} as const;

function serverText(name: string, value: number | undefined): string {
  if (name !== 'kv_cache_share' || value === undefined) return textOf(value);
  return `${figure.format(value * 100)} %`;
}

/** The texts of live figures by key. */
export function liveTexts(live: LiveFigures): Record<string, string> {
  const failures = Object.entries(live.errors).map(([kind, count]) => `${countOf(count)} ${kind.replaceAll('_', ' ')}`);
  const latencies = (Object.keys(latencyNames) as (keyof typeof latencyNames)[]).flatMap((name) =>
    latencyColumns.map((column) => {
      const value = live[name][column];
      return [`${name}.${column}`, column === 'n' ? countOf(value ?? 0) : textOf(value)];
    }),
  );
  return {
    title: live.title,
    at: `${live.at.slice(11, 19)} UTC`,
    requests: `${countOf(live.requests.done)} of ${countOf(live.requests.total)}`,
    in_flight: countOf(live.in_flight),
    req_s: textOf(live.req_s),
    output_tok_s: textOf(live.output_tok_s),
    failed: failures.length === 0 ? 'none' : failures.join(', '),
    ...Object.fromEntries(latencies),
    ...Object.fromEntries(Object.keys(serverFacts).map((name) => [name, serverText(name, live.server?.[name])])),
  };
}
