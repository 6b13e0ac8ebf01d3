import { z } from 'zod';
import { isObject, type JsonRecord, recordFinder } from '../reading/documents/json-records.ts';
import { parseAt } from '../reading/documents/zod-faults.ts';
import { type BenchyPoint, type BenchyRun, type BenchyStats, benchyNames } from './point.ts';

const missing = (value: unknown) => (typeof value === 'number' && !Number.isFinite(value) ? null : value);
const figure = z.preprocess(missing, z.number().nonnegative().nullable());
const stat = z
  .looseObject({ mean: figure, std: figure.nullish(), values: z.array(figure).max(100_000).nullish() })
  .nullish();
const tokens = z.number().int().nonnegative().max(1e9);

const BenchmarkSchema = z.looseObject({
  concurrency: z.number().int().positive(),
  context_size: tokens,
  prompt_size: tokens,
  response_size: tokens,
  is_context_prefill_phase: z.boolean(),
  pp_throughput: stat,
  pp_req_throughput: stat,
  tg_throughput: stat,
  tg_req_throughput: stat,
  peak_throughput: stat,
  peak_req_throughput: stat,
  ttfr: stat,
  est_ppt: stat,
  e2e_ttft: stat,
});
type Benchmark = z.infer<typeof BenchmarkSchema>;

const ReportSchema = z.looseObject({
  version: z.string().max(100).nullish(),
  timestamp: z.string().max(100).nullish(),
  latency_mode: z.string().max(100).nullish(),
  latency_ms: figure.nullish(),
  model: z.string().max(500),
  prefix_caching_enabled: z.boolean(),
  max_concurrency: z.number().nullish(),
  benchmarks: z.array(BenchmarkSchema).min(1).max(10_000),
});

const known = new Set(Object.keys(ReportSchema.shape));
const knownOfTest = new Set(Object.keys(BenchmarkSchema.shape));

/** Reports that state how they measured the network latency, with tests of prompt and generation speed. */
export const findBenchyReports = recordFinder((value) => {
  const { benchmarks } = value;
  const isOurs = ['latency_mode', 'prefix_caching_enabled', 'model'].every((key) => Object.hasOwn(value, key));
  if (!isOurs || !Array.isArray(benchmarks)) return null;
  return benchmarks.some((item) => isObject(item) && Object.hasOwn(item, 'pp_throughput')) ? 'whole' : null;
});

function toStats(benchmark: Benchmark): BenchyStats {
  const stats: BenchyStats = {};
  for (const name of benchyNames) {
    const found = benchmark[name];
    if (found == null || found.mean === null) continue;
    const values = found.values?.filter((value) => value !== null) ?? [];
    // If a value is missing, the positions of the others are unknown.
    const isWhole = values.length > 0 && values.length === found.values?.length;
    stats[name] = { mean: found.mean, sd: found.std ?? null, values: isWhole ? values : null };
  }
  return stats;
}

/** `2026-02-07 19:09:00Z` as RFC 3339; null for a time without a time zone. */
function toInstant(text: string | null | undefined): string | null {
  const instant = (text ?? '').replace(' ', 'T');
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(instant) && !Number.isNaN(Date.parse(instant)) ? instant : null;
}

export interface BenchyReport {
  version: string | null;
  run: BenchyRun;
  points: BenchyPoint[];
  ignored: Set<string>;
}

/** Reads a report. Throws `ArtifactError` if it is not in the program's format. */
export function readBenchyReport({ value, from, to }: JsonRecord): BenchyReport {
  const data = parseAt(ReportSchema, value, from);
  const ignored = new Set(Object.keys(data).filter((name) => !known.has(name)));
  ignored.add('max_concurrency');
  const points = data.benchmarks.map((benchmark) => {
    for (const name of Object.keys(benchmark)) if (!knownOfTest.has(name)) ignored.add(name);
    return {
      from,
      to,
      model: data.model,
      concurrency: benchmark.concurrency,
      promptTokens: benchmark.prompt_size,
      responseTokens: benchmark.response_size,
      contextTokens: benchmark.context_size,
      isContextPhase: benchmark.is_context_prefill_phase,
      stats: toStats(benchmark),
    };
  });
  const run = {
    runs: null,
    hasPrefixCaching: data.prefix_caching_enabled,
    latencyMode: data.latency_mode ?? null,
    latencyMs: data.latency_ms ?? null,
    measuredAt: toInstant(data.timestamp),
  };
  return { version: data.version ?? null, run, points, ignored };
}
