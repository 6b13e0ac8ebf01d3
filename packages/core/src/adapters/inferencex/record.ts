import type { MetricName } from '../../metrics/index.ts';
import { noResult, noScenario, type ParsedResult } from '../adapter.ts';
import { ArtifactError } from '../errors.ts';
import type { JsonObject } from '../reading/documents/json-records.ts';
import {
  addLatency,
  addMetric,
  definitionsOf,
  noFigures,
  type ReportFigures,
  readFigure,
  totalOf,
} from '../reading/figures/report-figures.ts';
import { loadUnknown } from '../vllm/serving.ts';
import { countGpus, type GpuCounts, textOf, toInferencexSystem, wholeOf } from './system.ts';

/** Facts that are read from a record. */
const facts = new Set([
  'hw',
  'conc',
  'users',
  'image',
  'model',
  'framework',
  'precision',
  'spec_decoding',
  'disagg',
  'isl',
  'osl',
  'is_multinode',
  'tp',
  'pp',
  'ep',
  'pcp_size',
  'dp_attention',
  'scenario_type',
  'offload_mode',
  'prefill_hw',
  'decode_hw',
  'prefill_tp',
  'decode_tp',
  'prefill_pp',
  'decode_pp',
  'prefill_ep',
  'decode_ep',
  'prefill_num_workers',
  'decode_num_workers',
  'prefill_dp_attention',
  'decode_dp_attention',
  'num_prefill_gpu',
  'num_decode_gpu',
  'tput_per_gpu',
  'output_tput_per_gpu',
  'input_tput_per_gpu',
  'input_tput_tps',
  'output_tput_tps',
  'total_tput_tps',
  'duration_seconds',
  'num_requests_total',
  'num_requests_successful',
  'mean_input_tokens',
  'mean_output_tokens_actual',
  'server_gpu_cache_hit_rate',
  'theoretical_cache_hit_rate',
]);

const latency = /^(mean|median|std|p\d{1,2}(?:\.\d{1,2})?)_(ttft|tpot|itl|e2el|ttlt)$/;
const families = { ttft: 'ttft_ms', tpot: 'tpot_ms', itl: 'itl_ms', e2el: 'e2e_ms', ttlt: 'e2e_ms' } as const;

/** The statistics of all latencies, collected from their keys. All times are in seconds. */
function addLatencies(figures: ReportFigures, fields: JsonObject): void {
  const gathered = new Map<keyof typeof families, JsonObject>();
  for (const [key, value] of Object.entries(fields)) {
    if (facts.has(key)) continue;
    const found = latency.exec(key);
    const family = found?.[2] as keyof typeof families | undefined; // the pattern has no other values
    if (found === null || family === undefined) {
      figures.ignored.add(key);
      continue;
    }
    const statistics = gathered.get(family) ?? {};
    statistics[found[1] ?? ''] = value;
    gathered.set(family, statistics);
  }
  for (const [family, statistics] of gathered)
    addLatency(figures, families[family], statistics, { pointer: `/*_${family}`, places: 3 });
}

/**
 * Total rates from per-GPU rates. In a disaggregated system each rate divides by its own GPUs, output by the decode GPUs.
 * Output per GPU is therefore not comparable with other systems.
 */
function addRates(figures: ReportFigures, fields: JsonObject, { all, prefill, decode }: GpuCounts): void {
  const perGpu = (key: string) => readFigure(figures, fields[key], `/${key}`);
  const add = (name: MetricName, rate: number | null, gpus: number | null) => {
    if (rate !== null && rate > 0 && gpus !== null) figures.metrics.set(name, rate * gpus);
  };
  const output = perGpu('output_tput_per_gpu');
  const isSplit = prefill !== null && decode !== null;
  add('output_tok_s', output, isSplit ? decode : all);
  add('input_tok_s', perGpu('input_tput_per_gpu'), isSplit ? prefill : all);
  add('total_tok_s', perGpu('tput_per_gpu'), all);
  if (output === null || output === 0) return;
  if (isSplit) figures.extra.output_tok_s_per_decode_gpu = output;
  else figures.metrics.set('output_tok_s_per_gpu', output);
}

/** Figures of an agentic run: completed requests and total rates. */
function addSessions(figures: ReportFigures, fields: JsonObject): void {
  const ok = addMetric(figures, 'requests_ok', fields.num_requests_successful, '/num_requests_successful');
  const all = readFigure(figures, fields.num_requests_total, '/num_requests_total');
  if (all !== null && ok !== null && all >= ok) figures.metrics.set('requests_failed', all - ok);
  const seconds = readFigure(figures, fields.duration_seconds, '/duration_seconds');
  if (seconds !== null && seconds > 0) {
    figures.metrics.set('duration_s', seconds);
    if (ok !== null && ok > 0) figures.metrics.set('req_s', ok / seconds);
  }
  for (const [key, name] of [
    ['input_tput_tps', 'input_tok_s'],
    ['output_tput_tps', 'output_tok_s'],
    ['total_tput_tps', 'total_tok_s'],
  ] as const)
    addMetric(figures, name, fields[key], `/${key}`);
  const [input, output] = (['mean_input_tokens', 'mean_output_tokens_actual'] as const).map((key) =>
    readFigure(figures, fields[key], `/${key}`),
  );
  const totals = [totalOf(input ?? null, ok), totalOf(output ?? null, ok)] as const;
  if (totals[0] !== null) figures.metrics.set('input_tokens', totals[0]);
  if (totals[1] !== null) figures.metrics.set('output_tokens', totals[1]);
  for (const key of ['server_gpu_cache_hit_rate', 'theoretical_cache_hit_rate']) {
    const rate = readFigure(figures, fields[key], `/${key}`);
    if (rate !== null) figures.extra[key] = rate;
  }
}

/** True for a run of agentic conversations, whose requests have no common length. */
const isAgentic = (fields: JsonObject) => Object.hasOwn(fields, 'users') || Object.hasOwn(fields, 'scenario_type');

/** Reads an aggregate. Throws `ArtifactError` with all errors. `lines` are 1-based and inclusive. */
export function readInferencexRecord(
  fields: JsonObject,
  lines: ParsedResult['lines'],
): { result: ParsedResult; ignored: Set<string> } {
  const figures = noFigures(lines.from);
  const counts = countGpus(fields);
  const agentic = isAgentic(fields);
  addLatencies(figures, fields);
  addRates(figures, fields, counts);
  if (agentic) addSessions(figures, fields);
  // Conversations count as users; some sweeps use the common field for them.
  const counted = Object.hasOwn(fields, 'users') ? 'users' : 'conc';
  const level = wholeOf(fields, counted);
  if (level === null && fields[counted] != null) {
    const pointer = `/${counted}`;
    const message = `${pointer} must be a whole number above 0.`;
    figures.faults.push({ code: 'value_invalid', line: lines.from, pointer, message });
  }
  if (figures.faults.length === 0 && (figures.metrics.size === 0 || figures.metrics.get('requests_ok') === 0)) {
    const message = `The record on line ${lines.from} has no rate and no latency: nothing was measured.`;
    figures.faults.push({ code: 'nothing_measured', line: lines.from, message });
  }
  if (figures.faults.length > 0) throw new ArtifactError(figures.faults);
  const system = toInferencexSystem(fields, counts);
  const hasCache = (figures.extra.server_gpu_cache_hit_rate ?? 0) > 0;
  const stated = (value: number | null) => (value === null ? null : { value, origin: 'stated' as const });
  const kind = textOf(fields, 'scenario_type');
  const result: ParsedResult = {
    ...noResult,
    system: hasCache ? { ...system, features: { ...system.features, prefix_caching: true } } : system,
    scenario: {
      ...noScenario,
      inputTokens: agentic ? null : stated(wholeOf(fields, 'isl')),
      outputTokens: agentic ? null : stated(wholeOf(fields, 'osl')),
      dataset: agentic && kind !== null ? { value: kind, origin: 'stated' } : null,
    },
    load: level === null ? null : { mode: 'concurrency', level },
    metrics: Object.fromEntries(figures.metrics),
    definitions: definitionsOf(figures.metrics, {
      ttft_ms: 'send_to_first_token',
      tpot_ms: 'without_first_token',
      // Those of conversations are means per request.
      itl_ms: agentic ? 'not_stated' : 'per_chunk',
      e2e_ms: 'request',
    }),
    extra: figures.extra,
    notes: level === null ? [loadUnknown({}, 'The record does not state how many requests were in flight.')] : [],
    lines,
  };
  return { result, ignored: figures.ignored };
}
