import type { MetricName } from '../../metrics/index.ts';
import type { Fact } from '../adapter.ts';
import { inside, namedModel, noContext, type PerfContext, severalModels, textsOf, toLimits } from '../aiperf/result.ts';
import { isObject, type JsonObject } from '../reading/documents/json-records.ts';
import { toServingLoad } from '../vllm/serving.ts';

const positive = (value: unknown) => {
  const number = Array.isArray(value) ? value[0] : value;
  return typeof number === 'number' && Number.isFinite(number) && number > 0 ? number : null;
};

/** Triton backends that are engines. For others, the field holds a default that no user chose. */
function engineOf(config: JsonObject): Fact<string> | null {
  const endpoint = inside(config, 'endpoint');
  const service = config.service_kind ?? endpoint.service_kind;
  const backend = String(config.backend ?? endpoint.backend ?? '')
    .toLowerCase()
    .replace(/^outputformat\./, '');
  const engine = service !== 'triton' ? null : /^(?:tensorrt_?llm|trtllm)$/.test(backend) ? 'tensorrt-llm' : backend;
  return engine === 'tensorrt-llm' || engine === 'vllm' ? { value: engine, origin: 'inferred' } : null;
}

/** Sum of the mean over time of each GPU. Some of the GPUs may have been idle. */
function telemetryOf(report: JsonObject): Record<string, number> {
  const stats = inside(report, 'telemetry_stats');
  const sumOf = (name: string) => {
    const gpus = Object.values(inside(stats, name)).flatMap((gpu) => (isObject(gpu) ? (positive(gpu.avg) ?? []) : []));
    return inside(stats, name).unit === 'W' && gpus.length > 0 ? { sum: gpus.reduce((a, b) => a + b, 0), gpus } : null;
  };
  const power = sumOf('gpu_power_usage');
  const limit = sumOf('gpu_power_limit');
  const first = limit?.gpus[0];
  const isOne = first !== undefined && limit?.gpus.every((other) => other === first) === true;
  return {
    ...(power === null ? {} : { telemetry_power_w: power.sum, telemetry_gpus: power.gpus.length }),
    ...(isOne ? { gpu_power_limit_w: first } : {}),
  };
}

/** Facts of a report outside its figures: flat in 2024, nested from 2025. */
export function toGenaiContext(report: JsonObject, metrics: ReadonlyMap<MetricName, number>): PerfContext {
  const config = inside(report, 'input_config');
  const models = textsOf(config.model_names ?? inside(config, 'endpoint').model_names ?? config.model);
  const analyzer = inside(config, 'perf_analyzer');
  const stimulus = inside(analyzer, 'stimulus');
  const rate = positive(stimulus.request_rate) ?? positive(config.request_rate);
  const cap = positive(stimulus.concurrency) ?? positive(config.concurrency) ?? undefined;
  const measured = inside(analyzer, 'measurement');
  const sent = positive(config.request_count) ?? (measured.mode === 'request_count' ? positive(measured.num) : null);
  // Requests at a rate are sent at even intervals.
  const { load, notes } = toServingLoad(
    { rate, cap: rate === null ? cap : null, burstiness: null, sent: sent ?? 0 },
    metrics,
  );
  return {
    ...noContext(),
    system: { ...noContext().system, ...namedModel(models, 'stated'), engine: engineOf(config) },
    load,
    limits: toLimits(config.goodput, inside(config, 'input').goodput),
    extra: { ...telemetryOf(report), ...(rate === null ? {} : { arrivals: 'evenly spaced' }) },
    notes: [...notes, ...severalModels(models)],
  };
}
