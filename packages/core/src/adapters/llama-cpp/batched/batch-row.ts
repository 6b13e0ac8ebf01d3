import { quantizationHint } from '../../../catalogue/names/quantization-hint.ts';
import type { MetricName } from '../../../metrics/index.ts';
import { type Fact, noFacts, noResult, noScenario, type ParsedResult } from '../../adapter.ts';

/** One measured batch from a table row or a JSON line. Times are in s, speeds in tok/s; null if missing. */
export interface BatchRow {
  /** 1-based, inclusive. */
  from: number;
  to: number;
  /** Tokens of each prompt and of each response. */
  pp: number;
  tg: number;
  /** Number of parallel sequences; null if the program supports only one. */
  b: number | null;
  nKv: number;
  speedPp: number | null;
  speedTg: number | null;
  durationS: number | null;
  speed: number | null;
}

/** The program's start parameters, from its first line or from each JSON line. */
export interface BatchSettings {
  nKvMax: number | null;
  nBatch: number | null;
  nUbatch: number | null;
  flashAttention: number | null;
  isPromptShared: number | null;
  isGenerationSeparate: number | null;
  nGpuLayers: number | null;
  threads: number | null;
  threadsBatch: number | null;
}

export interface BatchSystem {
  model: Fact<string> | null;
  /** The file type that the log states. */
  fileType: Fact<string> | null;
  gpu: Fact<string> | null;
  gpuCount: Fact<number> | null;
  engine: string;
  /** Settings of the command. */
  features: Record<string, string | number | boolean>;
}

/** Settings that define a different system, if they differ from the default. */
function toFeatures(settings: BatchSettings, isOnGpu: boolean): Record<string, string | number | boolean> {
  const { nBatch, nUbatch, flashAttention, isPromptShared, isGenerationSeparate, nGpuLayers } = settings;
  return {
    ...(nBatch === null || nBatch === 2048 ? {} : { n_batch: nBatch }),
    ...(nUbatch === null || nUbatch === 512 ? {} : { n_ubatch: nUbatch }),
    ...(flashAttention === null || flashAttention === 0
      ? {}
      : { flash_attention: flashAttention === 1 ? true : 'auto' }),
    ...(isPromptShared === 1 ? { shared_prompt: true } : {}),
    ...(isGenerationSeparate === 1 ? { separate_generation: true } : {}),
    ...(nGpuLayers === 0 && isOnGpu ? { offload: true } : {}),
  };
}

function toExtra({ nKvMax, nGpuLayers, threads, threadsBatch }: BatchSettings): Record<string, number> {
  return {
    ...(nKvMax === null ? {} : { n_kv_max: nKvMax }),
    ...(nGpuLayers === null ? {} : { n_gpu_layers: nGpuLayers }),
    ...(threads === null ? {} : { threads }),
    ...(threadsBatch === null ? {} : { threads_batch: threadsBatch }),
  };
}

/** An empty batch has a speed of 0 or of 0/0. Neither was measured. */
function positive(value: number | null): number | null {
  return value !== null && value > 0 ? value : null;
}

/** True if a row has any speed. */
export function isMeasured({ pp, tg, speedPp, speedTg }: BatchRow): boolean {
  return (pp > 0 && positive(speedPp) !== null) || (tg > 0 && positive(speedTg) !== null);
}

/**
 * A row as a result. S_TG counts the tokens of all sequences, so the speed per user is S_TG / B. With one sequence, N_KV is
 * the cache content before the test. With several, it is the cache content that the test created.
 */
export function toBatchResult(row: BatchRow, system: BatchSystem, settings: BatchSettings): ParsedResult {
  const { pp, tg, b, nKv, from, to } = row;
  const hint = system.model === null ? null : quantizationHint(system.model.value);
  const decode = tg > 0 ? positive(row.speedTg) : null;
  const found: [MetricName, number | null][] = [
    ['prefill_tok_s', pp > 0 ? positive(row.speedPp) : null],
    ['decode_tok_s', decode],
    ['user_tok_s', decode === null ? null : decode / (b ?? 1)],
    ['total_tok_s', positive(row.speed)],
    ['duration_s', positive(row.durationS)],
  ];
  const metrics = found.filter((entry): entry is [MetricName, number] => entry[1] !== null);
  const timed = new Set<MetricName>(['prefill_tok_s', 'decode_tok_s', 'user_tok_s']);
  return {
    ...noResult,
    system: {
      ...noFacts,
      model: system.model,
      quantization: hint === null ? system.fileType : { value: hint, origin: 'inferred' },
      gpu: system.gpu,
      gpuCount: system.gpuCount,
      engine: { value: system.engine, origin: 'inferred' },
      features: { ...toFeatures(settings, system.gpu !== null), ...system.features },
    },
    scenario: {
      ...noScenario,
      inputTokens: { value: pp, origin: 'stated' },
      outputTokens: { value: tg, origin: 'stated' },
      depth: b === null && nKv > 0 ? nKv : null,
    },
    load: { mode: 'batch', level: b ?? 1 },
    metrics: Object.fromEntries(metrics),
    definitions: Object.fromEntries(metrics.filter(([name]) => timed.has(name)).map(([name]) => [name, 'in_process'])),
    extra: { ...toExtra(settings), ...(b === null ? {} : { n_kv: nKv }) },
    lines: { from, to },
  };
}
