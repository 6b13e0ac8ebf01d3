import {
  findGpu,
  findGpuFamily,
  findModel,
  findQuantization,
  type Gpu,
  gpus,
  type Model,
  models,
  type Quantization,
  quantizations,
} from '../catalogue/index.ts';
import { vendorOf } from '../filters/filters.ts';
import type { Question } from './question.ts';
import { modelsOf } from './readers/model-groups.ts';

/** Default context tokens of one request. */
export const contextDefault = 4096;
/** GB on each GPU for the engine's buffers and the driver. */
export const allowanceGb = 1;
/** The share of shared memory that a GPU may use. A discrete card uses all of its memory. */
export const sharedShare = 0.75;

/** The sentence that explains the figures. */
export const fitRule =
  `Computed from the catalogue, not measured: weights are parameters × bits per weight ÷ 8, the cache is the context of each request at once × ` +
  `bytes per token with 16-bit keys and values, and ${allowanceGb} GB on each GPU is reserved for the rest. Of memory shared with the CPU, ` +
  `${sharedShare * 100} % is usable.`;

const listOf = (value: Question['filters'][string] | undefined) =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

/** Returns the GPUs that match a filter's value. */
const gpusOf = (value: string | number): Gpu[] => {
  const gpu = findGpu(String(value));
  if (gpu !== null) return [gpu];
  return (findGpuFamily(String(value))?.members ?? []).flatMap((id) => findGpu(id) ?? []);
};

type Asked = Pick<Question, 'filters' | 'fit'>;

/** Returns the requests at once whose caches must fit: the stated load, unless it is a rate. Default one. */
export function requestsOf({ filters }: Pick<Question, 'filters'>): number {
  const [level] = [...listOf(filters.load_level), ...listOf(filters.min_load_level)];
  const isRate = listOf(filters.load_mode).includes('rate');
  return isRate || level === undefined ? 1 : Math.max(1, Number(level));
}

/** Returns the GPU with the least memory among those that a question names; null if it names none of the catalogue. */
export function smallestGpu({ filters }: Pick<Question, 'filters'>): Gpu | null {
  const named = listOf(filters.gpu).flatMap(gpusOf);
  return named.sort((a, b) => a.memoryGb - b.memoryGb)[0] ?? null;
}

/** Returns the vendors of the GPUs that a question names: "64 GB mac" names no GPU. */
function vendorsOf({ filters }: Pick<Question, 'filters'>): Set<Gpu['vendor']> {
  const named = listOf(filters.gpu).map(String);
  return new Set(
    named.flatMap((value) => {
      const vendor = vendorOf(value);
      return vendor === null ? gpusOf(value).map((gpu) => gpu.vendor) : [vendor];
    }),
  );
}

/** True if the GPUs that a question names share their memory with the CPU. Of a vendor, all of them must. */
function hasSharedMemory(question: Pick<Question, 'filters'>): boolean {
  const gpu = smallestGpu(question);
  if (gpu !== null) return gpu.unifiedMemory;
  const vendors = vendorsOf(question);
  return vendors.size > 0 && gpus.filter(({ vendor }) => vendors.has(vendor)).every((one) => one.unifiedMemory);
}

/** Returns the stated number of GPUs, default one. */
export const gpuCountOf = ({ filters }: Pick<Question, 'filters'>): number =>
  Number(listOf(filters.gpu_count)[0] ?? filters.min_gpu_count ?? 1);

/** Returns the memory of a question in GB: the stated memory, else the total of its GPUs; null if it names none. */
export function memoryOf(question: Asked): number | null {
  const stated = question.fit?.memoryGb ?? null;
  if (stated !== null) return stated;
  const gpu = smallestGpu(question);
  return gpu === null ? null : gpu.memoryGb * gpuCountOf(question);
}

/** Returns the GPUs with the given memory. */
export const gpusOfMemory = (memoryGb: number): string[] =>
  gpus.filter((gpu) => gpu.memoryGb === memoryGb).map(({ id }) => id);

/** Memory requirement of a model in a quantization. */
export interface FitRow {
  model: string;
  modelName: string;
  quantization: string;
  quantizationName: string;
  weightsGb: number;
  /** Null if the catalogue has no cache size. */
  cacheGb: number | null;
  /** Tokens of each request. */
  contextTokens: number;
  /** Requests at once whose caches the size includes. */
  requests: number;
  allowanceGb: number;
  totalGb: number;
  /** Null if the question names no memory. */
  fits: boolean | null;
  /** Number of the question's GPUs that hold it; null if it names none. */
  gpusNeeded: number | null;
  arithmetic: string;
}

export interface FitAnswer {
  memoryGb: number | null;
  /** The usable part of the memory. */
  usableGb: number | null;
  gpu: string | null;
  gpuCount: number;
  rows: FitRow[];
}

const rounded = (value: number) => Number(value.toPrecision(3));
const gb = (value: number) => `${rounded(value)} GB`;

interface Room {
  usableGb: number | null;
  gpu: Gpu | null;
  count: number;
  contextTokens: number | null;
  requests: number;
}

function toRow(model: Model, { id, name, bitsPerWeight }: Quantization, room: Room): FitRow | null {
  if (bitsPerWeight === null) return null;
  const params = model.paramsTotalComputedB ?? model.paramsTotalB;
  const weightsGb = (params * bitsPerWeight) / 8;
  const contextTokens = Math.min(room.contextTokens ?? contextDefault, model.contextLength);
  const perToken = model.kvBytesPerToken16bit;
  const { requests } = room;
  const cacheGb = perToken === null ? null : (requests * contextTokens * perToken) / 1e9;
  const isCut = (room.contextTokens ?? 0) > contextTokens;
  const allowance = allowanceGb * room.count;
  const held = weightsGb + (cacheGb ?? 0);
  const totalGb = held + allowance;
  const share = room.gpu?.unifiedMemory ? sharedShare : 1;
  const left = room.gpu === null ? 0 : room.gpu.memoryGb * share - allowanceGb;
  const cache =
    perToken === null
      ? 'cache not in the catalogue'
      : `${requests === 1 ? '' : `${requests} requests × `}${contextTokens} tokens${isCut ? " (the model's maximum)" : ''} × ${perToken} B = ${gb(cacheGb ?? 0)} cache`;
  const of = room.usableGb === null ? '' : ` of ${gb(room.usableGb)}`;
  return {
    ...{ model: model.id, modelName: model.name, quantization: id, quantizationName: name },
    ...{ weightsGb, cacheGb, contextTokens, totalGb },
    requests,
    allowanceGb: allowance,
    fits: room.usableGb === null ? null : totalGb <= room.usableGb,
    gpusNeeded: left <= 0 ? null : Math.ceil(held / left),
    arithmetic: `${params} × 10^9 × ${bitsPerWeight} bits ÷ 8 = ${gb(weightsGb)} weights + ${cache} + ${gb(allowance)} allowance = ${gb(totalGb)}${of}`,
  };
}

const mostBits = (a: Quantization, b: Quantization) => (b.bitsPerWeight ?? 0) - (a.bitsPerWeight ?? 0);

/**
 * Formats that models are published in. A question that names no format is answered in these and in the model's own: the others
 * are experiments, outdated, or equal to one of these in size.
 */
const usualFormats: ReadonlySet<string> = new Set([
  ...['bf16', 'fp8', 'w8a8-int8', 'awq-int4', 'gptq-int4', 'nvfp4', 'mxfp4', 'mlx-4bit', 'mlx-8bit'],
  ...['gguf-q8_0', 'gguf-q6_k', 'gguf-q5_k_m', 'gguf-q4_k_m', 'gguf-iq4_xs', 'gguf-q3_k_l', 'gguf-q2_k'],
  ...['gguf-iq3_m', 'gguf-iq3_xxs', 'gguf-iq2_m'],
]);

/** True unless the format is only for other GPUs: MLX is for Apple's, FP4 for those with FP4 arithmetic. */
function runsOn({ id, family }: Quantization, question: Asked): boolean {
  const vendors = vendorsOf(question);
  const gpu = smallestGpu(question);
  // Which GPU has the memory is unknown, so only formats for all of them are listed.
  if (id === 'nvfp4' || id === 'mxfp4')
    return gpu === null
      ? memoryOf(question) === null
      : gpu.tflopsDense.fp4 !== null && (id === 'mxfp4' || gpu.vendor === 'nvidia');
  const isMlx = id.startsWith('mlx-');
  if (vendors.size === 0) return !isMlx || memoryOf(question) === null;
  if (!vendors.has('apple')) return !isMlx;
  return vendors.size > 1 || isMlx || family === 'gguf' || id === 'bf16' || id === 'fp16';
}

/** The share of the published bits that another format has at most: a format that is hardly smaller is not used. */
const smallerShare = 0.9;

/** Formats for a model: none with more bits than the published one. */
function formatsOf(model: Model, question: Asked): Quantization[] {
  const { filters } = question;
  const asked = listOf(filters.quantization).flatMap((id) => findQuantization(String(id)) ?? []);
  const published = findQuantization(model.nativePrecision)?.bitsPerWeight ?? 16;
  if (asked.length > 0) {
    // Only a named model is listed in a requested format with more bits.
    const isNamed = filters.model !== undefined;
    return asked.filter(({ bitsPerWeight }) => isNamed || (bitsPerWeight ?? 0) <= published).sort(mostBits);
  }
  const left = new Set(listOf(filters.not_quantization).map(String));
  return quantizations
    .filter((format) => {
      const { id, bitsPerWeight } = format;
      if (bitsPerWeight === null || left.has(id)) return false;
      const isSmaller = bitsPerWeight <= published * smallerShare;
      return id === model.nativePrecision || (isSmaller && usualFormats.has(id) && runsOn(format, question));
    })
    .sort(mostBits);
}

/** Formats with fewer bits lose much of a model's quality. */
export const bitsLeast = 4;

/**
 * Sorts the formats of several models: those with at least four bits and a known size of the cache first, then the largest
 * model.
 */
function largestFirst(rows: readonly FitRow[]): FitRow[] {
  const paramsOf = (row: FitRow) => findModel(row.model)?.paramsTotalB ?? 0;
  const isGood = ({ quantization, cacheGb }: FitRow) =>
    cacheGb !== null && (findQuantization(quantization)?.bitsPerWeight ?? 0) >= bitsLeast;
  return rows.toSorted((a, b) => Number(isGood(b)) - Number(isGood(a)) || paramsOf(b) - paramsOf(a));
}

/**
 * Calculates what fits into the memory of a question, from the catalogue's sizes. Named models are listed in each format,
 * widest first; all others in the widest format that fits, largest model first. Formats of fewer than four bits come last. Without a memory, lists the requirements of
 * the named models.
 */
export function computeFit(question: Asked): FitAnswer {
  const { filters } = question;
  const gpu = smallestGpu(question);
  const memoryGb = memoryOf(question);
  const count = gpuCountOf(question);
  const usableGb = memoryGb === null ? null : hasSharedMemory(question) ? memoryGb * sharedShare : memoryGb;
  const room = {
    usableGb,
    gpu,
    count,
    contextTokens: question.fit?.contextTokens ?? null,
    requests: requestsOf(question),
  };
  const asked = modelsOf(listOf(filters.model)).flatMap((id) => findModel(id) ?? []);
  // "llama 70b at 32k context" excludes the models of the group with a shorter context.
  const long = asked.filter(({ contextLength }) => contextLength >= (room.contextTokens ?? 0));
  const named = long.length > 0 ? long : asked;
  const left = new Set(modelsOf(listOf(filters.not_model)));
  const rowsOf = (model: Model) => formatsOf(model, question).flatMap((format) => toRow(model, format, room) ?? []);
  const own = models.filter(({ id, base }) => base === null && !left.has(id));
  const rows =
    named.length > 0
      ? named.flatMap(rowsOf)
      : largestFirst(own.flatMap((model) => rowsOf(model).find(({ fits }) => fits !== false) ?? []));
  return { memoryGb, usableGb, gpu: gpu?.id ?? null, gpuCount: count, rows };
}
