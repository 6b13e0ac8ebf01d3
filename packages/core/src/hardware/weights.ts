import {
  fileBits,
  findModel,
  findQuantization,
  type Model,
  type Quantization,
  quantizations,
} from '../catalogue/index.ts';
import { derived } from '../catalogue/memo.ts';
import type { Result } from '../subjects/result.ts';

/** What the hardware reads and computes per token of a model. Null means no sourced figure. */
export interface WeightFigures {
  name: string;
  /** Total parameters, and the parameters multiplied per decoded and per prefilled token. */
  params: number;
  decodeParams: number | null;
  prefillParams: number | null;
  /** Bytes per weight: the minimum in the format, for bounds, and the average. */
  bytesLeast: number | null;
  bytesAverage: number | null;
  /** Bytes of keys and values read per token of context: the certain minimum and the estimate. */
  kvBytesLeast: number;
  kvBytes: number | null;
  /** Bits of the multiplied numbers; null if the format does not define them. */
  activationBits: number | null;
  /** Kind of the format. GGUF files are multiplied as integers if the hardware supports it. */
  format: Quantization['family'] | null;
  /** True if half of the weights are zero in a pattern that the hardware skips. */
  isSparse: boolean;
}

/**
 * Maximum relative difference of a mixed file from the average of its named type. Beyond it, the name belongs to another
 * type.
 */
export const namedBitsTolerance = 0.15;

/** True if a file with this many bits per weight may have this type's name. */
export function fitsName(bits: number, { bitsPerWeight }: Quantization): boolean {
  return bitsPerWeight !== null && Math.abs(bits - bitsPerWeight) <= namedBitsTolerance * bitsPerWeight;
}

/** Bits per weight calculated from the file; null if its size or parameter count is missing. */
export function measuredBits({ file_bytes, params }: Result['extra']): number | null {
  const isKnown = typeof file_bytes === 'number' && typeof params === 'number' && params > 0;
  return isKnown ? fileBits(file_bytes, params) : null;
}

interface Bits {
  least: number | null;
  average: number | null;
}

/** The minimum bits per weight of all formats. */
export const fewestBits = derived(() =>
  Math.min(...quantizations.map(({ bitsPerWeightMin }) => bitsPerWeightMin ?? Infinity)),
);

/** The format's bits, or the file's bits if its name belongs to another type. */
function bitsOf(named: Quantization | null, model: Model, measured: number | null): Bits {
  const ofName = { least: named?.bitsPerWeightMin ?? null, average: measured ?? named?.bitsPerWeight ?? null };
  if (measured === null || (named !== null && fitsName(measured, named))) return ofName;
  const native = findQuantization(model.nativePrecision);
  const least = native !== null && fitsName(measured, native) ? native.bitsPerWeightMin : null;
  // Half of the average allows for any mix of blocks in the file.
  return { least: least ?? Math.max(measured / 2, fewestBits()), average: measured };
}

/** Minimum bits of a stored key or value for a dtype name; null if the name does not state them. */
function bitsOfName(dtype: unknown): number | null {
  if (dtype === undefined || dtype === 'auto') return 16;
  // Exponent and mantissa share eight bits: e4m3, e5m2.
  const words = String(dtype).replaceAll(/e[45]m[23]/giu, ' fp8 ');
  const widths = [...words.matchAll(/(?<![0-9])(?:32|16|8|6|5|4)(?![0-9])/gu)].map(([digits]) => Number(digits));
  return widths.length === 0 ? null : Math.min(...widths);
}

/** Keys and values may have different types. */
function cacheBits({ kv_cache_dtype, cache_type_k, cache_type_v, type_k, type_v }: Result['system']['features']) {
  const keys = bitsOfName(kv_cache_dtype ?? cache_type_k ?? type_k);
  const values = bitsOfName(kv_cache_dtype ?? cache_type_v ?? type_v);
  return keys === null || values === null ? null : (keys + values) / 2;
}

/** Families whose cache figure in the catalogue is an upper limit: most layers see only a window of the context. */
const windowed: ReadonlySet<string> = new Set(['gemma-2', 'gemma-3', 'llama-4']);

/** Cache bytes per token of the layers whose cache grows. Some rows of the catalogue count all layers. */
function cacheBytes(
  model: Model,
  features: Result['system']['features'],
): Pick<WeightFigures, 'kvBytesLeast' | 'kvBytes'> {
  const { kvBytesPerToken16bit: all, kvLayersGrowing: growing, layers, kvHeads, headDim } = model;
  const bits = cacheBits(features);
  const isPartlyRead = windowed.has(model.family) || (model.attention?.includes('sparse') ?? false);
  if (all === null || bits === null || isPartlyRead) return { kvBytesLeast: 0, kvBytes: null };
  const share = growing === null || layers === null ? 1 : growing / layers;
  const countsGrowingOnly =
    growing !== null && kvHeads !== null && headDim !== null && all === 4 * kvHeads * headDim * growing;
  return { kvBytesLeast: all * share * (bits / 16), kvBytes: all * (countsGrowingOnly ? 1 : share) * (bits / 16) };
}

const billions = (figure: number | null) => (figure === null ? null : figure * 1e9);
const toBytes = (bits: number | null, isSparse: boolean) => (bits === null ? null : bits / 8 / (isSparse ? 2 : 1));

/** Returns the weights of a result's system; null if the model is unknown. */
export function weightFigures(result: Pick<Result, 'system' | 'extra'>): WeightFigures | null {
  const { id } = result.system.model;
  const model = id === null ? null : findModel(id);
  return model === null ? null : weightsOf(model, result);
}

/** Returns the weights of a model in the format of a result. */
export function weightsOf(model: Model, { system, extra }: Pick<Result, 'system' | 'extra'>): WeightFigures {
  const { quantization, features } = system;
  const named = quantization.id === null ? null : findQuantization(quantization.id);
  const isSparse = quantization.recipe.includes('sparse') || features.sparsity === '2:4';
  const measured = measuredBits(extra);
  const bits = bitsOf(named, model, measured);
  const isMisnamed = measured !== null && named !== null && named.bitsPerWeight !== null && !fitsName(measured, named);
  // MXFP4 kernels multiply in 16, 8 or 4 bits, depending on the hardware.
  const isOpen = isMisnamed || named?.id === 'mxfp4';
  return {
    name: model.name,
    params: Math.min(model.paramsTotalB, model.paramsTotalComputedB ?? model.paramsTotalB) * 1e9,
    decodeParams: billions(model.matmulParamsPerTokenB),
    prefillParams: billions(model.prefillParamsPerTokenB),
    bytesLeast: toBytes(bits.least, isSparse),
    bytesAverage: toBytes(bits.average, isSparse),
    ...cacheBytes(model, features),
    activationBits: isOpen ? null : (named?.activationBits ?? null),
    format: isMisnamed ? null : (named?.family ?? null),
    isSparse,
  };
}
