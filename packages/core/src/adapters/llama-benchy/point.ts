import { quantizationHint } from '../../catalogue/names/quantization-hint.ts';
import type { MetricName } from '../../metrics/index.ts';
import { noFacts, noResult, noScenario, type ParsedResult, type Repeats } from '../adapter.ts';
import { toModelName } from '../reading/context/model-name.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';

/** One measured quantity: the mean, the population standard deviation (numpy's, divided by n), and the samples. */
export interface BenchyStat {
  mean: number;
  sd: number | null;
  values: readonly number[] | null;
}

/** Quantities by their key in the JSON report. Rates are in tok/s, times in ms. */
export const benchyNames = [
  'pp_throughput',
  'pp_req_throughput',
  'tg_throughput',
  'tg_req_throughput',
  'peak_throughput',
  'peak_req_throughput',
  'ttfr',
  'est_ppt',
  'e2e_ttft',
] as const;
export type BenchyStats = Partial<Record<(typeof benchyNames)[number], BenchyStat>>;

/** One test: a prompt and a response after a context, at a concurrency. Unknown values are null. */
export interface BenchyPoint {
  from: number;
  to: number;
  model: string;
  concurrency: number;
  promptTokens: number | null;
  responseTokens: number | null;
  contextTokens: number;
  /** True if the context itself is the prompt. */
  isContextPhase: boolean;
  stats: BenchyStats;
}

/** Facts that apply to all tests of a report. */
export interface BenchyRun {
  runs: number | null;
  hasPrefixCaching: boolean;
  latencyMode: string | null;
  latencyMs: number | null;
  measuredAt: string | null;
}

const taken: [MetricName, keyof BenchyStats][] = [
  ['prefill_tok_s', 'pp_throughput'],
  ['decode_tok_s', 'tg_throughput'],
  ['user_tok_s', 'tg_req_throughput'],
  ['ttft_ms_mean', 'e2e_ttft'],
];
const definitions: Record<string, string> = {
  prefill_tok_s: 'client',
  decode_tok_s: 'client',
  user_tok_s: 'client',
  ttft_ms: 'send_to_first_token',
};
/** Peaks cover single seconds; the others are parts of existing metrics. */
const kept: [string, keyof BenchyStats][] = [
  ['prefill_tok_s_per_request', 'pp_req_throughput'],
  ['peak_output_tok_s', 'peak_throughput'],
  ['peak_user_tok_s', 'peak_req_throughput'],
  ['ttfr_ms', 'ttfr'],
  ['est_ppt_ms', 'est_ppt'],
];

/** Our sd divides by n - 1. */
function toSampleSd(sd: number, n: number): number {
  return sd * Math.sqrt(n / (n - 1));
}

/** Repeated runs, each with one speed of the whole system. Speeds of single users are different samples. */
function toRepeats(stats: BenchyStats, runs: number | null): Repeats | null {
  const found = taken.slice(0, 2).flatMap(([name, key]) => {
    const stat = stats[key];
    return stat === undefined ? [] : [{ name, stat, n: stat.values?.length ?? runs }];
  });
  const n = found[0]?.n ?? null;
  if (found.every(({ stat }) => stat.sd === null && stat.values === null)) return null;
  const sds = found.flatMap(({ name, stat, n: of }) =>
    stat.sd === null || of === null || of < 2 ? [] : [[name, toSampleSd(stat.sd, of)]],
  );
  const samples = found.flatMap(({ name, stat }) => (stat.values === null ? [] : [[name, [...stat.values]]]));
  return { n, sd: Object.fromEntries(sds), samples: samples.length === 0 ? null : Object.fromEntries(samples) };
}

/**
 * A test as a result. TTFT is the time to the first token (`e2e_ttft`), not to the first chunk of any kind (`ttfr`). Prefill
 * speed divides by an estimate: the time to the first chunk minus the network latency.
 */
export function toBenchyResult(point: BenchyPoint, run: BenchyRun): ParsedResult {
  const { stats, isContextPhase: isContext, contextTokens } = point;
  const metrics: [MetricName, number][] = taken.flatMap(([name, key]) => {
    const mean = stats[key]?.mean ?? 0;
    return mean > 0 ? [[name, mean]] : [];
  });
  const sd = stats.e2e_ttft?.sd ?? null;
  const samples = stats.e2e_ttft?.values?.length ?? (run.runs === null ? null : run.runs * point.concurrency);
  if (sd !== null && samples !== 1 && metrics.some(([name]) => name === 'ttft_ms_mean'))
    metrics.push(['ttft_ms_sd', sd]);
  const extras = kept.flatMap(([name, key]) => (stats[key] === undefined ? [] : [[name, stats[key].mean]]));
  const model = toModelName(point.model);
  const hint = quantizationHint(point.model);
  const inputTokens = isContext ? contextTokens : point.promptTokens;
  return {
    ...noResult,
    system: {
      ...noFacts,
      model: model === null ? null : { value: model, origin: 'stated' },
      quantization: hint === null ? null : { value: hint, origin: 'inferred' },
      features: run.hasPrefixCaching ? { prefix_caching: true } : {},
    },
    scenario: {
      ...noScenario,
      inputTokens: inputTokens === null ? null : { value: inputTokens, origin: 'stated' },
      outputTokens: point.responseTokens === null ? null : { value: point.responseTokens, origin: 'stated' },
      depth: isContext || contextTokens === 0 ? null : contextTokens,
    },
    load: { mode: 'concurrency', level: point.concurrency },
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, definitions),
    repeats: toRepeats(stats, run.runs),
    extra: {
      ...Object.fromEntries(extras),
      ...(isContext ? { phase: 'context' } : {}),
      ...(run.latencyMode === null ? {} : { latency_mode: run.latencyMode }),
      ...(run.latencyMs === null ? {} : { network_latency_ms: run.latencyMs }),
    },
    measuredAt: run.measuredAt,
    lines: { from: point.from, to: point.to },
  };
}
