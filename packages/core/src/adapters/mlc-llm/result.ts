import type { MetricName } from '../../metrics/index.ts';
import type { KnownLoad } from '../../subjects/load.ts';
import { type Fact, noFacts, noResult, noScenario, type ParsedResult, type ReaderNote } from '../adapter.ts';
import { ArtifactError } from '../errors.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import type { RunContext } from '../reading/context/run-context.ts';
import { checkMeasured } from '../reading/figures/block-figures.ts';
import { measuredLengths } from '../reading/figures/measured-lengths.ts';
import { parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { addLatency, definitionsOf, noFigures } from '../reading/figures/report-figures.ts';
import type { MlcReport, MlcSent } from './report.ts';

/** The servers that the option `--api-endpoint` names. The others are only protocols. */
const engines: Record<string, string> = {
  mlc: 'mlc-llm',
  sglang: 'sglang',
  'tensorrt-llm': 'tensorrt-llm',
  vllm: 'vllm',
};

const words = { mean: 'mean', stddev: 'std', min: 'min', max: 'max' };

const figures: [string, MetricName][] = [
  ['duration', 'duration_s'],
  ['total_input_tokens', 'input_tokens'],
  ['total_output_tokens', 'output_tokens'],
  ['request_throughput', 'req_s'],
  ['input_token_throughput', 'input_tok_s'],
  ['output_token_throughput', 'output_tok_s'],
];

/** The load from the report itself, or from the command before it if that gives one number. */
function toSent({ sent }: MlcReport, context: RunContext | null): MlcSent | null {
  if (sent !== null || context === null) return sent;
  const concurrency = parseNumber(context.text('num_concurrent_requests') ?? '');
  if (concurrency !== null && concurrency > 0) return { kind: 'concurrency', level: concurrency };
  const text = context.text('request_rate') ?? '';
  const rate = text === 'inf' ? Number.POSITIVE_INFINITY : parseNumber(text);
  return rate !== null && rate > 0 ? { kind: 'rate', level: rate } : null;
}

/** With `--per-gpu-workload` the rate is that of one GPU. Arrivals are random; an infinite rate sends all at once. */
function toLoad(sent: MlcSent | null, report: MlcReport, context: RunContext | null): KnownLoad | null {
  if (sent === null || sent.kind === 'replay') return null;
  if (sent.kind === 'concurrency') return { mode: 'concurrency', level: sent.level };
  const total = report.values.get('num_total_requests') ?? 0;
  if (sent.level === Number.POSITIVE_INFINITY) return total > 0 ? { mode: 'burst', level: total } : null;
  const gpus = context?.switched('per_gpu_workload') === true ? (report.values.get('num_gpus') ?? 1) : 1;
  return { mode: 'rate', level: sent.level * gpus, burstiness: 1 };
}

function toNotes(report: MlcReport, sent: MlcSent | null): ReaderNote[] {
  const notes: ReaderNote[] = [];
  if (sent === null || sent.kind === 'replay') {
    const message =
      sent === null
        ? 'Neither the block nor the log before it states how the requests were sent.'
        : 'The requests were sent at the times of the data set, which no load describes.';
    notes.push({ code: 'load_unknown', severity: 'warning', message, evidence: {} });
  }
  if (report.isTruncated) {
    const message = 'The block ends before its last line: the paste was cut, and figures are missing.';
    notes.push({ code: 'truncated', severity: 'info', message, evidence: {} });
  }
  return notes;
}

function toEngine(context: RunContext | null): Fact<string> | null {
  const endpoint = context?.text('api_endpoint') ?? '';
  const name = context?.text('mlc_model_lib') != null ? 'mlc-llm' : engines[endpoint];
  return name === undefined ? null : { value: name, origin: 'context' };
}

/** A requested length, unless the lengths vary around it. */
function askedLength(context: RunContext | null, name: string): Fact<number> | null {
  const tokens = context?.number(name) ?? null;
  if (tokens === null || !Number.isInteger(tokens) || context?.number(`${name}_std`) != null) return null;
  return { value: tokens, origin: 'context' };
}

/** One run as a result, and its unused names. Throws `ArtifactError`. */
export function toMlcResult(
  report: MlcReport,
  context: RunContext | null,
): { result: ParsedResult; ignored: Iterable<string> } {
  const read = noFigures(report.from);
  const latency = (family: 'ttft_ms' | 'tpot_ms' | 'e2e_ms', name: string) =>
    addLatency(read, family, report.statistics.get(name), { pointer: `/${name}`, places: report.places, words });
  const isStreamed = latency('ttft_ms', 'time_to_first_token_s');
  latency('tpot_ms', 'time_per_output_token_s');
  latency('e2e_ms', 'end_to_end_latency_s');
  if (read.faults.length > 0) throw new ArtifactError(read.faults);
  const mean = (name: string) => {
    const value = report.statistics.get(name)?.mean;
    return typeof value === 'number' ? value : null;
  };
  // The tool's inter-token latency is the whole latency of a request divided by its tokens.
  const perToken = mean('inter_token_latency_s');
  if (perToken !== null) read.extra.e2e_per_output_token_ms_mean = shiftDecimal(perToken, report.places);
  for (const [name, metric] of figures) {
    const value = report.values.get(name);
    // Two decimals round a slow rate to 0.
    if (value !== undefined && value > 0) read.metrics.set(metric, value);
  }
  const [ok = 0, total = 0] = ['num_completed_requests', 'num_total_requests'].map((name) => report.values.get(name));
  read.metrics.set('requests_ok', ok);
  if (total >= ok) read.metrics.set('requests_failed', total - ok);
  checkMeasured(read.metrics, report.from, total);
  const gpus = report.values.get('num_gpus') ?? null;
  const dataset = context?.text('dataset') ?? null;
  const sent = toSent(report, context);
  const result: ParsedResult = {
    ...noResult,
    system: {
      ...noFacts,
      ...modelFacts(context?.text('tokenizer') ?? null, 'inferred'),
      engine: toEngine(context),
      gpuCount: gpus !== null && Number.isInteger(gpus) && gpus > 0 ? { value: gpus, origin: 'stated' } : null,
    },
    scenario: {
      ...noScenario,
      inputTokens: askedLength(context, 'input_len'),
      outputTokens: askedLength(context, 'output_len'),
      dataset: dataset === null ? null : { value: dataset, origin: 'context' },
      ...measuredLengths(mean('input_tokens'), mean('output_tokens')),
    },
    load: toLoad(sent, report, context),
    metrics: Object.fromEntries(read.metrics),
    definitions: definitionsOf(read.metrics, {
      ttft_ms: 'send_to_first_token',
      // Without streaming the first token has no time, so all tokens share the latency.
      tpot_ms: isStreamed ? 'without_first_token' : 'with_first_token',
      e2e_ms: 'request',
    }),
    extra: read.extra,
    notes: toNotes(report, sent),
    lines: { from: report.from, to: report.to },
  };
  return { result, ignored: [...report.ignored, ...read.ignored] };
}
