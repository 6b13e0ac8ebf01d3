import type { MetricName } from '../../metrics/index.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import { isObject, type JsonObject } from '../reading/documents/json-records.ts';
import {
  addLatency,
  definitionsOf,
  type ReportFigures,
  readFigure,
  totalOf,
} from '../reading/figures/report-figures.ts';

/** The sections of a report that contain figures, in any version. */
export interface FigureSections {
  requests: JsonObject;
  latency: JsonObject;
  /** Statistics have units since 0.2; before, they are bare numbers. */
  throughput: JsonObject;
  /** Path of the three sections: `/metrics`, `/results/request_performance/aggregate`. */
  pointer: string;
  /** The load generator of the figures; null if not stated. */
  harness: string | null;
  version: string;
}

/** Facts in the figures other than metrics. */
export interface ReadFigures {
  /** Tokens per answered request. */
  meanInput: number | null;
  meanOutput: number | null;
  /** Requests sent. */
  sent: number | null;
  /** The unit of `request_latency`; null if there is none. */
  latencyUnit: string | null;
  definitions: Record<string, string>;
}

/** Latency names of the report, as the converters write them, with our metric families. */
const families = [
  ['time_to_first_token', 'ttft_ms'],
  ['time_per_output_token', 'tpot_ms'],
  ['inter_token_latency', 'itl_ms'],
  ['request_latency', 'e2e_ms'],
] as const;
type Family = (typeof families)[number][1];

/** Generators whose "inter-token latency" is (last - first) / (n - 1) of each request. */
const oneGapARequest = new Set(['guidellm', 'aiperf']);
/** Generators that report the gaps between chunks over all requests. */
const chunkGaps = new Set(['inference-perf', 'vllm-benchmark', 'inferencemax']);
/** Generators whose lengths cover only answered requests. */
const poolsAnswered = new Set(['inference-perf', 'guidellm']);
/** Generators that count only answered requests: AIPerf always, the others until 0.1. */
const countsAnswered = new Set(['vllm-benchmark', 'inferencemax']);

const places: Readonly<Record<string, 0 | 3>> = { ms: 0, s: 3, 'ms/token': 0, 's/token': 3 };
const words = { stddev: 'std', p0p1: 'p0.1', p99p9: 'p99.9' };

/** Our metric family for a latency of the report; null if we have no family with its definition. */
function familyOf(name: string, harness: string | null): Family | null {
  if (harness !== null && oneGapARequest.has(harness)) {
    if (name === 'inter_token_latency') return 'tpot_ms';
    // GuideLLM's includes the first token since 0.4 and had another divisor before.
    if (name === 'time_per_output_token') return null;
  }
  return families.find(([theirs]) => theirs === name)?.[1] ?? null;
}

function refuse(figures: ReportFigures, code: string, pointer: string, message: string): void {
  figures.faults.push({ code, line: figures.line, pointer, message: `${pointer}: ${message}` });
}

/** The unit of a statistic; null, with an error, if it is not allowed. */
function readUnit(figures: ReportFigures, value: JsonObject, pointer: string, allowed: string[]): string | null {
  const { units } = value;
  if (typeof units === 'string' && allowed.includes(units)) return units;
  const found = units === undefined ? 'nothing' : JSON.stringify(units).slice(0, 40);
  const code = units === undefined || units === null ? 'unit_missing' : 'unit_unknown';
  refuse(
    figures,
    code,
    `${pointer}/units`,
    `expected ${allowed.map((unit) => `"${unit}"`).join(' or ')}, found ${found}`,
  );
  return null;
}

function statisticsAt(figures: ReportFigures, value: JsonValue | undefined, pointer: string): JsonObject | null {
  if (value === undefined || value === null) return null;
  if (isObject(value)) return value;
  refuse(figures, 'value_invalid', pointer, 'expected statistics with units');
  return null;
}

/** Reads all latencies that have a family and returns the unit of `request_latency`. */
function readLatencies(figures: ReportFigures, sections: FigureSections): string | null {
  let latencyUnit: string | null = null;
  for (const [name, stated] of Object.entries(sections.latency)) {
    const family = familyOf(name, sections.harness);
    if (family === null) {
      figures.ignored.add(name);
      continue;
    }
    const pointer = `${sections.pointer}/latency/${name}`;
    const statistics = statisticsAt(figures, stated, pointer);
    if (statistics === null) continue;
    const isPerToken = name === 'time_per_output_token' || name === 'inter_token_latency';
    const unit = readUnit(figures, statistics, pointer, isPerToken ? ['ms/token', 's/token'] : ['ms', 's']);
    if (unit === null) continue;
    if (name === 'request_latency') latencyUnit = unit;
    const { units, ...figuresOnly } = statistics;
    addLatency(figures, family, figuresOnly, { pointer, places: places[unit] ?? 0, words });
  }
  return latencyUnit;
}

const rates: [MetricName, older: string, newer: string, unit: string][] = [
  ['input_tok_s', 'input_tokens_per_sec', 'input_token_rate', 'tokens/s'],
  ['output_tok_s', 'output_tokens_per_sec', 'output_token_rate', 'tokens/s'],
  ['total_tok_s', 'total_tokens_per_sec', 'total_token_rate', 'tokens/s'],
  ['req_s', 'requests_per_sec', 'request_rate', 'queries/s'],
];

function readRates(figures: ReportFigures, { throughput, pointer }: FigureSections): void {
  const known = new Set(rates.flatMap(([, older, newer]) => [older, newer]));
  for (const name of Object.keys(throughput)) if (!known.has(name)) figures.ignored.add(name);
  for (const [metric, older, newer, unit] of rates) {
    const at = `${pointer}/throughput/${newer}`;
    const statistics = statisticsAt(figures, throughput[newer], at);
    let rate = readFigure(figures, throughput[older], `${pointer}/throughput/${older}`);
    if (statistics !== null && readUnit(figures, statistics, at, [unit]) !== null) {
      rate = readFigure(figures, statistics.mean, `${at}/mean`);
      // Rates of single seconds or requests, not of the run.
      for (const name of Object.keys(statistics))
        if (name !== 'mean' && name !== 'units') figures.ignored.add(`throughput.${name}`);
    }
    // A rate of 0 in a run with responses was not measured.
    if (rate !== null && rate > 0) figures.metrics.set(metric, rate);
  }
}

function readLength(figures: ReportFigures, requests: JsonObject, name: string, pointer: string): number | null {
  const at = `${pointer}/requests/${name}`;
  const statistics = statisticsAt(figures, requests[name], at);
  if (statistics === null || readUnit(figures, statistics, at, ['count']) === null) return null;
  return readFigure(figures, statistics.mean, `${at}/mean`);
}

/** Successful and failed requests, and the tokens of the successful ones. */
function readRequests(
  figures: ReportFigures,
  sections: FigureSections,
): Omit<ReadFigures, 'latencyUnit' | 'definitions'> {
  const { requests, pointer, harness, version } = sections;
  const count = (name: string) => readFigure(figures, requests[name], `${pointer}/requests/${name}`);
  const [sent, failures, incomplete] = [count('total'), count('failures'), count('incomplete')];
  const meanInput = readLength(figures, requests, 'input_length', pointer);
  const meanOutput = readLength(figures, requests, 'output_length', pointer);
  const known = new Set(['total', 'failures', 'incomplete', 'input_length', 'output_length']);
  for (const name of Object.keys(requests)) if (!known.has(name)) figures.ignored.add(name);
  const isOlder = version === '0.1' && harness !== null && countsAnswered.has(harness) && failures === null;
  const isAnsweredOnly = harness === 'aiperf' || isOlder;
  const lost = (failures ?? 0) + (incomplete ?? 0);
  let answered: number | null = null;
  // AIPerf's failures are error kinds, not requests.
  if (isAnsweredOnly) answered = sent;
  else if (sent !== null && failures !== null) answered = sent - lost;
  if (answered !== null && answered < 0) {
    refuse(figures, 'value_invalid', `${pointer}/requests`, `${lost} of ${sent} requests failed or were cut off`);
    return { meanInput, meanOutput, sent };
  }
  if (answered !== null) figures.metrics.set('requests_ok', answered);
  if (failures !== null && !isAnsweredOnly) figures.metrics.set('requests_failed', failures);
  if (sent !== null && answered === null) figures.extra.requests_sent = sent;
  if (incomplete !== null && incomplete > 0) figures.extra.requests_incomplete = incomplete;
  // The mean covers all requests, and failed ones count as zero. It does not give a total.
  const isOfAnswered = lost === 0 || isAnsweredOnly || (harness !== null && poolsAnswered.has(harness));
  const input = isOfAnswered ? totalOf(meanInput, answered) : null;
  const output = isOfAnswered ? totalOf(meanOutput, answered) : null;
  if (input !== null && input > 0) figures.metrics.set('input_tokens', input);
  if (output !== null && output > 0) figures.metrics.set('output_tokens', output);
  return { meanInput, meanOutput, sent };
}

/** Reads the figures of a report in their stated units. Errors are added to `figures.faults`. */
export function readReportFigures(figures: ReportFigures, sections: FigureSections): ReadFigures {
  const requests = readRequests(figures, sections);
  readRates(figures, sections);
  const latencyUnit = readLatencies(figures, sections);
  const definitions = definitionsOf(figures.metrics, {
    ttft_ms: 'send_to_first_token',
    tpot_ms: 'without_first_token',
    itl_ms: sections.harness !== null && chunkGaps.has(sections.harness) ? 'per_chunk' : 'not_stated',
    e2e_ms: 'request',
  });
  return { ...requests, latencyUnit, definitions };
}
