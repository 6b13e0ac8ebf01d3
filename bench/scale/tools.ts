import type { Definitions, Metrics } from '../../packages/core/src/adapters/adapter.ts';
import type { MetricName } from '../../packages/core/src/metrics/index.ts';
import type { Random } from '../../packages/core/src/testing/random.ts';
import { weighted } from './chance.ts';
import type { Run, Spread } from './run.ts';

type Statistic = 'mean' | 'p50' | 'p90' | 'p95' | 'p99' | 'min' | 'max' | 'sd';
type Latency = 'ttft' | 'tpot' | 'itl' | 'e2e';
type Total = 'duration_s' | 'requests_ok' | 'requests_failed' | 'input_tokens' | 'output_tokens' | 'req_s';
type Rate = 'input_tok_s' | 'output_tok_s' | 'total_tok_s' | 'user_tok_s';

/** The metrics of a tool and their definitions. */
export interface Tool {
  name: string;
  versions: readonly [string | null, ...(string | null)[]];
  totals: readonly (Total | Rate)[];
  latencies: Partial<Record<Latency, readonly Statistic[]>>;
  definitions: Definitions;
}

const counted = ['duration_s', 'requests_ok', 'input_tokens', 'output_tokens', 'req_s'] as const;
const request = { ttft_ms: 'send_to_first_token', e2e_ms: 'request' };

const vllm: Tool = {
  name: 'vllm bench serve',
  versions: [null],
  totals: [...counted, 'requests_failed', 'output_tok_s', 'total_tok_s'],
  latencies: {
    ttft: ['mean', 'p50', 'sd', 'p99'],
    tpot: ['mean', 'p50', 'sd', 'p99'],
    itl: ['mean', 'p50', 'sd', 'p99'],
  },
  definitions: { ttft_ms: request.ttft_ms, tpot_ms: 'without_first_token', itl_ms: 'per_chunk' },
};

const sglang: Tool = {
  name: 'sglang bench_serving',
  versions: [null],
  totals: [...counted, 'input_tok_s', 'output_tok_s', 'total_tok_s'],
  latencies: {
    e2e: ['mean', 'p50', 'p99'],
    ttft: ['mean', 'p50', 'p99'],
    tpot: ['mean', 'p50', 'p99'],
    itl: ['mean', 'p50', 'p95', 'p99', 'max'],
  },
  definitions: { ...request, tpot_ms: 'without_first_token', itl_ms: 'per_token' },
};

const guidellm: Tool = {
  name: 'guidellm',
  versions: ['0.5.2', '0.4.0', '0.3.1'],
  totals: [...counted, 'requests_failed', 'output_tok_s', 'total_tok_s'],
  latencies: {
    ttft: ['mean', 'p50', 'p95', 'p99', 'sd'],
    tpot: ['mean', 'p50', 'p95', 'p99', 'sd'],
    e2e: ['mean', 'p50', 'p95', 'p99', 'sd'],
  },
  definitions: { ...request, tpot_ms: 'without_first_token' },
};

/** It includes the first token, so its time per token is a different metric than the others'. */
const llmperf: Tool = {
  name: 'llmperf',
  versions: [null],
  totals: ['requests_ok', 'requests_failed', 'req_s', 'output_tok_s'],
  latencies: {
    ttft: ['mean', 'p50', 'p90', 'p95', 'p99', 'min', 'max', 'sd'],
    tpot: ['mean', 'p50', 'p90', 'p95', 'p99', 'min', 'max', 'sd'],
    e2e: ['mean', 'p50', 'p90', 'p95', 'p99', 'min', 'max', 'sd'],
  },
  definitions: { ...request, tpot_ms: 'with_first_token' },
};

export const drawTool = weighted<Tool>([
  [vllm, 55],
  [sglang, 24],
  [guidellm, 18],
  [llmperf, 3],
]);

/** Quantiles and extremes of a right-skewed distribution, in standard deviations from its mean. */
const places: Record<Exclude<Statistic, 'sd'>, number> = {
  mean: 0,
  p50: -0.15,
  p90: 1.2,
  p95: 1.7,
  p99: 2.6,
  min: -1.5,
  max: 3.8,
};

function totalOf(run: Run, total: Total | Rate): number {
  const { durationS, inputTokens, outputTokens } = run;
  switch (total) {
    case 'duration_s':
      return durationS;
    case 'requests_ok':
      return run.requests;
    case 'requests_failed':
      return 0;
    case 'input_tokens':
      return inputTokens;
    case 'output_tokens':
      return outputTokens;
    case 'req_s':
      return run.reqS;
    case 'input_tok_s':
      return inputTokens / durationS;
    case 'output_tok_s':
      return outputTokens / durationS;
    case 'total_tok_s':
      return (inputTokens + outputTokens) / durationS;
    case 'user_tok_s':
      return 1000 / run.tpot.mean;
  }
}

/** One metric of a tool, and how it is computed from a run. */
type Figure = readonly [name: MetricName, of: (run: Run) => number];

const toFigure =
  (base: Latency, of: (run: Run) => Spread) =>
  (statistic: Statistic): Figure => {
    const name: MetricName = `${base}_ms_${statistic}`;
    if (statistic === 'sd') return [name, (run) => of(run).sd];
    const place = places[statistic];
    return [
      name,
      (run) => {
        const { mean, sd } = of(run);
        return mean + place * sd;
      },
    ];
  };

/** The metrics that a user's runs with a tool report: all, or a chosen subset. */
export interface Style {
  tool: Tool;
  version: string | null;
  figures: readonly Figure[];
  definitions: Definitions;
}

/** Fraction of users who omit one of the latencies, or all higher percentiles. */
const terse = 0.12;

export function drawStyle(tool: Tool, random: Random): Style {
  const latencies = Object.entries(tool.latencies) as [Latency, readonly Statistic[]][];
  const isTerse = random.chance(terse);
  const leftOut = isTerse ? random.whole(1, 2 * latencies.length) : 0;
  const kept = latencies.filter((_, place) => place === 0 || place !== leftOut);
  const withTail = leftOut < latencies.length;
  const figures = kept.flatMap(([base, statistics]) => {
    const spread = (run: Run): Spread =>
      base === 'tpot' && tool.definitions.tpot_ms === 'with_first_token' ? overAllTokens(run) : run[base];
    return statistics.filter((statistic) => withTail || !/^p9/.test(statistic)).map(toFigure(base, spread));
  });
  const bases = new Set(kept.map(([base]) => `${base}_ms`));
  return {
    tool,
    version: random.pick(tool.versions),
    figures: [...tool.totals.map((total): Figure => [total, (run) => totalOf(run, total)]), ...figures],
    definitions: Object.fromEntries(Object.entries(tool.definitions).filter(([base]) => bases.has(base))),
  };
}

const overAllTokens = (run: Run): Spread => {
  const tokens = run.outputTokens / run.requests;
  return { mean: run.e2e.mean / tokens, sd: run.e2e.sd / tokens };
};

/** The figures of a run as a tool reports them. */
export function metricsOf(run: Run, figures: readonly Figure[]): Metrics {
  const metrics: Metrics = {};
  for (const [name, of] of figures) metrics[name] = of(run);
  return metrics;
}
