import { findGpu, findModel, type Model } from '../catalogue/index.ts';
import { decodingOf } from '../checks/physics/hardware-claim.ts';
import { claimedUserSpeed } from '../checks/physics/p2-user-speed.ts';
import { wattHoursPerMtok } from '../derive/energy.ts';
import { systemBound, userBound } from '../hardware/bounds.ts';
import { expectedStepBytes, expertsTouched, prefillFlops } from './expected-work.ts';
import { makeResult, type ResultWords } from './result.ts';

function modelOf(id: string): Model {
  const model = findModel(id);
  if (model === null) throw new Error(`the catalogue has no model ${id}`);
  return model;
}

const bf16 = (gpu: string) => (findGpu(gpu)?.tflopsDense.bf16 ?? Number.NaN) * 1e12;
const flopsOf = (model: string, tokens: number) => prefillFlops(modelOf(model), tokens) ?? Number.NaN;

/** Calls of the vectors about hardware, see `vector-calls.ts`. */
/* biome-ignore lint/suspicious/noExplicitAny: each call knows the types that the file gives it */
export const physicsCalls: Record<string, (...given: any[]) => unknown> = {
  /** `bandwidthGbs`: the vendor's figure, if the vector does not use the highest published one. */
  p2_bound: (words: ResultWords, bandwidthGbs?: number) => {
    const result = makeResult(words);
    const decoding = decodingOf(result);
    if (Array.isArray(decoding)) return decoding;
    const { bandwidthMost } = decoding.gpus;
    const gpus = { ...decoding.gpus, bandwidthMost: bandwidthGbs === undefined ? bandwidthMost : bandwidthGbs * 1e9 };
    const bound = userBound({ ...decoding, gpus }) ?? Number.NaN;
    return { bound, ratio: (claimedUserSpeed(result) ?? Number.NaN) / bound };
  },
  p3_bound: (words: ResultWords) => {
    const result = makeResult(words);
    const decoding = decodingOf(result);
    if (Array.isArray(decoding)) return decoding;
    const limit = systemBound(decoding, result.load.level ?? Number.NaN);
    return {
      bound: limit?.bound,
      bytes_per_step: limit?.bytesPerStep,
      step_ms: (limit?.stepS ?? Number.NaN) * 1000,
      compute_bound: limit?.computeBound,
      ratio: (result.metrics.decode_tok_s ?? Number.NaN) / (limit?.bound ?? Number.NaN),
    };
  },
  experts_touched: (total: number, active: number, batches: number[]) =>
    batches.map((batch) => expertsTouched(total, active, batch)),
  expected_step_gb: (model: string, expertBits: number, otherBits: number, batches: number[]) =>
    batches.map((batch) => {
      const bytes = expectedStepBytes(modelOf(model), batch, { experts: expertBits / 8, others: otherBits / 8 });
      return (bytes ?? Number.NaN) / 1e9;
    }),
  prefill_flops: (model: string, lengths: number[]) => lengths.map((tokens) => flopsOf(model, tokens)),
  prefill_ms: (model: string, gpu: string, lengths: number[]) =>
    lengths.map((tokens) => (flopsOf(model, tokens) / bf16(gpu)) * 1000),
  prefill_tok_s: (model: string, gpu: string, lengths: number[]) =>
    lengths.map((tokens) => tokens / (flopsOf(model, tokens) / bf16(gpu))),
  wh_per_mtok: (tokS: number, watts: number) => wattHoursPerMtok(tokS, watts),
};
