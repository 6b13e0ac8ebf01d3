import { isObject, type JsonObject, type JsonRecord, objectOf } from '../reading/documents/json-records.ts';
import {
  addLatency,
  addMetric,
  noFigures,
  type ReportFigures,
  readFigure,
  totalOf,
} from '../reading/figures/report-figures.ts';

/** One report of inference-perf. A figure is missing if `figures.faults` has an error for it. */
export interface InferencePerfReport {
  figures: ReportFigures;
  concurrency: number | null;
  /** Requests per second. */
  requestedRate: number | null;
  achievedRate: number | null;
  /** Tokens per request, whole. */
  meanInput: number | null;
  meanOutput: number | null;
  cachedTokens: number;
  /** Factor between the available time and the sum of the times per token; null unless it is about two. */
  doubled: number | null;
}

const latencies = [
  ['time_to_first_token', 'ttft_ms'],
  ['time_per_output_token', 'tpot_ms'],
  ['inter_token_latency', 'itl_ms'],
  ['request_latency', 'e2e_ms'],
] as const;

const rates = [
  ['input_tokens_per_sec', 'input_tok_s'],
  ['output_tokens_per_sec', 'output_tok_s'],
  ['total_tokens_per_sec', 'total_tok_s'],
  ['requests_per_sec', 'req_s'],
] as const;

const known = new Set(['benchmark_time_seconds', 'load_summary', 'successes', 'failures']);
const knownOfSuccesses = new Set([
  'count',
  'latency',
  'throughput',
  'prompt_len',
  'output_len',
  'prompt_tokens',
  'output_tokens',
]);
const knownOfLoad = new Set(['count', 'concurrency', 'requested_rate', 'achieved_rate']);

function ignoreOthers(figures: ReportFigures, value: JsonObject, used: ReadonlySet<string>): void {
  for (const name of Object.keys(value)) if (!used.has(name)) figures.ignored.add(name);
}

function refuse(figures: ReportFigures, code: string, message: string, hint?: string): void {
  figures.faults.push({ code, line: figures.line, message, ...(hint === undefined ? {} : { hint }) });
}

/** Total and mean of tokens: from the newer object with its total, or from the older mean over requests. */
function readTokens(figures: ReportFigures, successes: JsonObject, newer: string, older: string, count: number | null) {
  const name = isObject(successes[newer]) ? newer : older;
  const tokens = objectOf(successes[name]);
  const at = `/successes/${name}`;
  const mean = readFigure(figures, tokens.mean, `${at}/mean`);
  const total = readFigure(figures, tokens.total, `${at}/total`) ?? totalOf(mean, count);
  return { total, mean };
}

/**
 * The factor between the available time and the sum of the times per token. Versions of 2025 tokenized each chunk with a
 * start token, which doubled the token counts and halved the times.
 */
function findDoubled({ metrics }: ReportFigures, meanOutput: number | null): number | null {
  const [e2e, ttft, tpot] = (['e2e_ms_mean', 'ttft_ms_mean', 'tpot_ms_mean'] as const).map((name) => metrics.get(name));
  if (e2e === undefined || ttft === undefined || tpot === undefined || meanOutput === null || meanOutput < 2)
    return null;
  const ratio = (e2e - ttft) / ((meanOutput - 1) * tpot);
  return ratio > 1.7 && ratio < 2.3 ? ratio : null;
}

/** Reads a report. Errors are added to `figures.faults`. */
export function readInferencePerf({ value, from }: JsonRecord): InferencePerfReport {
  const figures = noFigures(from);
  const load = objectOf(value.load_summary);
  const successes = objectOf(value.successes);
  const failures = objectOf(value.failures);
  const latency = objectOf(successes.latency);
  const throughput = objectOf(successes.throughput);
  ignoreOthers(figures, value, known);
  ignoreOthers(figures, successes, knownOfSuccesses);
  ignoreOthers(figures, load, knownOfLoad);
  for (const name of ['normalized_time_per_output_token']) if (Object.hasOwn(latency, name)) figures.ignored.add(name);
  for (const name of Object.keys(failures)) if (name !== 'count') figures.ignored.add(`failures.${name}`);
  const report: InferencePerfReport = {
    figures,
    concurrency: readFigure(figures, load.concurrency, '/load_summary/concurrency'),
    requestedRate: readFigure(figures, load.requested_rate, '/load_summary/requested_rate'),
    achievedRate: readFigure(figures, load.achieved_rate, '/load_summary/achieved_rate'),
    meanInput: null,
    meanOutput: null,
    cachedTokens: 0,
    doubled: null,
  };
  if (!isObject(successes.latency)) {
    const isServers = Object.hasOwn(successes, 'rate');
    const message = isServers
      ? `The report on line ${from} has server-side counts (Prometheus), not client measurements.`
      : `The report on line ${from} has no latencies of successful requests.`;
    refuse(figures, isServers ? 'server_metrics' : 'value_invalid', message, 'Send stage_N_lifecycle_metrics.json.');
    return report;
  }
  const ok = addMetric(figures, 'requests_ok', successes.count, '/successes/count');
  const failed = addMetric(figures, 'requests_failed', failures.count, '/failures/count');
  if (ok === 0 || ok === null) {
    const of = failed === null || failed === 0 ? '' : ` of ${failed}`;
    refuse(figures, 'nothing_measured', `0${of} requests succeeded: nothing was measured.`);
    return report;
  }
  const seconds = readFigure(figures, value.benchmark_time_seconds, '/benchmark_time_seconds');
  if (seconds !== null && seconds > 0) figures.metrics.set('duration_s', seconds);
  for (const [name, metric] of rates) {
    const rate = readFigure(figures, throughput[name], `/successes/throughput/${name}`);
    // A run of zero duration has no rate; the tool writes 0.
    if (rate !== null && rate > 0) figures.metrics.set(metric, rate);
  }
  for (const [name, family] of latencies)
    addLatency(figures, family, latency[name], { pointer: `/successes/latency/${name}`, places: 3 });
  const input = readTokens(figures, successes, 'prompt_tokens', 'prompt_len', ok);
  const output = readTokens(figures, successes, 'output_tokens', 'output_len', ok);
  if (input.total !== null) figures.metrics.set('input_tokens', input.total);
  if (output.total !== null) figures.metrics.set('output_tokens', output.total);
  const sent = readFigure(figures, load.count, '/load_summary/count');
  if (sent !== null) figures.extra.requests_sent = sent;
  if (report.achievedRate !== null) figures.extra.achieved_rate = report.achievedRate;
  const cached = readFigure(figures, objectOf(successes.prompt_tokens).cached, '/successes/prompt_tokens/cached') ?? 0;
  if (cached > 0) figures.extra.cached_tokens = cached;
  return {
    ...report,
    meanInput: input.mean,
    meanOutput: output.mean,
    cachedTokens: cached,
    doubled: isObject(successes.prompt_tokens) ? null : findDoubled(figures, output.mean),
  };
}
