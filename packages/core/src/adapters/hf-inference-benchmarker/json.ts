import { z } from 'zod';
import type { Fault } from '../../errors.ts';
import type { KnownLoad } from '../../subjects/load.ts';
import { addFaults } from '../errors.ts';
import { toPlainText } from '../plain-facts.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import { hasAll, isObject, type JsonRecord, recordFinder } from '../reading/documents/json-records.ts';
import { parseAt } from '../reading/documents/zod-faults.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';
import { addLatency, addMetric, noFigures, readFigure } from '../reading/figures/report-figures.ts';
import { type AskedTokens, type HfBenchmark, type HfRun, isWarmup } from './result.ts';

const word = z.string().max(500).transform(toPlainText);
const count = z.number().int().nonnegative();
const tokens = z.looseObject({
  num_tokens: count.nullish(),
  min_tokens: count.nullish(),
  max_tokens: count.nullish(),
  variance: z.number().nullish(),
});

const ReportSchema = z.looseObject({
  config: z.looseObject({
    model_name: word.nullish(),
    tokenizer: word.nullish(),
    profile: word.nullish(),
    prompt_options: tokens.nullish(),
    decode_options: tokens.nullish(),
    meta: z.record(z.string(), word).nullish(),
  }),
  results: z
    .array(
      z.looseObject({
        id: word,
        executor_type: word,
        config: z.looseObject({ max_vus: count.nullish(), rate: z.number().nonnegative().nullish() }),
      }),
    )
    .min(1)
    .max(10_000),
  start_time: z.string().max(100).nullish(),
});

/** Recognises reports by the configuration, the results and the system of a run. */
export const findHfReports = recordFinder((value) => {
  if (!hasAll(value, ['config', 'results', 'system'])) return null;
  const { config, results } = value;
  return isObject(config) && Object.hasOwn(config, 'benchmark_kind') && Array.isArray(results) ? 'whole' : null;
});

const words = { avg: 'mean' };
const latencies = [
  ['time_to_first_token_ms', 'ttft_ms'],
  ['inter_token_latency_ms', 'tpot_ms'],
  ['e2e_latency_ms', 'e2e_ms'],
] as const;
const figures = [
  ['successful_requests', 'requests_ok'],
  ['failed_requests', 'requests_failed'],
  ['token_throughput_secs', 'output_tok_s'],
  ['request_rate', 'req_s'],
  ['total_tokens', 'output_tokens'],
  ['total_tokens_sent', 'input_tokens'],
] as const;
const known = new Set<string>([
  ...['id', 'executor_type', 'config', 'duration_ms', 'total_requests'],
  ...latencies.map(([name]) => name),
  ...figures.map(([name]) => name),
]);
const knownOfRun = new Set(['config', 'results', 'start_time']);
const knownOfConfig = new Set(Object.keys(ReportSchema.shape.config.shape));

function toAsked(options: z.infer<typeof tokens> | null | undefined): AskedTokens | null {
  if (options === null || options === undefined) return null;
  const { num_tokens: asked, min_tokens: least, max_tokens: most, variance } = options;
  const varies = (variance ?? 0) > 0 || (least ?? asked) !== (most ?? asked);
  return { tokens: asked ?? null, varies };
}

function toLoad(type: string, users: number | null, rate: number | null): KnownLoad | null {
  if (type === 'ConstantVUs') return users === null || users === 0 ? null : { mode: 'concurrency', level: users };
  if (type !== 'ConstantArrivalRate' || rate === null || rate === 0) return null;
  return { mode: 'rate', level: rate, maxConcurrency: users };
}

function toInstant(text: string | null | undefined): string | null {
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(text ?? '');
  const time = isTime ? Date.parse(text ?? '') : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

export interface HfReport {
  run: HfRun;
  benchmarks: HfBenchmark[];
  ignored: Set<string>;
}

/** Reads a report and adds unreadable figures to `faults`. Throws `ArtifactError` if it is not a report of this program. */
export function readHfReport({ value, from, to, pointer }: JsonRecord, faults: Fault[]): HfReport {
  const { config, results, start_time } = parseAt(ReportSchema, value, from, pointer === '' ? [] : [pointer.slice(1)]);
  const ignored = new Set<string>();
  for (const name of Object.keys(value)) if (!knownOfRun.has(name)) ignored.add(name);
  for (const name of Object.keys(config)) if (!knownOfConfig.has(name)) ignored.add(`config.${name}`);
  const raw = Array.isArray(value.results) ? value.results : [];
  const benchmarks: HfBenchmark[] = [];
  for (const [index, result] of results.entries()) {
    if (isWarmup(result.id)) continue;
    const found: JsonValue | undefined = raw[index];
    if (!isObject(found)) continue;
    const read = noFigures(from);
    const at = `${pointer}/results/${index}`;
    for (const [name, metric] of figures) addMetric(read, metric, found[name], `${at}/${name}`);
    for (const [name, family] of latencies)
      addLatency(read, family, found[name], { pointer: `${at}/${name}`, places: 0, words });
    const durationMs = readFigure(read, found.duration_ms, `${at}/duration_ms`);
    if (durationMs !== null && durationMs > 0) read.metrics.set('duration_s', shiftDecimal(durationMs, -3));
    const sent = readFigure(read, found.total_requests, `${at}/total_requests`);
    if (sent !== null) read.extra.requests_sent = sent;
    addFaults(faults, read.faults);
    for (const name of read.ignored) ignored.add(name);
    for (const name of Object.keys(found)) if (!known.has(name)) ignored.add(name);
    const load = toLoad(result.executor_type, result.config.max_vus ?? null, result.config.rate ?? null);
    benchmarks.push({ name: result.id, load, figures: read, from, to });
  }
  const run: HfRun = {
    model: config.model_name ?? null,
    tokenizer: config.tokenizer ?? null,
    maxUsers: null,
    prompt: toAsked(config.prompt_options),
    answer: toAsked(config.decode_options),
    profile: config.profile ?? null,
    meta: new Map(Object.entries(config.meta ?? {})),
    measuredAt: toInstant(start_time),
  };
  return { run, benchmarks, ignored };
}
