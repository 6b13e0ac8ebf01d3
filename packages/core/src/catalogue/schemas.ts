import { z } from 'zod';

/** The rows of the catalogue. Null means "no sourced figure"; zero is a value. */

const id = z.string().min(1);
const figure = z.number().positive();
const maybe = figure.nullable();
const aliases = z.array(z.string().min(1)).readonly();

export const GpuSchema = z.strictObject({
  id,
  name: id,
  family: id,
  vendor: z.enum(['nvidia', 'amd', 'intel', 'apple', 'google']),
  architecture: id,
  formFactor: id,
  /** Memory of one device in the vendor's GB. */
  memoryGb: figure,
  memoryType: id,
  unifiedMemory: z.boolean(),
  /** Memory bandwidth of one device in 10^9 bytes per second. */
  memoryBandwidthGbs: figure,
  /** The highest published figure, used for hard bounds. */
  memoryBandwidthGbsMaxPublished: figure,
  /** Dense operations of one device in 10^12 per second, by number format. */
  tflopsDense: z.strictObject({ bf16: maybe, fp16: maybe, fp8: maybe, fp4: maybe, int8: maybe }).readonly(),
  /** Maximum power of one device in watts, from the vendor. */
  tdpW: maybe,
  aliases,
  /** A row with only one source can cause a warning but never a violation. */
  verified: z.enum(['one-source', 'two-sources']),
});

export const GpuFamilySchema = z.strictObject({ id, name: id, aliases });

export const ModelSchema = z.strictObject({
  id,
  name: id,
  family: id,
  developer: id,
  architecture: z.enum(['dense', 'moe']),
  /** Parameter counts are in 10^9. */
  paramsTotalB: figure,
  paramsActiveB: figure,
  paramsTotalComputedB: maybe,
  /** Weights read to decode one token: active experts and output head, without the embedding look-up. */
  matmulParamsPerTokenB: maybe,
  /** The same without the output head. */
  prefillParamsPerTokenB: maybe,
  nonExpertParamsB: maybe,
  expertParamsAllB: maybe,
  expertParamsOneB: maybe,
  moeLayers: maybe,
  layers: maybe,
  hiddenSize: maybe,
  attention: z.string().nullable(),
  attentionHeads: maybe,
  kvHeads: maybe,
  headDim: maybe,
  /** Bytes per token over all layers with 16-bit keys and values. */
  kvBytesPerToken16bit: maybe,
  /** Layers whose cache grows with the context. */
  kvLayersGrowing: maybe,
  vocabSize: maybe,
  tiedEmbeddings: z.boolean().nullable(),
  expertsTotal: maybe,
  expertsActive: maybe,
  /** Quantization of the weights as published. */
  nativePrecision: id,
  contextLength: figure,
  aliases,
});

/** A model trained from a base model of the same architecture. Missing facts come from the base. */
export const DerivativeSchema = z.strictObject({
  ...{ id, name: id, developer: id, base: id, aliases },
  family: id.optional(),
  contextLength: figure.optional(),
});

export const QuantizationSchema = z.strictObject({
  id,
  name: id,
  family: z.enum(['float', 'int', 'gguf']),
  weightBits: maybe,
  /** Average over a whole model, scales included. */
  bitsPerWeight: maybe,
  /** Bits per weight of the smallest block in use, for hard bounds. */
  bitsPerWeightMin: maybe,
  activationBits: maybe,
  aliases,
});

export const LlamaBenchTypeSchema = z.strictObject({
  printed: id,
  paramsB: figure,
  candidates: z.array(id).readonly(),
});

export const ScenarioSchema = z.strictObject({
  id,
  title: id,
  description: id,
  inputTokens: maybe,
  outputTokens: maybe,
  dataset: z.string().nullable(),
  /** Sequences of the scenario's static batch; null if any load may use it. */
  batch: maybe,
  aliases,
});

export const EngineSchema = z.strictObject({ id, name: id, aliases });

/** Latency limits of a public benchmark, which apply to the 99th percentiles. */
export const SloPresetSchema = z.strictObject({
  id,
  model: id,
  scenario: id,
  p99TtftMs: figure,
  p99TpotMs: figure,
  source: id,
});
