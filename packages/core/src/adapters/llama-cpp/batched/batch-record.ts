import { z } from 'zod';
import { countNames, type JsonObject, type JsonRecord, recordFinder } from '../../reading/documents/json-records.ts';
import { parseAt } from '../../reading/documents/zod-faults.ts';
import type { BatchRow, BatchSettings } from './batch-row.ts';

const tokens = z.number().int().nonnegative().max(1e9);
/** Python and C write NaN and infinities for a division by zero. */
const figure = z.preprocess(
  (value) => (typeof value === 'number' && !Number.isFinite(value) ? null : value),
  z.number().nonnegative().nullish(),
);
const setting = z.number().int().nullish();

const RowSchema = z.looseObject({
  n_kv_max: setting,
  n_batch: setting,
  n_ubatch: setting,
  flash_attn: setting,
  is_pp_shared: setting,
  is_tg_separate: setting,
  n_gpu_layers: setting,
  n_threads: setting,
  n_threads_batch: setting,
  pp: tokens,
  tg: tokens,
  pl: z.number().int().positive().max(1e6).nullish(),
  n_kv: tokens,
  t_pp: figure,
  speed_pp: figure,
  t_tg: figure,
  speed_tg: figure,
  t: figure,
  speed: figure,
});

const known = new Set(Object.keys(RowSchema.shape));
const required = ['n_kv_max', 'pp', 'tg', 'n_kv', 'speed_pp', 'speed_tg'];

function likeness(value: JsonObject, isBatched: boolean) {
  if (Object.hasOwn(value, 'pl') !== isBatched) return null;
  const found = countNames(value, required);
  return found === required.length ? 'whole' : found >= 4 ? 'likely' : null;
}

/**
 * JSON lines of llama-batched-bench, which have the number of parallel sequences `pl`, and of llama-sweep-bench, which do
 * not.
 */
export const findBatchedRecords = recordFinder((value) => likeness(value, true));
export const findSweepRecords = recordFinder((value) => likeness(value, false));

export interface ReadRow {
  row: BatchRow;
  settings: BatchSettings;
  ignored: string[];
}

/** Reads one line. Throws `ArtifactError` if it is not in the program's format. */
export function readBatchRecord({ value, from, to }: JsonRecord): ReadRow {
  const data = parseAt(RowSchema, value, from);
  return {
    row: {
      from,
      to,
      pp: data.pp,
      tg: data.tg,
      b: data.pl ?? null,
      nKv: data.n_kv,
      speedPp: data.speed_pp ?? null,
      speedTg: data.speed_tg ?? null,
      durationS: data.t ?? null,
      speed: data.speed ?? null,
    },
    settings: {
      nKvMax: data.n_kv_max ?? null,
      nBatch: data.n_batch ?? null,
      nUbatch: data.n_ubatch ?? null,
      flashAttention: data.flash_attn ?? null,
      isPromptShared: data.is_pp_shared ?? null,
      isGenerationSeparate: data.is_tg_separate ?? null,
      nGpuLayers: data.n_gpu_layers ?? null,
      threads: data.n_threads ?? null,
      threadsBatch: data.n_threads_batch ?? null,
    },
    ignored: Object.keys(data).filter((name) => !known.has(name)),
  };
}
