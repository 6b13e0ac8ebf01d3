import type { Fault } from '../../errors.ts';
import type { MetricName } from '../../metrics/index.ts';
import { ArtifactError, unreadable } from '../errors.ts';
import { toPlainText } from '../plain-facts.ts';
import { readRunContexts } from '../reading/context/run-context.ts';
import { isMissing, parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { putFigure, statisticOf } from './bench-json.ts';
import { backendOf, type TrtllmReport, wordOrNull } from './report.ts';
import { findSectionReports, type SectionReport, type SectionRow } from './sections.ts';

/** Labels of the overviews that are values of our registry, in all versions. */
const labels: Record<string, MetricName> = {
  'request throughput (req/sec)': 'req_s',
  'total output throughput (tokens/sec)': 'output_tok_s',
  'token throughput (tokens/sec)': 'output_tok_s',
  'generation token throughput (tokens/sec)': 'decode_tok_s',
  'average request latency (ms)': 'e2e_ms_mean',
  'average time-to-first-token [ttft] (ms)': 'ttft_ms_mean',
  'average time-to-first-token (ms)': 'ttft_ms_mean',
  'average time-per-output-token [tpot] (ms)': 'tpot_ms_mean',
  'average inter-token latency (ms)': 'tpot_ms_mean',
  'per user output speed (tps/user)': 'user_tok_s',
  'per user output speed [1/tpot] (tokens/sec/user)': 'user_tok_s',
};

/** Labels to store as extras, and labels that are facts. */
const others: Record<string, string> = {
  'total latency (ms)': 'total_latency_ms',
  'total token throughput (tokens/sec)': 'total_token_throughput',
  'per user output throughput [w/ ctx] (tps/user)': 'output_tok_s_per_user_with_prefill',
  'per user output throughput (tokens/sec/user)': 'output_tok_s_per_user_with_prefill',
  'per gpu output throughput (tps/gpu)': 'output_tok_s_per_gpu',
  'per gpu output throughput (tokens/sec/gpu)': 'output_tok_s_per_gpu',
  'acceptance rate (speculative)': 'acceptance_rate',
  'max runtime batch size': 'max_batch_size',
  'max runtime tokens': 'max_num_tokens',
  'number of requests': 'num_requests',
  'number of concurrent requests': 'avg_in_flight',
  'average input length (tokens)': 'avg_input_tokens',
  'average output length (tokens)': 'avg_output_tokens',
  'tp size': 'tensor',
  'pp size': 'pipeline',
  'ep size': 'expert',
};
const kept = [
  'output_tok_s_per_user_with_prefill',
  'output_tok_s_per_gpu',
  'acceptance_rate',
  'max_batch_size',
  'max_num_tokens',
];

const words = new Set([
  'model',
  'tensorrt-llm version',
  'tensorrt llm version',
  'dtype',
  'kv cache dtype',
  'quantization',
  'scheduling policy',
]);

const breakdown = /^\[(latency|ttft|tpot|gtps|al|dar)\] (p50|p90|p95|p99|minimum|maximum|average)$/;
const families: Record<string, string> = { latency: 'e2e_ms', ttft: 'ttft_ms', tpot: 'tpot_ms', gtps: 'user_tok_s' };
const averages: Record<string, string> = { al: 'acceptance_length', dar: 'draft_acceptance_rate' };

/** The figures of a report by our names, its text values, and the unused labels. */
interface Reading {
  metrics: Map<MetricName, number>;
  extra: TrtllmReport['extra'];
  numbers: Map<string, number>;
  words: Map<string, string>;
  ignored: Set<string>;
}

function look<T>(table: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Stores one figure; false if its label is unknown. */
function put(reading: Reading, key: string, value: number): boolean {
  const metric = look(labels, key);
  const other = look(others, key);
  const part = breakdown.exec(key);
  const family = look(families, part?.[1] ?? '');
  const average = part?.[2] === 'average' ? look(averages, part[1] ?? '') : undefined;
  if (metric !== undefined) {
    if (value > 0) reading.metrics.set(metric, value);
  } else if (other !== undefined) reading.numbers.set(other, value);
  else if (family !== undefined) {
    const word = look(statisticOf, part?.[2] ?? '');
    // The mean of a rate is also printed above, under a separate name.
    if (word !== undefined && !(family === 'user_tok_s' && word === 'mean')) putFigure(reading, family, word, value);
  } else if (average !== undefined) reading.extra[average] = value;
  else return false;
  return true;
}

function readRow(reading: Reading, { line, label, key, value }: SectionRow, faults: Fault[]): void {
  if (words.has(key)) {
    reading.words.set(key.replace('tensorrt llm', 'tensorrt-llm'), toPlainText(value.trim()));
    return;
  }
  const isFigure = look(labels, key) !== undefined || look(others, key) !== undefined || breakdown.test(key);
  const number = parseNumber(value);
  if (!isFigure) reading.ignored.add(label);
  else if (number !== null && number >= 0) {
    if (!put(reading, key, number)) reading.ignored.add(label);
  } else if (!isMissing(value)) {
    const message = `"${label}" should be a number, found "${value.slice(0, 60)}".`;
    faults.push({ code: 'value_unreadable', line, message });
  }
}

/** Sections that use the same labels with another meaning, or that contain nothing of use. */
const unread = /^(?:DATASET DETAILS|GENERATION LATENCY BREAKDOWN|ACCEPTANCE BREAKDOWN)$/;

/** From the table of the data set, if printed: whether the minimum and maximum lengths are equal. */
function dataSetOf({ sections }: SectionReport): Pick<TrtllmReport, 'isFixedInput' | 'isFixedOutput' | 'rounding'> {
  const rows = sections.find(({ name }) => name === 'DATASET DETAILS')?.rows ?? [];
  const cells = (key: string) => rows.find((row) => row.key === key)?.value.split(/\s+/) ?? [];
  const [least, most] = [cells('min'), cells('max')];
  const [isFixedInput, isFixedOutput] = [least[0] === most[0], least[1] === most[1]];
  // For equal lengths the mean is exact; others are printed with four decimals.
  const isExact = least.length >= 2 && isFixedInput && isFixedOutput;
  return { isFixedInput, isFixedOutput, rounding: isExact ? 0 : 0.00005 };
}

/**
 * Resolves "Total Token Throughput", which has two meanings. It is the total if an output rate is printed too, or if it
 * equals the rate of all tokens.
 */
function resolveTotal({ metrics, numbers }: Reading): void {
  const total = numbers.get('total_token_throughput');
  if (total === undefined || total <= 0) return;
  const rate = metrics.get('req_s') ?? 0;
  const all = rate * ((numbers.get('avg_input_tokens') ?? 0) + (numbers.get('avg_output_tokens') ?? 0));
  // A rate below 1 is printed with few digits, so half of the last digit is added to the tolerance of 1 %.
  const slack = all * (0.01 + (rate > 0 ? 0.00005 / rate : 0));
  const isTotal = metrics.has('output_tok_s') || (all > 0 && Math.abs(total - all) <= slack);
  metrics.set(isTotal ? 'total_tok_s' : 'output_tok_s', total);
}

const isBench = ([program = '']: readonly string[]) => /(?:^|[/\\])trtllm-bench$/.test(program);

const contextsIn = cachedPerArtifact((artifact) => readRunContexts(artifact, findSectionReports(artifact), isBench));

const positive = (value: number | undefined) => (value !== undefined && value > 0 ? value : null);
const whole = (value: number | null | undefined) => (value != null && Number.isSafeInteger(value) ? value : null);

/** Number of GPUs from the two printed rates, if it is a whole number. */
function gpusOf({ metrics, numbers }: Reading): number | null {
  const each = numbers.get('output_tok_s_per_gpu') ?? 0;
  const gpus = each > 0 ? (metrics.get('output_tok_s') ?? 0) / each : 0;
  return gpus >= 0.99 && Math.abs(gpus - Math.round(gpus)) <= 0.01 * gpus ? Math.round(gpus) : null;
}

function gpuOf({ sections }: SectionReport): string | null {
  const machine = sections.find(({ name }) => name === 'MACHINE DETAILS');
  return /^([^,]{2,80}), memory /.exec(machine?.others[0] ?? '')?.[1] ?? null;
}

/** Reads one report, with the command line of its run. Throws `ArtifactError`. */
export function readConsoleReport(
  artifact: ArtifactText,
  found: SectionReport,
): { report: TrtllmReport; ignored: string[] } {
  const isOf = (name: string) => found.sections.some((section) => section.name === name);
  // The command that prints one of them always prints the other.
  if (isOf('THROUGHPUT OVERVIEW') && !isOf('LATENCY OVERVIEW')) {
    const message = `The report that begins on line ${found.from} ends before its LATENCY OVERVIEW.`;
    throw unreadable(found.from, 'block_cut', message, 'Copy the whole report, down to its closing rule.');
  }
  const reading: Reading = { metrics: new Map(), extra: {}, numbers: new Map(), words: new Map(), ignored: new Set() };
  const faults: Fault[] = [];
  for (const { name, rows } of found.sections)
    for (const row of rows) {
      if (unread.test(name)) reading.ignored.add(row.label);
      else readRow(reading, row, faults);
    }
  if (faults.length > 0) throw new ArtifactError(faults);
  resolveTotal(reading);
  const { metrics, numbers, extra } = reading;
  const totalMs = positive(numbers.get('total_latency_ms'));
  if (totalMs !== null) metrics.set('duration_s', shiftDecimal(totalMs, -3));
  for (const name of kept) if (numbers.has(name)) extra[name] = numbers.get(name) ?? 0;
  const policy = wordOrNull(reading.words.get('scheduling policy'));
  if (policy !== null) extra.scheduling_policy = policy;
  const context = contextsIn(artifact).get(found) ?? null;
  const backend = found.sections.map(({ name }) => /^([A-Z]+) BACKEND$/.exec(name)?.[1]).find((name) => name);
  const isEngine = found.sections.some(({ name }) => name === 'ENGINE DETAILS');
  const decoding = found.sections.find(({ name }) => name.startsWith('DECODING STATISTICS'))?.name;
  const word = (key: string) => wordOrNull(reading.words.get(key));
  const report: TrtllmReport = {
    from: found.from,
    to: found.to,
    isClosed: found.isClosed,
    metrics,
    extra,
    model: word('model') ?? context?.text('model', 'm') ?? null,
    version: word('tensorrt-llm version'),
    backend: backendOf(backend ?? (isEngine ? 'trt' : null)),
    dtype: word('dtype'),
    kvCacheDtype: word('kv cache dtype'),
    quantization: word('quantization'),
    gpu: gpuOf(found),
    tensor: whole(positive(numbers.get('tensor')) ?? context?.number('tp')),
    pipeline: whole(positive(numbers.get('pipeline')) ?? context?.number('pp')),
    expert: whole(positive(numbers.get('expert')) ?? context?.number('ep')),
    gpuCount: gpusOf(reading),
    requests: whole(positive(numbers.get('num_requests')) ?? context?.number('num_requests')),
    inFlight: positive(numbers.get('avg_in_flight')),
    inputTokens: positive(numbers.get('avg_input_tokens')),
    outputTokens: positive(numbers.get('avg_output_tokens')),
    ...dataSetOf(found),
    speculation: wordOrNull(/\((.*)\)$/.exec(decoding ?? '')?.[1]),
    isSpeculative: decoding !== undefined || (numbers.get('acceptance_rate') ?? 0) > 1,
    concurrency: whole(context?.number('concurrency')),
    isSequential: isOf('LATENCY OVERVIEW'),
  };
  return { report, ignored: [...reading.ignored] };
}
