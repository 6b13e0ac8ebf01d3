import {
  fileBits,
  findModel,
  findQuantization,
  type Model,
  type Quantization,
  quantizations,
} from '../catalogue/index.ts';
import { derived } from '../catalogue/memo.ts';
import type { Result } from '../result.ts';

/** What a model makes the hardware read and compute for a token. Null: no sourced figure. */
export interface WeightFigures {
  name: string;
  /** Parameters in all, and those that decoding and prefilling a token multiply by. */
  params: number;
  decodeParams: number | null;
  prefillParams: number | null;
  /** Bytes of one weight: the least that the format has anywhere, for bounds, and the average. */
  bytesLeast: number | null;
  bytesAverage: number | null;
  /** Bytes of keys and values for a token of context that surely are read, and about that are. */
  kvBytesLeast: number;
  kvBytes: number | null;
  /** Bits of the numbers that are multiplied; null where the format does not say. */
  activationBits: number | null;
  /** The format's kind; GGUF files are multiplied in whole numbers where the hardware has them. */
  format: Quantization['family'] | null;
  /** True where half of the weights are zero in a pattern the hardware skips. */
  isSparse: boolean;
}

/** Mixed files differ this much from the average of the type they are named after; more, and the name is another type's. */
export const namedBitsTolerance = 0.15;

/** True if a file of so many bits a weight may be called by this type's name. */
export function fitsName(bits: number, { bitsPerWeight }: Quantization): boolean {
  return bitsPerWeight !== null && Math.abs(bits - bitsPerWeight) <= namedBitsTolerance * bitsPerWeight;
}

/** Bits per weight that the file itself tells; null where its size or its parameters were not given. */
export function measuredBits({ file_bytes, params }: Result['extra']): number | null {
  const isTold = typeof file_bytes === 'number' && typeof params === 'number' && params > 0;
  return isTold ? fileBits(file_bytes, params) : null;
}

interface Bits {
  least: number | null;
  average: number | null;
}

/** The fewest bits of a weight that any format has. */
export const fewestBits = derived(() =>
  Math.min(...quantizations.map(({ bitsPerWeightMin }) => bitsPerWeightMin ?? Infinity)),
);

/** The format's bits; those of the file where it is called by another type's name. */
function bitsOf(named: Quantization | null, model: Model, measured: number | null): Bits {
  const ofName = { least: named?.bitsPerWeightMin ?? null, average: measured ?? named?.bitsPerWeight ?? null };
  if (measured === null || (named !== null && fitsName(measured, named))) return ofName;
  const native = findQuantization(model.nativePrecision);
  const least = native !== null && fitsName(measured, native) ? native.bitsPerWeightMin : null;
  // Half of the average leaves room for whatever mix of blocks the file has.
  return { least: least ?? Math.max(measured / 2, fewestBits()), average: measured };
}

/** Bits of a stored key or value, the fewest that the name tells of; null where it tells nothing. */
function bitsOfName(dtype: unknown): number | null {
  if (dtype === undefined || dtype === 'auto') return 16;
  // An exponent and a mantissa are the halves of eight bits: e4m3, e5m2.
  const words = String(dtype).replaceAll(/e[45]m[23]/giu, ' fp8 ');
  const told = [...words.matchAll(/(?<![0-9])(?:32|16|8|6|5|4)(?![0-9])/gu)].map(([digits]) => Number(digits));
  return told.length === 0 ? null : Math.min(...told);
}

/** Keys and values may be stored in different types. */
function cacheBits({ kv_cache_dtype, cache_type_k, cache_type_v, type_k, type_v }: Result['system']['features']) {
  const keys = bitsOfName(kv_cache_dtype ?? cache_type_k ?? type_k);
  const values = bitsOfName(kv_cache_dtype ?? cache_type_v ?? type_v);
  return keys === null || values === null ? null : (keys + values) / 2;
}

/** Families whose cache in the catalogue is an upper limit: most of their layers see a window of the context only. */
const windowed: ReadonlySet<string> = new Set(['gemma-2', 'gemma-3', 'llama-4']);

/** Bytes of cache per token: of the layers whose cache grows. Some rows of the catalogue count all layers. */
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

/** The weights of a result's system; null where the catalogue does not know the model. */
export function weightFigures(result: Pick<Result, 'system' | 'extra'>): WeightFigures | null {
  const { id } = result.system.model;
  const model = id === null ? null : findModel(id);
  return model === null ? null : weightsOf(model, result);
}

/** The weights of a model in the format of a result. */
export function weightsOf(model: Model, { system, extra }: Pick<Result, 'system' | 'extra'>): WeightFigures {
  const { quantization, features } = system;
  const named = quantization.id === null ? null : findQuantization(quantization.id);
  const isSparse = quantization.recipe.includes('sparse') || features.sparsity === '2:4';
  const measured = measuredBits(extra);
  const bits = bitsOf(named, model, measured);
  const isMisnamed = measured !== null && named !== null && named.bitsPerWeight !== null && !fitsName(measured, named);
  // Kernels for MXFP4 multiply in 16, 8 or 4 bits, as the hardware has them.
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
