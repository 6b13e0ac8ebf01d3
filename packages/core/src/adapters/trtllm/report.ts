import { quantizationHint } from '../../catalogue/quantization-hint.ts';
import { type KnownLoad, offlineLoad } from '../../load.ts';
import type { MetricName } from '../../metrics/index.ts';
import {
  type Fact,
  noFacts,
  noResult,
  noScenario,
  type ParsedResult,
  type ReaderNote,
  type SystemFacts,
} from '../adapter.ts';
import { measuredLengths } from '../reading/measured-lengths.ts';
import { toModelName } from '../reading/model-name.ts';

/** One report of trtllm-bench, from its JSON file or its console sections. Null: not told. */
export interface TrtllmReport {
  from: number;
  to: number;
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
  /** Requests answered; the tool sends them again until they are. */
  requests: number | null;
  /** Requests in flight on average, as measured. */
  inFlight: number | null;
  /** Means over the requests. */
  inputTokens: number | null;
  outputTokens: number | null;
  /** False where the data set tells that lengths vary. */
  isFixedInput: boolean;
  isFixedOutput: boolean;
  /** Means as written are off by this at most; 0 for JSON. */
  rounding: number;
  speculation: string | null;
  isSpeculative: boolean;
  /** Requests kept in flight, as the command asked. */
  concurrency: number | null;
  /** The latency command, which sends one request after another. */
  isSequential: boolean;
}

/** Words for "nothing": an unquantized checkpoint has None, a cache of the model's own format may be called auto. */
const nothing = new Set(['', 'none', 'null', 'auto', 'n/a']);

export function wordOrNull(text: string | null | undefined): string | null {
  return text == null || nothing.has(text.trim().toLowerCase()) ? null : text.trim();
}

/** The name of the backend under one spelling: "Pytorch", "PYTORCH" and "TRT" were written. */
export function backendOf(text: string | null | undefined): string | null {
  return wordOrNull(text)?.toLowerCase() ?? null;
}

/** Sent all at once, at least this share of the requests is in flight on average: with even progress it is half. */
const burstShareLeast = 0.4;

/**
 * The load. The report does not repeat what `--concurrency` was. Without it everything is sent at once, and about half
 * of it is in flight on average; clearly less than that shows a limit that nobody stated, and one in flight a sequence.
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

/** Of 16-bit checkpoints the number format is the quantization; a name that hints at another one is only a hint. */
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

/** Tokens of all requests, where their mean leaves one whole number only. */
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
  if (load !== null) return [];
  const { requests, inFlight } = report;
  const message =
    inFlight === null
      ? 'The report does not tell how many requests were sent.'
      : `${inFlight} of ${requests} requests were in flight on average, which is too few for all of them at once; the report does not tell the limit.`;
  const evidence = { num_requests: requests, avg_num_concurrent_requests: inFlight };
  return [{ code: 'load_unknown', severity: 'warning', message, evidence }];
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
  const bases = new Set(metrics.map(([name]) => /^\w+_ms(?=_)/.exec(name)?.[0] ?? name));
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
    definitions: Object.fromEntries(Object.entries(definitions).filter(([base]) => bases.has(base))),
    extra: {
      ...report.extra,
      ...Object.fromEntries(Object.entries(means).filter((entry): entry is [string, number] => entry[1] !== null)),
    },
    notes: toNotes(report, load),
    lines: { from: report.from, to: report.to },
  };
}
