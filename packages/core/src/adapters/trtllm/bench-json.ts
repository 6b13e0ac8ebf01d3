import { z } from 'zod';
import type { MetricName } from '../../metrics/index.ts';
import { ArtifactError } from '../errors.ts';
import { toPlainText } from '../plain-facts.ts';
import { hasAll, type JsonObject, type JsonRecord, type Likeness } from '../reading/documents/json-records.ts';
import { toFaults } from '../reading/documents/zod-faults.ts';
import { latencyName } from '../reading/figures/latency-name.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';
import { backendOf, type TrtllmReport, wordOrNull } from './report.ts';

const figure = z
  .preprocess(
    (value) => (typeof value === 'number' && !Number.isFinite(value) ? null : value),
    z.number().nonnegative().nullable(),
  )
  .optional();
const width = z.number().int().positive().nullable().optional();
const word = z.string().max(500).transform(toPlainText).nullable().optional();
const percentiles = z
  .looseObject({
    p50: figure,
    p90: figure,
    p95: figure,
    p99: figure,
    minimum: figure,
    maximum: figure,
    average: figure,
  })
  .nullable()
  .optional();
const lengths = z.looseObject({ minimum: figure, maximum: figure }).nullable().optional();

const ReportSchema = z.looseObject({
  engine: z.looseObject({
    model: word,
    version: word,
    backend: word,
    dtype: word,
    kv_cache_dtype: word,
    quantization: word,
  }),
  machine: z.looseObject({ name: word }).nullable().optional(),
  world_info: z.looseObject({
    tp_size: width,
    pp_size: width,
    ep_size: width,
    world_size: width,
    max_batch_size: figure,
    max_num_tokens: figure,
    scheduling_policy: word,
  }),
  request_info: z.looseObject({
    num_requests: z.number().int().nonnegative(),
    avg_num_concurrent_requests: figure,
    avg_input_length: figure,
    avg_output_length: figure,
  }),
  performance: z.looseObject({
    total_latency_ms: figure,
    avg_request_latency_ms: figure,
    request_throughput_req_s: figure,
    system_output_throughput_tok_s: figure,
    system_total_throughput_tok_s: figure,
    output_throughput_per_user_tok_s: figure,
    output_throughput_per_gpu_tok_s: figure,
    request_latency_percentiles_ms: percentiles,
  }),
  streaming_metrics: z
    .looseObject({
      token_output_speed_tok_s: figure,
      avg_ttft_ms: figure,
      avg_tpot_ms: figure,
      ttft_percentiles: percentiles,
      tpot_percentiles: percentiles,
      gen_tps_percentiles: percentiles,
    })
    .nullable()
    .optional(),
  decoding_stats: z
    .looseObject({
      mode: word,
      acceptance_length_percentiles: percentiles,
      draft_acceptance_rate_percentiles: percentiles,
    })
    .nullable()
    .optional(),
  dataset: z.looseObject({ isl_stats: lengths, osl_stats: lengths }).nullable().optional(),
});
type Report = z.infer<typeof ReportSchema>;
type Percentiles = z.infer<typeof percentiles>;

/** Whether an object is a report of trtllm-bench. */
export function reportLikeness(value: JsonObject): Likeness {
  return hasAll(value, ['engine', 'world_info', 'request_info', 'performance']) ? 'whole' : null;
}

/** Statistics of a percentile object by our names; `average` is the mean. */
export const statisticOf: Record<string, string> = {
  p50: 'median',
  p90: 'p90',
  p95: 'p95',
  p99: 'p99',
  minimum: 'min',
  maximum: 'max',
  average: 'mean',
};

type Figures = Pick<TrtllmReport, 'metrics' | 'extra'>;

/** Stores a figure. Zero means not measured. */
export function putFigure({ metrics, extra }: Figures, family: string, word: string, value: number | null | undefined) {
  if (value == null || value <= 0) return;
  const target = latencyName(family, word);
  if (target.kind === 'metric') metrics.set(target.name, value);
  else extra[target.name] = value;
}

function putPercentiles(figures: Figures, family: string, found: Percentiles): void {
  for (const [key, word] of Object.entries(statisticOf)) {
    const value = found?.[key];
    putFigure(figures, family, word, typeof value === 'number' ? value : null);
  }
}

function readFigures({
  performance,
  streaming_metrics: streaming,
  decoding_stats: decoding,
  world_info,
}: Report): Figures {
  const figures: Figures = { metrics: new Map(), extra: {} };
  const put = (name: MetricName, value: number | null | undefined) => {
    if (value != null && value > 0) figures.metrics.set(name, value);
  };
  const totalMs = performance.total_latency_ms;
  put('duration_s', totalMs == null ? null : shiftDecimal(totalMs, -3));
  put('req_s', performance.request_throughput_req_s);
  put('output_tok_s', performance.system_output_throughput_tok_s);
  put('total_tok_s', performance.system_total_throughput_tok_s);
  putPercentiles(figures, 'e2e_ms', performance.request_latency_percentiles_ms);
  put('e2e_ms_mean', performance.avg_request_latency_ms);
  putPercentiles(figures, 'ttft_ms', streaming?.ttft_percentiles);
  putPercentiles(figures, 'tpot_ms', streaming?.tpot_percentiles);
  put('ttft_ms_mean', streaming?.avg_ttft_ms);
  put('tpot_ms_mean', streaming?.avg_tpot_ms);
  put('user_tok_s', streaming?.token_output_speed_tok_s);
  const extras: Record<string, unknown> = {
    output_tok_s_per_user_with_prefill: performance.output_throughput_per_user_tok_s,
    output_tok_s_per_gpu: performance.output_throughput_per_gpu_tok_s,
    user_tok_s_p50: streaming?.gen_tps_percentiles?.p50,
    user_tok_s_p99: streaming?.gen_tps_percentiles?.p99,
    acceptance_length: decoding?.acceptance_length_percentiles?.average,
    draft_acceptance_rate: decoding?.draft_acceptance_rate_percentiles?.average,
    max_batch_size: world_info.max_batch_size,
    max_num_tokens: world_info.max_num_tokens,
  };
  for (const [name, value] of Object.entries(extras)) if (typeof value === 'number') figures.extra[name] = value;
  if (world_info.scheduling_policy != null) figures.extra.scheduling_policy = world_info.scheduling_policy;
  return figures;
}

/** Names in the value that the schema does not have, two levels deep: `world_info.issue_rate`. */
function unusedNames(value: JsonObject): string[] {
  const shape: Record<string, { shape?: object } | undefined> = {};
  for (const [name, schema] of Object.entries(ReportSchema.shape)) {
    let inner: unknown = schema;
    while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) inner = inner.unwrap();
    shape[name] = inner instanceof z.ZodObject ? inner : undefined;
  }
  return Object.entries(value).flatMap(([name, inner]) => {
    if (!Object.hasOwn(shape, name)) return [name];
    const known = shape[name]?.shape ?? {};
    return typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.keys(inner).flatMap((key) => (Object.hasOwn(known, key) ? [] : [`${name}.${key}`]))
      : [];
  });
}

const isFixed = (found: z.infer<typeof lengths>) =>
  found?.minimum == null || found.maximum == null || found.minimum === found.maximum;

/** Reads one report. Throws `ArtifactError` with all its errors. */
export function readJsonReport({ value, from, to }: JsonRecord): { report: TrtllmReport; ignored: string[] } {
  const parsed = ReportSchema.safeParse(value);
  if (!parsed.success) throw new ArtifactError(toFaults(parsed.error, from));
  const { engine, machine, world_info: world, request_info: sent, decoding_stats: decoding, dataset } = parsed.data;
  const report: TrtllmReport = {
    from,
    to,
    isClosed: true,
    ...readFigures(parsed.data),
    model: wordOrNull(engine.model),
    version: wordOrNull(engine.version),
    backend: backendOf(engine.backend),
    dtype: wordOrNull(engine.dtype),
    kvCacheDtype: wordOrNull(engine.kv_cache_dtype),
    quantization: wordOrNull(engine.quantization),
    gpu: wordOrNull(machine?.name),
    tensor: world.tp_size ?? null,
    pipeline: world.pp_size ?? null,
    expert: world.ep_size ?? null,
    gpuCount: world.world_size ?? null,
    requests: sent.num_requests,
    inFlight: sent.avg_num_concurrent_requests ?? null,
    inputTokens: sent.avg_input_length ?? null,
    outputTokens: sent.avg_output_length ?? null,
    isFixedInput: isFixed(dataset?.isl_stats),
    isFixedOutput: isFixed(dataset?.osl_stats),
    rounding: 0,
    speculation: wordOrNull(decoding?.mode),
    isSpeculative: decoding != null,
    concurrency: null,
    isSequential: false,
  };
  return { report, ignored: unusedNames(value) };
}
