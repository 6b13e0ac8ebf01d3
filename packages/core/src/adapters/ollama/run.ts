import { quantizationHint } from '../../catalogue/names/quantization-hint.ts';
import type { MetricName } from '../../metrics/index.ts';
import { type Fact, noFacts, noResult, type ParsedResult, type ReaderNote } from '../adapter.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';

/** Ollama's figures of one request. Durations are in ms, rates in tok/s; null if the line is missing. */
export interface OllamaRun {
  /** 1-based, inclusive. */
  from: number;
  to: number;
  model: Fact<string> | null;
  totalMs: number | null;
  loadMs: number | null;
  promptTokens: number | null;
  promptTokS: number | null;
  outputTokens: number | null;
  outputTokS: number | null;
  measuredAt: string | null;
  /** Ollama if absent. */
  engine?: Fact<string>;
  /** Only from the bench tool. */
  quantization?: Fact<string> | null;
  /** From the client's request to the first content of the response. */
  ttftMs?: number | null;
  features?: Record<string, string | number | boolean>;
  /** Unused names. */
  ignored?: string[];
  extra?: Record<string, string | number>;
}

/** Below this number of prompt tokens, and above this ratio of prefill to decode speed, the prompt came from the cache. */
const cached = { tokens: 16, ratio: 100 };

function toNotes({ promptTokens, promptTokS, outputTokS }: OllamaRun): ReaderNote[] {
  if (promptTokens === null || promptTokS === null || outputTokS === null) return [];
  if (promptTokens > cached.tokens || promptTokS < cached.ratio * outputTokS) return [];
  const message = `${promptTokens} prompt tokens at ${promptTokS} tok/s: the rest of the prompt came from the cache, so this is not the speed of a cold prompt.`;
  const evidence = { prompt_eval_count: promptTokens, prompt_eval_rate: promptTokS };
  return [{ code: 'prefix_cache_hits', severity: 'info', message, evidence }];
}

const known = (value: number | null): value is number => value !== null && value > 0;

/** The tool prints nine decimals of a second, so a difference is rounded to the same precision. */
function withoutLoad(totalMs: number, loadMs: number): number {
  return Math.round((totalMs - loadMs) * 1e6) / 1e6;
}

const definitions: Record<string, string> = {
  ttft_ms: 'send_to_first_token',
  e2e_ms: 'request',
  prefill_tok_s: 'in_process',
  decode_tok_s: 'in_process',
  user_tok_s: 'in_process',
};

/**
 * One request as a result. Its latency excludes the time to load the model. The lengths of prompts and responses vary from
 * request to request, so neither is a requested workload.
 */
export function toOllamaResult(run: OllamaRun, repetition: number): ParsedResult {
  const { totalMs, loadMs, model } = run;
  const e2eMs = totalMs === null ? null : withoutLoad(totalMs, loadMs ?? 0);
  const found: [MetricName, number | null][] = [
    ['ttft_ms_mean', run.ttftMs ?? null],
    ['e2e_ms_mean', e2eMs],
    ['prefill_tok_s', run.promptTokS],
    ['decode_tok_s', run.outputTokS],
    ['user_tok_s', run.outputTokS],
    ['requests_ok', 1],
    ['input_tokens', run.promptTokens],
    ['output_tokens', run.outputTokens],
  ];
  const metrics = found.filter((entry): entry is [MetricName, number] => known(entry[1]));
  const hint = model === null ? null : quantizationHint(model.value);
  return {
    ...noResult,
    system: {
      ...noFacts,
      model,
      quantization: run.quantization ?? (hint === null ? null : { value: hint, origin: 'inferred' }),
      engine: run.engine ?? { value: 'ollama', origin: 'stated' },
      features: run.features ?? {},
    },
    load: { mode: 'concurrency', level: 1 },
    repetition,
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, definitions),
    extra: {
      ...(totalMs === null ? {} : { total_ms: totalMs }),
      ...(loadMs === null ? {} : { load_ms: loadMs }),
      ...run.extra,
    },
    notes: toNotes(run),
    measuredAt: run.measuredAt,
    lines: { from: run.from, to: run.to },
  };
}
