import { z } from 'zod';
import { NameSchema } from '../../text/text.ts';
import type { Engine, Gpu, Model, Quantization } from '../records.ts';

/** Kinds of catalogue entries that an operator can extend with entries and names. */
export const additionKinds = ['model', 'gpu', 'quantization', 'engine'] as const;
export type AdditionKind = (typeof additionKinds)[number];

/**
 * An operator's addition to the catalogue: a new entry with its facts or, if `facts` is null, more names for an existing
 * entry.
 */
export interface Addition {
  readonly kind: AdditionKind;
  readonly id: string;
  /** Validated by the schema of the kind in `factSchemas`. */
  readonly facts: Readonly<Record<string, unknown>> | null;
  readonly aliases: readonly string[];
}

/** Facts with JSON keys, such as `params_total_b`. */
export const toJsonFacts = (facts: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  );

/** Facts parsed from JSON. */
export const fromJsonFacts = (facts: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [
      key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

/** A row of the catalogue. */
export type Row = Model | Gpu | Quantization | Engine;

/** Far above any real figure of hardware and models, so the product of two stays finite. */
const figureMax = 1e9;
const figure = z.number().positive().max(figureMax);
const maybe = figure.nullable().default(null);
const name = NameSchema;

/** Ids are part of URLs. */
export const AdditionIdSchema = z
  .string()
  .max(80, 'must have at most 80 characters')
  .regex(/^[a-z0-9][a-z0-9._-]*$/, 'must be lower-case letters, digits, ".", "_" and "-"');

/** Facts of a model whose architecture no other model of the catalogue has. */
const ModelFactsSchema = z.strictObject({
  name,
  /** Defaults to the model's own id. */
  family: AdditionIdSchema.optional(),
  developer: name,
  architecture: z.enum(['dense', 'moe']),
  paramsTotalB: figure,
  paramsActiveB: figure,
  matmulParamsPerTokenB: maybe,
  prefillParamsPerTokenB: maybe,
  nonExpertParamsB: maybe,
  expertParamsAllB: maybe,
  expertParamsOneB: maybe,
  moeLayers: maybe,
  layers: maybe,
  hiddenSize: maybe,
  attention: name.nullable().default(null),
  attentionHeads: maybe,
  kvHeads: maybe,
  headDim: maybe,
  kvBytesPerToken16bit: maybe,
  kvLayersGrowing: maybe,
  vocabSize: maybe,
  tiedEmbeddings: z.boolean().nullable().default(null),
  expertsTotal: maybe,
  expertsActive: maybe,
  nativePrecision: name,
  contextLength: figure,
});

/** Facts of a model trained from a base model. It inherits the architecture and family of the base. */
const DerivativeFactsSchema = z.strictObject({ name, developer: name, base: AdditionIdSchema });

const GpuFactsSchema = z.strictObject({
  name,
  /** Defaults to the model's own. */
  family: AdditionIdSchema.optional(),
  vendor: z.enum(['nvidia', 'amd', 'intel', 'apple', 'google']),
  architecture: name,
  formFactor: name,
  memoryGb: figure,
  memoryType: name,
  unifiedMemory: z.boolean().default(false),
  memoryBandwidthGbs: figure,
  /** Defaults to `memoryBandwidthGbs`. */
  memoryBandwidthGbsMaxPublished: figure.optional(),
  tflopsDense: z
    .strictObject({ bf16: maybe, fp16: maybe, fp8: maybe, fp4: maybe, int8: maybe })
    .default({ bf16: null, fp16: null, fp8: null, fp4: null, int8: null }),
  tdpW: maybe,
  verified: z.enum(['one-source', 'two-sources']).default('one-source'),
});

const QuantizationFactsSchema = z.strictObject({
  /** Defaults to the id. */
  name: name.optional(),
  family: z.enum(['float', 'int', 'gguf']),
  weightBits: maybe,
  bitsPerWeight: maybe,
  bitsPerWeightMin: maybe,
  activationBits: maybe,
});

const EngineFactsSchema = z.strictObject({ name });

/** Schemas of the facts by kind. A model has either full facts or those of a derivative. */
export const factSchemas = {
  model: ModelFactsSchema,
  derivative: DerivativeFactsSchema,
  gpu: GpuFactsSchema,
  quantization: QuantizationFactsSchema,
  engine: EngineFactsSchema,
} as const;
export type FactsKind = keyof typeof factSchemas;

/** Returns the kind of facts that an entry has. */
export const factsKind = (kind: AdditionKind, facts: object): FactsKind =>
  kind === 'model' && 'base' in facts ? 'derivative' : kind;

/**
 * Builds the catalogue row of an added entry.
 *
 * @returns null if the facts do not match the schema of the kind, for example after a schema change, or if the base is
 * missing
 */
export function toRow({ kind, id, facts, aliases }: Addition, findBase: (id: string) => Model | null): Row | null {
  if (facts === null) return null;
  const own = { id, aliases };
  const of = factsKind(kind, facts);
  if (of === 'derivative') {
    const { data } = DerivativeFactsSchema.safeParse(facts);
    const base = data === undefined ? null : findBase(data.base);
    return base === null ? null : { ...base, ...data, ...own };
  }
  if (of === 'model') {
    const { data } = ModelFactsSchema.safeParse(facts);
    return data === undefined
      ? null
      : { ...data, ...own, family: data.family ?? id, paramsTotalComputedB: null, base: null };
  }
  if (of === 'gpu') {
    const { data } = GpuFactsSchema.safeParse(facts);
    if (data === undefined) return null;
    const { memoryBandwidthGbsMaxPublished: most = data.memoryBandwidthGbs } = data;
    return { ...data, ...own, family: data.family ?? id, memoryBandwidthGbsMaxPublished: most };
  }
  if (of === 'quantization') {
    const { data } = QuantizationFactsSchema.safeParse(facts);
    return data === undefined ? null : { ...data, ...own, name: data.name ?? id };
  }
  const { data } = EngineFactsSchema.safeParse(facts);
  return data === undefined ? null : { ...data, ...own };
}
