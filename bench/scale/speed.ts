import { findQuantization } from '../../packages/core/src/catalogue/index.ts';
import type { System } from '../../packages/core/src/subjects/system.ts';
import { rowsOf } from './systems.ts';

/** Speed of a system, in seconds. */
export interface Speed {
  /** Prefill of a prompt with this many tokens. */
  prefillS(tokens: number): number;
  /** One decoding step for all sequences of a batch, each with this length in tokens. */
  decodeS(batch: number, context: number): number;
  /** Number of sequences of this length that fit into memory. */
  slots(context: number): number;
}

/** Scaling efficiency of each further doubling of GPUs. */
const scaling = 0.93;
const slotsMax = 256;
/** Minimum duration of a step (launch overhead). */
const stepOverheadS = 0.0008;
const unlisted = { bits: 5, kvBytes: 131_072, flopsPerByte: 100 };

/**
 * The speed from the catalogue's data: a step reads the weights and the cache, or computes, and takes the longer of the two
 * times. `efficiency`, below 1: fraction of the ideal speed.
 */
export function speedOf(system: System, efficiency: number): Speed {
  const { model, gpu } = rowsOf(system);
  const bytes = (findQuantization(system.quantization.id ?? '')?.bitsPerWeight ?? unlisted.bits) / 8;
  const count = system.gpuCount ?? 1;
  const working = count * scaling ** Math.log2(count) * efficiency;
  const bandwidth = gpu.memoryBandwidthGbs * 1e9 * working;
  const { bf16, fp16 } = gpu.tflopsDense;
  const tflops = bf16 ?? fp16;
  const flops = (tflops === null ? gpu.memoryBandwidthGbs * 1e9 * unlisted.flopsPerByte : tflops * 1e12) * working;
  const read = (model.matmulParamsPerTokenB ?? model.paramsActiveB) * 1e9;
  const prefilled = (model.prefillParamsPerTokenB ?? model.paramsActiveB) * 1e9;
  const kvBytes = model.kvBytesPerToken16bit ?? unlisted.kvBytes;
  const free = gpu.memoryGb * 1e9 * count * 0.9 - model.paramsTotalB * 1e9 * bytes;
  return {
    prefillS: (tokens) => (2 * prefilled * tokens) / flops + stepOverheadS,
    decodeS: (batch, context) =>
      stepOverheadS + Math.max((read * bytes + batch * context * kvBytes) / bandwidth, (2 * read * batch) / flops),
    slots: (context) => Math.max(1, Math.min(slotsMax, Math.floor(free / (kvBytes * context)))),
  };
}
