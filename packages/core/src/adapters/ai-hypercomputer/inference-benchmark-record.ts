import type { KnownLoad } from '../../subjects/load.ts';
import { noFacts, noResult, noScenario, type ParsedResult, type ReaderNote, type SystemFacts } from '../adapter.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import { type JsonObject, type JsonRecord, objectOf } from '../reading/documents/json-records.ts';
import { measuredLengths } from '../reading/figures/measured-lengths.ts';
import {
  addLatency,
  addMetric,
  definitionsOf,
  noFigures,
  type ReportFigures,
  readFigure,
} from '../reading/figures/report-figures.ts';

type Family = 'ttft_ms' | 'tpot_ms' | 'itl_ms' | 'e2e_ms';

/**
 * Latency names that follow the name of a statistic. Since 2025-04 all are in ms and their names say so. Earlier, request
 * latency was in ms and token times were in seconds.
 */
const latencies: [name: string, family: Family, places: 0 | 3][] = [
  ['TTFT_ms', 'ttft_ms', 0],
  ['TPOT_ms', 'tpot_ms', 0],
  ['ITL_ms', 'itl_ms', 0],
  ['latency_ms', 'e2e_ms', 0],
  ['TTFT', 'ttft_ms', 3],
  ['TPOT', 'tpot_ms', 3],
  ['ITL', 'itl_ms', 3],
  ['latency', 'e2e_ms', 0],
];
const words = { avg: 'mean', median: 'median', sd: 'std', min: 'min', max: 'max', p90: 'p90', p99: 'p99' };

const statistic = /^(?:avg|median|sd|min|max|p90|p99)_/;

const totals = [
  ['total_input_tokens', 'input_tokens'],
  ['total_output_token', 'output_tokens'],
  ['input_tokens_per_sec', 'input_tok_s'],
  ['throughput', 'output_tok_s'],
  ['tokens_per_sec', 'total_tok_s'],
] as const;
const errors = [
  ...['ClientConnectorError', 'TimeoutError', 'ContentTypeError', 'ClientOSError', 'ServerDisconnectedError'],
  'unknown_error',
];
const known = new Set<string>([
  ...['num_prompts_attempted', 'num_prompts_succeeded', 'request_rate', 'benchmark_time', 'throughput_rps'],
  ...['total_tokens', 'avg_input_len', 'avg_output_len', ...errors],
  ...totals.map(([name]) => name),
  ...latencies.flatMap(([name]) => Object.keys(words).map((word) => `${word}_${name}`)),
]);

const engines: Record<string, string> = {
  vllm: 'vllm',
  tgi: 'tgi',
  jetstream: 'jetstream',
  tensorrt_llm_triton: 'tensorrt-llm',
  naive_transformers: 'transformers',
};

const textOf = (value: JsonValue | undefined) =>
  typeof value === 'string' && value !== '' && value.length <= 300 ? value : null;

/** Whether the model is a placeholder, so that the file covers several models or all requests of a run. */
const isOfAll = (model: string | null) => model === null || model === 'weighted' || /^ALL-\d{1,6}-MODELS$/.test(model);

/** One parsed file. Its errors are in `faults` of its figures. */
export interface BenchmarkRecord {
  figures: ReportFigures;
  result: ParsedResult;
}

/** A run writes one file for all its requests and one for each model. Files of the same run share this key. */
export function runOf({ value }: JsonRecord): string {
  const { start_time: start } = objectOf(value.config);
  return JSON.stringify([
    objectOf(start).seconds ?? null,
    objectOf(start).nanos ?? null,
    objectOf(value.metrics).request_rate ?? null,
  ]);
}

/** Whether a file covers all requests of a run with a single model. The same figures are then in the file of that model. */
export function isPooled({ value }: JsonRecord): boolean {
  return isOfAll(textOf(objectOf(value.dimensions).model_id)) && modelsOf(value) === 1;
}

function modelsOf(value: JsonObject): number | null {
  const { num_models: models } = objectOf(value.config);
  return typeof models === 'number' && models >= 1 ? models : null;
}

function toSystem(value: JsonObject): SystemFacts {
  const { model_id, tokenizer_id, backend } = objectOf(value.dimensions);
  const model = textOf(model_id);
  const tokenizer = modelsOf(value) === 1 ? textOf(tokenizer_id) : null;
  const engine = engines[textOf(backend) ?? ''];
  return {
    ...noFacts,
    ...(isOfAll(model) ? modelFacts(tokenizer, 'inferred') : modelFacts(model, 'stated')),
    // The request protocol. Other engines support it as well.
    engine: engine === undefined ? null : { value: engine, origin: 'inferred' },
  };
}

/** Requests arrive at random times, or all at once if the rate is infinite. */
function toLoad(rate: JsonValue | undefined, attempted: number | null): KnownLoad | null {
  if (typeof rate !== 'number' || rate <= 0) return null;
  if (Number.isFinite(rate)) return { mode: 'rate', level: rate, burstiness: 1 };
  return attempted === null || attempted === 0 ? null : { mode: 'burst', level: attempted };
}

function toInstant(value: JsonObject): string | null {
  const { seconds } = objectOf(objectOf(value.config).start_time);
  return typeof seconds === 'number' && seconds > 1e9 && seconds < 4e9
    ? new Date(Math.floor(seconds) * 1000).toISOString()
    : null;
}

/** The keys of each latency, with our names for their statistics. */
const keysOf = latencies.map(([name, family, places]) => ({
  family,
  places,
  keys: Object.fromEntries(Object.entries(words).map(([word, statistic]) => [`${word}_${name}`, statistic])),
}));

function addLatencies(figures: ReportFigures, metrics: JsonObject): void {
  for (const { family, places, keys } of keysOf) {
    const statistics: JsonObject = {};
    for (const key of Object.keys(keys)) if (Object.hasOwn(metrics, key)) statistics[key] = metrics[key] ?? null;
    addLatency(figures, family, statistics, { pointer: '/metrics', places, words: keys });
  }
}

interface Counts {
  attempted: number | null;
  ok: number | null;
}

function addCounts(figures: ReportFigures, metrics: JsonObject): Counts {
  const at = (name: string) => `/metrics/${name}`;
  const attempted = readFigure(figures, metrics.num_prompts_attempted, at('num_prompts_attempted'));
  const ok = addMetric(figures, 'requests_ok', metrics.num_prompts_succeeded, at('num_prompts_succeeded'));
  const counted = errors.reduce((sum, name) => sum + (readFigure(figures, metrics[name], at(name)) ?? 0), 0);
  // The file of one model counts only successful requests as attempted, and lists its errors separately.
  const lost = attempted === null || ok === null ? 0 : attempted - ok;
  if (ok !== null) figures.metrics.set('requests_failed', lost > 0 ? lost : counted);
  const seconds = readFigure(figures, metrics.benchmark_time, at('benchmark_time'));
  if (seconds !== null && seconds > 0) figures.metrics.set('duration_s', seconds);
  const rate = readFigure(figures, metrics.throughput_rps, at('throughput_rps'));
  // Counts the requests to send for all models, answered or not.
  const isOfAnswers = rate !== null && seconds !== null && ok !== null && Math.abs(rate * seconds - ok) < 0.5;
  if (isOfAnswers) figures.metrics.set('req_s', rate);
  if (ok === 0) {
    const message = `0 of ${attempted ?? 0} requests succeeded: nothing was measured.`;
    figures.faults.push({ code: 'nothing_measured', line: figures.line, message });
  }
  return { attempted, ok };
}

function toNotes(load: KnownLoad | null, models: number | null): ReaderNote[] {
  const notes: ReaderNote[] = [];
  const addNote = (code: string, message: string) => notes.push({ code, severity: 'warning', message, evidence: {} });
  if (models !== null && models > 1)
    addNote('models_mixed', `The requests were distributed among ${models} models, which answered at the same time.`);
  else if (load === null) addNote('load_unknown', 'The artifact does not state how the requests were sent.');
  return notes;
}

/** Reads one file of results. */
export function readBenchmarkRecord({ value, from, to }: JsonRecord): BenchmarkRecord {
  const figures = noFigures(from);
  const metrics = objectOf(value.metrics);
  const models = modelsOf(value);
  // All seven statistics of a quantity share one name.
  for (const name of Object.keys(metrics)) if (!known.has(name)) figures.ignored.add(name.replace(statistic, ''));
  for (const name of Object.keys(objectOf(value.dimensions)))
    if (!['date', 'backend', 'model_id', 'tokenizer_id'].includes(name)) figures.ignored.add(`dimensions.${name}`);
  const { attempted } = addCounts(figures, metrics);
  for (const [name, metric] of totals) addMetric(figures, metric, metrics[name], `/metrics/${name}`);
  addLatencies(figures, metrics);
  const mean = (name: string) => readFigure(figures, metrics[name], `/metrics/${name}`);
  // The rate covers all models together.
  const load = models !== null && models > 1 ? null : toLoad(metrics.request_rate, attempted);
  return {
    figures,
    result: {
      ...noResult,
      system: toSystem(value),
      scenario: { ...noScenario, ...measuredLengths(mean('avg_input_len'), mean('avg_output_len')) },
      load,
      metrics: Object.fromEntries(figures.metrics),
      definitions: definitionsOf(figures.metrics, {
        ttft_ms: 'send_to_first_token',
        tpot_ms: 'without_first_token',
        itl_ms: 'per_chunk',
        e2e_ms: 'request',
      }),
      extra: figures.extra,
      notes: toNotes(load, models),
      measuredAt: toInstant(value),
      lines: { from, to },
    },
  };
}
