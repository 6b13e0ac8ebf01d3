import type { MetricName } from '../../metrics/index.ts';
import type { RequestRecord } from '../../records.ts';
import type { KnownLoad } from '../../subjects/load.ts';
import { type Fact, noResult, noScenario, type ParsedResult, type ReaderNote, type SystemFacts } from '../adapter.ts';
import type { BlockFigures } from '../reading/figures/block-figures.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import { toServingLoad } from '../vllm/serving.ts';

/** One run of bench_serving, from its JSON line or its console block. */
export interface ServingRun {
  from: number;
  to: number;
  /** False if a console block has no closing rule. */
  isClosed: boolean;
  /** Client protocol: `sglang`, `sglang-oai`, `vllm`, ... */
  backend: string | null;
  /** Requests per second; null without limit, `trace` for recorded arrivals, undefined if not stated. */
  requestRate: number | null | 'trace' | undefined;
  maxConcurrency: number | null | undefined;
  /** Requested prompts, if stated. */
  sent: number | null;
  figures: Pick<BlockFigures, 'metrics' | 'extra'>;
  /** Whether no model ran. */
  isSimulated?: boolean;
  system: SystemFacts;
  dataset: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  /** Source of the workload: the record itself, or the log before it. */
  origin: Fact<string>['origin'];
  requests: readonly RequestRecord[] | null;
  /** Notes about the log before a console block. */
  notes: readonly ReaderNote[];
}

/** Engines by the client protocol. All names that contain `sglang` are SGLang's own. */
const engines: Record<string, string> = {
  vllm: 'vllm',
  'vllm-chat': 'vllm',
  lmdeploy: 'lmdeploy',
  'lmdeploy-chat': 'lmdeploy',
  trt: 'tensorrt-llm',
};

/** The engine that a backend names. Only a hint, because users also test other servers with it. */
export function engineOf(backend: string | null): Fact<string> | null {
  if (backend === null) return null;
  const value = backend.startsWith('sglang')
    ? 'sglang'
    : Object.hasOwn(engines, backend)
      ? engines[backend]
      : undefined;
  return value === undefined ? null : { value, origin: 'inferred' };
}

/** SGLang's own protocol reports the number of tokens in a chunk. The others do if draft tokens were counted. */
function gapDefinition({ backend, figures }: ServingRun): string {
  if (backend === null) return 'not_stated';
  const isNative = backend === 'sglang' || backend === 'sglang-native';
  return isNative || (figures.extra.acc_length ?? 0) > 0 ? 'per_token' : 'per_chunk';
}

const latencyBases = ['ttft_ms', 'tpot_ms', 'itl_ms', 'e2e_ms'];
const baseOf = (name: string) => latencyBases.find((base) => name.startsWith(base)) ?? name;

/**
 * Latencies that were not measured: those with a mean (else median) of 0. If the gaps are 0 although responses have several
 * tokens, nothing was streamed. The first token then arrived with the last, and the remaining TPOT is meaningless. If the
 * first token is 0 as well, TPOT is the whole latency.
 */
function findUnmeasured({ figures: { metrics } }: ServingRun): { bases: Set<string>; isWholeTpot: boolean } {
  const middle = (base: string) =>
    metrics.get(`${base}_mean` as MetricName) ?? metrics.get(`${base}_p50` as MetricName);
  const bases = new Set(latencyBases.filter((base) => middle(base) === 0));
  const isLonger = (metrics.get('output_tokens') ?? 0) > (metrics.get('requests_ok') ?? 0);
  if (!isLonger || !bases.has('itl_ms')) return { bases, isWholeTpot: false };
  const isWholeTpot = bases.has('ttft_ms');
  bases.add('ttft_ms');
  if (!isWholeTpot) bases.add('tpot_ms');
  return { bases, isWholeTpot };
}

/** How the requests were sent; null if unknown or not one of our loads. Arrivals at a rate are Poisson. */
function toLoad(run: ServingRun): { load: KnownLoad | null; notes: ReaderNote[] } {
  const { requestRate, maxConcurrency: cap, sent, figures } = run;
  const rate = requestRate === 'trace' ? undefined : requestRate;
  // A client that does not report a cap has no such setting.
  const asked = { rate, cap: cap ?? null, burstiness: 1, sent: sent ?? figures.metrics.get('requests_ok') ?? 0 };
  return toServingLoad(asked, figures.metrics);
}

/** Maximum relative difference between requested or reported tokens and a recount of the text. */
const retokenizedShare = 0.05;

function toNotes(run: ServingRun, load: KnownLoad | null, unmeasured: ReadonlySet<string>): ReaderNote[] {
  const { metrics, extra } = run.figures;
  const notes: ReaderNote[] = [];
  if (!run.isClosed) {
    const message = 'The block has no closing rule: the paste was cut, and figures may be missing.';
    notes.push({ code: 'truncated', severity: 'info', message, evidence: { from: run.from, to: run.to } });
  }
  if (load === null) {
    const message = 'The artifact does not state how the requests were sent, or they followed a recorded trace.';
    const evidence = run.requestRate === 'trace' ? { request_rate: 'trace' } : {};
    notes.push({ code: 'load_unknown', severity: 'warning', message, evidence });
  }
  for (const metric of unmeasured) {
    const message = `${metric} was not measured: nothing was streamed, or responses had one token.`;
    notes.push({ code: 'zero_is_missing', severity: 'info', message, evidence: { metric } });
  }
  const ok = metrics.get('requests_ok');
  if (run.sent !== null && ok !== undefined && ok < run.sent && run.requests === null) {
    const message = `${run.sent} requests were planned and ${ok} succeeded; this tool does not state whether the others failed.`;
    const evidence = { num_prompts: run.sent, requests_ok: ok };
    notes.push({ code: 'requests_unaccounted', severity: 'warning', message, evidence });
  }
  const output = metrics.get('output_tokens') ?? 0;
  const again = extra.output_tokens_retokenized;
  if (again !== undefined && output > 0 && Math.abs(again - output) > retokenizedShare * output) {
    const message = `${output} output tokens are counted, but the resulting text has ${again}: rates use the first figure.`;
    const evidence = { output_tokens: output, output_tokens_retokenized: again };
    notes.push({ code: 'output_retokenized', severity: 'info', message, evidence });
  }
  return notes;
}

/** A run as a result. */
export function toServingResult(run: ServingRun): ParsedResult {
  const { bases, isWholeTpot } = findUnmeasured(run);
  const isMeasured = ([name]: readonly [string, number]) => bases.size === 0 || !bases.has(baseOf(name));
  const metrics = [...run.figures.metrics].filter(isMeasured);
  const extra = Object.entries(run.figures.extra).filter(isMeasured);
  const formulas: Record<string, string> = {
    ttft_ms: 'send_to_first_token',
    tpot_ms: isWholeTpot ? 'with_first_token' : 'without_first_token',
    itl_ms: gapDefinition(run),
    e2e_ms: 'request',
  };
  const ok = run.figures.metrics.get('requests_ok');
  const isComplete = run.sent !== null && run.sent === ok && run.requests === null;
  const { load, notes } = toLoad(run);
  const fact = <T>(value: T | null): Fact<T> | null => (value === null ? null : { value, origin: run.origin });
  const cached = run.figures.extra.cache_hit_rate_percent ?? 0;
  const accepted = run.figures.extra.acc_length ?? 0;
  return {
    ...noResult,
    system: {
      ...run.system,
      features: {
        ...(accepted > 0 ? { speculative_decoding: true } : {}),
        ...(cached > 0 ? { prefix_caching: true } : {}),
        ...run.system.features,
      },
    },
    scenario: {
      ...noScenario,
      inputTokens: fact(run.inputTokens),
      outputTokens: fact(run.outputTokens),
      dataset: fact(run.dataset),
    },
    load,
    // All requested prompts succeeded, so none failed. The reverse is not certain.
    metrics: { ...Object.fromEntries(metrics), ...(isComplete ? { requests_failed: 0 } : {}) },
    definitions: definitionsOf(metrics, formulas),
    requests: run.requests,
    extra: { ...Object.fromEntries(extra), ...(run.isSimulated === true ? { simulated: true } : {}) },
    notes: [...notes, ...run.notes, ...toNotes(run, load, bases)],
    lines: { from: run.from, to: run.to },
  };
}
