import type { Definitions, Metrics } from '../adapters/adapter.ts';
import type { MetricName } from '../metrics/index.ts';
import type { RequestRecord } from '../records.ts';

/**
 * How a benchmark tool summarizes and prints figures. Tools differ in percentiles, in the denominator of the standard
 * deviation and in digits. Deliberately simple and independent of the code under test.
 */
export interface ToolStyle {
  percentiles: 'linear' | 'nearest';
  sd: 'sample' | 'population';
  /** Decimals; null prints every digit. */
  digits: number | null;
}

type Distribution = 'ttft_ms' | 'itl_ms' | 'tpot_ms' | 'e2e_ms';

function percentileOf(sorted: readonly number[], p: number, method: ToolStyle['percentiles']): number {
  const last = sorted.length - 1;
  if (method === 'nearest') return sorted[Math.max(0, Math.ceil((p / 100) * sorted.length) - 1)] ?? 0;
  const place = (p / 100) * last;
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.min(last, Math.floor(place) + 1)] ?? 0;
  return below + (above - below) * (place - Math.floor(place));
}

function statisticsOf(base: Distribution, values: readonly number[], style: ToolStyle): Metrics {
  const n = values.length;
  if (n === 0) return {};
  const sorted = [...values].sort((a, b) => a - b);
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const metrics: Metrics = {
    [`${base}_mean`]: mean,
    [`${base}_min`]: sorted[0],
    [`${base}_max`]: sorted[n - 1],
  };
  for (const p of [50, 90, 95, 99] as const) metrics[`${base}_p${p}`] = percentileOf(sorted, p, style.percentiles);
  const denominator = style.sd === 'sample' ? n - 1 : n;
  if (denominator > 0) metrics[`${base}_sd`] = Math.sqrt(squares / denominator);
  return metrics;
}

const counts: readonly string[] = ['requests_ok', 'requests_failed', 'input_tokens', 'output_tokens'];

function print(metrics: Metrics, digits: number | null): Metrics {
  if (digits === null) return metrics;
  return Object.fromEntries(
    Object.entries(metrics).flatMap(([name, value]): [string, number][] => {
      if (counts.includes(name)) return [[name, value]];
      const printed = Number(value.toFixed(digits));
      // A time that rounds to 0 is omitted.
      return printed === 0 && value !== 0 ? [] : [[name, printed]];
    }),
  );
}

const known = (value: number | null): number => value ?? 0;

/** The figures and formulas that a tool would state for these requests. `windowS`: its measured window. */
export function summariseLikeATool(
  requests: readonly RequestRecord[],
  windowS: number,
  style: ToolStyle,
): { metrics: Metrics; definitions: Definitions } {
  const ok = requests.filter(({ error }) => error === null);
  const sumOf = (field: 'inputTokens' | 'outputTokens') => ok.reduce((sum, request) => sum + known(request[field]), 0);
  const inputTokens = sumOf('inputTokens');
  const outputTokens = sumOf('outputTokens');
  const tpot = ok.flatMap(({ e2eMs, ttftMs, outputTokens: n }) =>
    known(n) < 2 ? [] : [(known(e2eMs) - known(ttftMs)) / (known(n) - 1)],
  );
  const metrics: Metrics = {
    duration_s: windowS,
    requests_ok: ok.length,
    requests_failed: requests.length - ok.length,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    req_s: ok.length / windowS,
    input_tok_s: inputTokens / windowS,
    output_tok_s: outputTokens / windowS,
    total_tok_s: (inputTokens + outputTokens) / windowS,
    ...statisticsOf(
      'ttft_ms',
      ok.map(({ ttftMs }) => known(ttftMs)),
      style,
    ),
    ...statisticsOf('tpot_ms', tpot, style),
    ...statisticsOf(
      'itl_ms',
      ok.flatMap(({ gapsMs }) => gapsMs ?? []),
      style,
    ),
    ...statisticsOf(
      'e2e_ms',
      ok.map(({ e2eMs }) => known(e2eMs)),
      style,
    ),
  };
  const isPerToken = ok.every(({ gapsMs, outputTokens: n }) => gapsMs?.length === known(n) - 1);
  const definitions: Definitions = {
    ttft_ms: 'send_to_first_token',
    tpot_ms: 'without_first_token',
    itl_ms: isPerToken ? 'per_token' : 'per_chunk',
    e2e_ms: 'request',
  };
  const printed = print(metrics, style.digits);
  const bases = new Set(Object.keys(printed).map((name) => name.replace(/_(?:mean|p\d+|min|max|sd)$/, '')));
  return {
    metrics: printed,
    definitions: Object.fromEntries(Object.entries(definitions).filter(([base]) => bases.has(base))),
  };
}

/** Keeps each figure with this probability, because tools omit some. */
export function leaveOut(metrics: Metrics, keep: (name: MetricName) => boolean): Metrics {
  return Object.fromEntries(Object.entries(metrics).filter(([name]) => keep(name as MetricName)));
}
