import { z } from 'zod';
import { NameSchema } from '../text.ts';
import type { Engine, Gpu, Model, Quantization } from './records.ts';

/** What an operator may add entries of, and names to. */
export const additionKinds = ['model', 'gpu', 'quantization', 'engine'] as const;
export type AdditionKind = (typeof additionKinds)[number];

/**
 * What an operator added to the catalogue of the release: an entry with its facts, or, where `facts` is null, further names
 * of an entry that is there.
 */
export interface Addition {
  readonly kind: AdditionKind;
  readonly id: string;
  /** As the schema of the kind in `factSchemas` has them. */
  readonly facts: Readonly<Record<string, unknown>> | null;
  readonly aliases: readonly string[];
}

/** Facts as JSON has them: `params_total_b`. */
export const toJsonFacts = (facts: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  );

/** Facts as they came in JSON. */
export const fromJsonFacts = (facts: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [
      key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

/** A row of the catalogue. */
export type Row = Model | Gpu | Quantization | Engine;

/** Far beyond every figure of hardware and models: what is computed from two stays a number. */
const figureMax = 1e9;
const figure = z.number().positive().max(figureMax);
const maybe = figure.nullable().default(null);
const name = NameSchema;

/** Ids are part of URLs. */
export const AdditionIdSchema = z
  .string()
  .max(80, 'must have at most 80 characters')
  .regex(/^[a-z0-9][a-z0-9._-]*$/, 'must be lower-case letters, digits, ".", "_" and "-"');

/** Facts of a model whose shape no other model of the catalogue has. */
const ModelFactsSchema = z.strictObject({
  name,
  /** Its own where it is left out. */
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

/** Facts of a model trained from another one, whose shape and family it has. */
const DerivativeFactsSchema = z.strictObject({ name, developer: name, base: AdditionIdSchema });

const GpuFactsSchema = z.strictObject({
  name,
  /** Its own where it is left out. */
  family: AdditionIdSchema.optional(),
  vendor: z.enum(['nvidia', 'amd', 'intel', 'apple', 'google']),
  architecture: name,
  formFactor: name,
  memoryGb: figure,
  memoryType: name,
  unifiedMemory: z.boolean().default(false),
  memoryBandwidthGbs: figure,
  /** `memoryBandwidthGbs` where it is left out. */
  memoryBandwidthGbsMaxPublished: figure.optional(),
  tflopsDense: z
    .strictObject({ bf16: maybe, fp16: maybe, fp8: maybe, fp4: maybe, int8: maybe })
    .default({ bf16: null, fp16: null, fp8: null, fp4: null, int8: null }),
  tdpW: maybe,
  verified: z.enum(['one-source', 'two-sources']).default('one-source'),
});

const QuantizationFactsSchema = z.strictObject({
  family: z.enum(['float', 'int', 'gguf']),
  weightBits: maybe,
  bitsPerWeight: maybe,
  bitsPerWeightMin: maybe,
  activationBits: maybe,
});

const EngineFactsSchema = z.strictObject({ name });

/** The facts that an entry of a kind has; a model has its own or those of its base. */
export const factSchemas = {
  model: ModelFactsSchema,
  derivative: DerivativeFactsSchema,
  gpu: GpuFactsSchema,
  quantization: QuantizationFactsSchema,
  engine: EngineFactsSchema,
} as const;
export type FactsKind = keyof typeof factSchemas;

/** Which facts some entry has. */
export const factsKind = (kind: AdditionKind, facts: object): FactsKind =>
  kind === 'model' && 'base' in facts ? 'derivative' : kind;

/**
 * The row of an added entry; null where its facts are not those of its kind, as after a change of the schema, or where its
 * base is not in the catalogue.
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
  const { data } = factSchemas[of].safeParse(facts);
  return data === undefined ? null : ({ ...data, ...own } as Quantization | Engine);
}
