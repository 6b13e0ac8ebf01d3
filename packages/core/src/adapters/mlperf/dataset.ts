import type { Fact, ParsedResult } from '../adapter.ts';

/** Number of samples in the data set of each benchmark whose number is unique. */
export const mlperfDatasets: Readonly<Record<number, string>> = {
  24576: 'mlperf-llama2-70b',
  15000: 'mlperf-mixtral-8x7b',
  8313: 'mlperf-llama3.1-405b',
  4388: 'mlperf-deepseek-r1',
};

/** Limits of p99 TTFT and TPOT in ms for a benchmark's Interactive scenario. Its log has Server. */
const interactive: Record<string, { ttft: number; tpot: number }> = {
  'mlperf-llama2-70b': { ttft: 450, tpot: 40 },
  'mlperf-llama3.1-405b': { ttft: 4500, tpot: 80 },
  'mlperf-deepseek-r1': { ttft: 1500, tpot: 15 },
};

/**
 * A summary does not name its benchmark; the number of its samples identifies it. Server and Interactive have the same data
 * and different limits, so they are two workloads.
 */
export function inferMlperfDataset(extra: ParsedResult['extra']): Fact<string> | null {
  const dataset = mlperfDatasets[Number(extra.performance_sample_count)];
  if (dataset === undefined) return null;
  const limits = interactive[dataset];
  const isInteractive =
    extra.mlperf_scenario !== 'Offline' &&
    limits !== undefined &&
    extra.limit_ttft_ms === limits.ttft &&
    extra.limit_tpot_ms === limits.tpot;
  return { value: isInteractive ? `${dataset}-interactive` : dataset, origin: 'inferred' };
}

/** Benchmarks by their names in a results table, without the version of the model's weights. */
const benchmarks = [
  'llama2-70b',
  'llama3.1-8b',
  'llama3.1-405b',
  'mixtral-8x7b',
  'deepseek-r1',
  'gpt-oss-120b',
  'gptj',
] as const;
const datasetOf: Partial<Record<string, string>> = { 'gpt-oss-120b': 'mlperf-gpt-oss' };

/**
 * The workload of an entry of a results table. Benchmarks with 99.9 % of the reference accuracy, and those of the edge
 * suite, which has fewer samples, are separate benchmarks. Null if the table names no known benchmark.
 */
export function mlperfDataset(benchmark: string, scenario: string): string | null {
  const name = benchmarks.find((one) => benchmark === one || benchmark.startsWith(`${one}-`));
  if (name === undefined) return null;
  const rest = benchmark.slice(name.length);
  if (!/^(?:|-99|-99\.9|-edge)$/.test(rest)) return null;
  const base = `${datasetOf[name] ?? `mlperf-${name}`}${rest === '-99' ? '' : rest}`;
  return scenario === 'Interactive' ? `${base}-interactive` : base;
}
