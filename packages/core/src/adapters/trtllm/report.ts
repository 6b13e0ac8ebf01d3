import { quantizationHint } from '../../catalogue/names/quantization-hint.ts';
import type { MetricName } from '../../metrics/index.ts';
import { type KnownLoad, offlineLoad } from '../../subjects/load.ts';
import {
  type Fact,
  noFacts,
  noResult,
  noScenario,
  type ParsedResult,
  type ReaderNote,
  type SystemFacts,
} from '../adapter.ts';
import { toModelName } from '../reading/context/model-name.ts';
import { measuredLengths } from '../reading/figures/measured-lengths.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';

/** One report of trtllm-bench, from its JSON file or its console sections. Null means not reported. */
export interface TrtllmReport {
  from: number;
  to: number;
  /** False if the console sections have no closing rule. */
  isClosed: boolean;
  metrics: Map<MetricName, number>;
  extra: Record<string, string | number | boolean>;
  model: string | null;
  version: string | null;
  /** `pytorch`, or `trt` for a built engine. */
  backend: string | null;
  dtype: string | null;
  kvCacheDtype: string | null;
  quantization: string | null;
  gpu: string | null;
  tensor: number | null;
  pipeline: number | null;
  expert: number | null;
  gpuCount: number | null;
  /** Answered requests. The tool resends requests until they are answered. */
  requests: number | null;
  /** Measured mean number of requests in flight. */
  inFlight: number | null;
  /** Means over the requests. */
  inputTokens: number | null;
  outputTokens: number | null;
  /** False if the data set shows that lengths vary. */
  isFixedInput: boolean;
  isFixedOutput: boolean;
  /** Maximum rounding error of the printed means; 0 for JSON. */
  rounding: number;
  speculation: string | null;
  isSpeculative: boolean;
  /** Requests kept in flight, as set by the command. */
  concurrency: number | null;
  /** True for the latency command, which sends requests sequentially. */
  isSequential: boolean;
}

/** Words for "nothing". An unquantized checkpoint has None; a cache in the model's own format may be auto. */
const nothing = new Set(['', 'none', 'null', 'auto', 'n/a']);

export function wordOrNull(text: string | null | undefined): string | null {
  return text == null || nothing.has(text.trim().toLowerCase()) ? null : text.trim();
}

/** The name of the backend in one spelling: the tool wrote "Pytorch", "PYTORCH" and "TRT". */
export function backendOf(text: string | null | undefined): string | null {
  return wordOrNull(text)?.toLowerCase() ?? null;
}

/** If all requests are sent at once, at least this share of them is in flight on average. With even progress it is half. */
const burstShareLeast = 0.4;

/**
 * The load. The report does not contain `--concurrency`. Without that option everything is sent at once, and about half of
 * it is in flight on average. Clearly less indicates an unstated limit; a mean of one in flight indicates sequential
 * requests.
 */
function toLoad({ concurrency, requests, inFlight, isSequential }: TrtllmReport): KnownLoad | null {
  if (isSequential) return { mode: 'concurrency', level: 1 };
  if (requests === null || requests <= 0)
    return concurrency === null ? null : { mode: 'concurrency', level: concurrency };
  if (concurrency !== null && concurrency < requests) return { mode: 'concurrency', level: concurrency };
  if (concurrency !== null || inFlight === null || inFlight >= burstShareLeast * requests)
    return { mode: 'burst', level: requests, regime: 'offline' };
  return inFlight < 1.05 ? { mode: 'concurrency', level: 1 } : null;
}

/** For 16-bit checkpoints the number format is the quantization. A model name that suggests another one is only a hint. */
function toQuantization({ quantization, dtype, model }: TrtllmReport): Fact<string> | null {
  if (quantization !== null) return { value: quantization, origin: 'stated' };
  const hint = model === null ? null : quantizationHint(model);
  if (hint !== null) return { value: hint, origin: 'inferred' };
  return dtype === null ? null : { value: dtype, origin: 'stated' };
}

function toSystem(report: TrtllmReport): SystemFacts {
  const model = report.model === null ? null : toModelName(report.model);
  const { tensor, pipeline, expert, gpuCount, version, gpu, backend, kvCacheDtype } = report;
  return {
    ...noFacts,
    model: model === null ? null : { value: model, origin: 'stated' },
    quantization: toQuantization(report),
    gpu: gpu === null ? null : { value: gpu, origin: 'stated' },
    gpuCount: gpuCount === null ? null : { value: gpuCount, origin: 'stated' },
    engine: { value: 'tensorrt-llm', origin: 'stated' },
    engineVersion: version === null ? null : { value: version, origin: 'stated' },
    parallelism: {
      ...(tensor === null ? {} : { tensor }),
      ...(pipeline === null ? {} : { pipeline }),
      ...(expert === null ? {} : { expert }),
    },
    features: {
      ...(backend === null ? {} : { backend }),
      ...(kvCacheDtype === null ? {} : { kv_cache_dtype: kvCacheDtype.toLowerCase() }),
      ...(report.isSpeculative ? { speculative_decoding: true } : {}),
      ...(report.speculation === null ? {} : { speculative_algorithm: report.speculation }),
    },
  };
}

/** Tokens of all requests, if their mean allows only one whole number. */
function totalOf(mean: number | null, { requests, rounding }: TrtllmReport): number | null {
  if (mean === null || requests === null) return null;
  const total = Math.round(mean * requests);
  const slack = rounding * requests + 1e-9 * total;
  return slack < 0.5 && Math.abs(mean * requests - total) <= slack && total > 0 ? total : null;
}

const definitions: Record<string, string> = {
  ttft_ms: 'send_to_first_token',
  tpot_ms: 'without_first_token',
  e2e_ms: 'request',
  user_tok_s: 'client',
  decode_tok_s: 'client',
};

function toNotes(report: TrtllmReport, load: KnownLoad | null): ReaderNote[] {
  const { requests, inFlight, from, to } = report;
  const notes: ReaderNote[] = [];
  if (!report.isClosed) {
    const message = 'The report has no closing rule: the paste was cut, and figures may be missing.';
    notes.push({ code: 'truncated', severity: 'info', message, evidence: { from, to } });
  }
  if (load !== null) return notes;
  const message =
    inFlight === null
      ? 'The report does not state how many requests were sent.'
      : `${inFlight} of ${requests} requests were in flight on average, which is too few for all of them at once; the report does not state the limit.`;
  const evidence = { num_requests: requests, avg_num_concurrent_requests: inFlight };
  return [...notes, { code: 'load_unknown', severity: 'warning', message, evidence }];
}

/** A report as a result. */
export function toTrtllmResult(report: TrtllmReport): ParsedResult {
  const { inputTokens, outputTokens, requests } = report;
  const totals: [MetricName, number | null][] = [
    ['requests_ok', requests],
    ['input_tokens', totalOf(inputTokens, report)],
    ['output_tokens', totalOf(outputTokens, report)],
  ];
  const metrics: [string, number][] = [...report.metrics];
  for (const [name, value] of totals) if (value !== null && !report.metrics.has(name)) metrics.push([name, value]);
  const load = toLoad(report);
  const fixed = (value: number | null, isFixed: boolean): Fact<number> | null =>
    value !== null && isFixed && Number.isInteger(value) ? { value, origin: 'stated' } : null;
  const means = { avg_input_tokens: inputTokens, avg_output_tokens: outputTokens, avg_in_flight: report.inFlight };
  return {
    ...noResult,
    system: toSystem(report),
    scenario: {
      ...noScenario,
      inputTokens: fixed(inputTokens, report.isFixedInput),
      outputTokens: fixed(outputTokens, report.isFixedOutput),
      ...measuredLengths(inputTokens, outputTokens),
    },
    load: load ?? offlineLoad,
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, definitions),
    extra: {
      ...report.extra,
      ...Object.fromEntries(Object.entries(means).filter((entry): entry is [string, number] => entry[1] !== null)),
    },
    notes: toNotes(report, load),
    lines: { from: report.from, to: report.to },
  };
}
