import { z } from 'zod';
import type { Fault } from '../../errors.ts';
import type { MetricName } from '../../metrics/index.ts';
import { noFacts } from '../adapter.ts';
import { ArtifactError } from '../errors.ts';
import { toPlainText } from '../plain-facts.ts';
import { dropEmptyResponses } from '../reading/documents/empty-responses.ts';
import {
  countNames,
  hasAll,
  hasAny,
  type JsonObject,
  type JsonRecord,
  type Likeness,
} from '../reading/documents/json-records.ts';
import { arrayFaults, requestArraysShape, toRequests } from '../reading/documents/request-arrays.ts';
import { toFaults } from '../reading/documents/zod-faults.ts';
import { checkMeasured } from '../reading/figures/block-figures.ts';
import { argumentsOf, systemOf } from './arguments.ts';
import { sglangKey } from './serving-names.ts';
import { engineOf, type ServingRun } from './serving-run.ts';
import { toWorkload } from './serving-workload.ts';

const word = z.string().max(200).transform(toPlainText);
const length = z.number().int().nonnegative().nullable().optional();
const info = z.record(z.string(), z.unknown()).nullable().optional();

/** Requests per second. Python writes `Infinity` for no limit, which is a number here. */
const rate = z.custom<number | 'trace' | 'inf'>(
  (value) => (typeof value === 'number' && value >= 0) || value === 'trace' || value === 'inf',
  'expected a number, Infinity or "trace"',
);

/** The facts of a line. `sglangKey` reads its figures, whose names changed over the years. */
const RecordSchema = z.looseObject({
  backend: word,
  dataset_name: word,
  request_rate: rate,
  max_concurrency: z.number().int().nonnegative().nullable().optional(),
  sharegpt_output_len: length,
  random_input_len: length,
  random_output_len: length,
  random_range_ratio: z.number().nullable().optional(),
  server_info: info,
  cache_report: info,
  ...requestArraysShape,
});

const facts = new Set(Object.keys(RecordSchema.shape));
const typical = [
  'backend',
  'dataset_name',
  'request_rate',
  'duration',
  'completed',
  'total_input_tokens',
  'total_output_tokens',
  'output_throughput',
];
const older = ['benchmark_duration', 'output_token_throughput'];
const newer = ['duration', 'completed'];
/** The few figures of July 2024. */
const shortest = ['output_token_throughput', 'total_input', 'total_output'];
const own = [
  'total_output_tokens_retokenized',
  'sharegpt_output_len',
  'random_range_ratio',
  'accept_length',
  'total_output_retokenized',
];

/** Whether an object is a line of bench_serving. vLLM's have `num_prompts` and none of SGLang's own names. */
export function servingLikeness(value: JsonObject): Likeness {
  if (Object.hasOwn(value, 'num_prompts') || !hasAny(value, own)) return null;
  const isNamed = hasAll(value, ['backend', 'dataset_name']);
  if (isNamed && [newer, older, shortest].some((names) => hasAll(value, names))) return 'whole';
  return countNames(value, typical) >= 5 ? 'likely' : null;
}

/**
 * The figures of a line, by the names of our registry. `pointer` is their JSON pointer. NaN and infinities mean not
 * measured.
 */
export function readFigures(value: JsonObject, line: number, faults: Fault[], pointer = '') {
  const metrics = new Map<MetricName, number>();
  const extra: Record<string, number> = {};
  const ignored: string[] = [];
  for (const [key, found] of Object.entries(value)) {
    if (facts.has(key)) continue;
    const meaning = sglangKey(key);
    if (meaning.kind !== 'metric' && meaning.kind !== 'extra') {
      ignored.push(key);
    } else if (typeof found === 'number' ? found < 0 && found !== Number.NEGATIVE_INFINITY : found !== null) {
      const message = `${pointer}/${key}: expected a number that is not negative, or null`;
      faults.push({ code: 'value_invalid', line, pointer: `${pointer}/${key}`, message });
    } else if (typeof found === 'number' && Number.isFinite(found)) {
      if (meaning.kind === 'extra') extra[meaning.name] = found + 0;
      else if (meaning.name !== 'req_s' || found > 0) metrics.set(meaning.name, found + 0);
    }
  }
  return { metrics, extra, ignored };
}

function cacheHitPercent(report: Record<string, unknown> | null | undefined): Record<string, number> {
  const percent = report?.cache_hit_rate_pct;
  return typeof percent === 'number' && percent >= 0 ? { cache_hit_rate_percent: percent } : {};
}

/** Reads one line. Throws `ArtifactError` with all its errors. */
export function readJsonRun({ value, from, to }: JsonRecord): { run: ServingRun; ignored: string[] } {
  const parsed = RecordSchema.safeParse(value);
  const faults = parsed.success ? arrayFaults(parsed.data, from) : toFaults(parsed.error, from);
  const { metrics, extra, ignored } = readFigures(value, from, faults);
  if (!parsed.success || faults.length > 0) throw new ArtifactError(faults);
  const record = parsed.data;
  const requests = toRequests(record);
  checkMeasured(metrics, from, requests?.length ?? null);
  const empty = requests === null ? null : dropEmptyResponses({ metrics, extra }, requests, record);
  const asked = record.request_rate;
  const server = record.server_info;
  const engine = engineOf(record.backend);
  const run: ServingRun = {
    from,
    to,
    isClosed: true,
    backend: record.backend,
    requestRate: asked === 'inf' || asked === Number.POSITIVE_INFINITY ? null : asked,
    maxConcurrency: record.max_concurrency || null,
    sent: requests?.length ?? null,
    figures: { metrics, extra: { ...extra, ...cacheHitPercent(record.cache_report) } },
    // The parsed value has the same content; the argument reader requires the type of JSON values.
    system: server == null ? { ...noFacts, engine } : systemOf(argumentsOf(server as JsonObject), 'stated'), // checked as an object
    ...toWorkload({
      dataset: record.dataset_name,
      sharegptOutput: record.sharegpt_output_len || null,
      randomInput: record.random_input_len || null,
      randomOutput: record.random_output_len || null,
      randomRatio: record.random_range_ratio ?? null,
    }),
    origin: 'stated',
    requests,
    notes: empty === null ? [] : [empty],
  };
  const unused = (['tag', 'generated_texts'] as const).filter((name) => Object.hasOwn(record, name));
  return { run, ignored: [...new Set([...ignored, ...unused])] };
}
