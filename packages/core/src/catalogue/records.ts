import { z } from 'zod';
import engineRows from './data/engines.json' with { type: 'json' };
import gpuRows from './data/gpus.json' with { type: 'json' };
import llamaBenchRows from './data/llama-bench-types.json' with { type: 'json' };
import modelRows from './data/models.json' with { type: 'json' };
import quantizationRows from './data/quantizations.json' with { type: 'json' };
import scenarioRows from './data/scenarios.json' with { type: 'json' };
import sloPresetRows from './data/slo-presets.json' with { type: 'json' };

/** The rows of the catalogue, checked once when the module loads and frozen. Null is "no sourced figure", never zero. */

const id = z.string().min(1);
const figure = z.number().positive();
const maybe = figure.nullable();
const aliases = z.array(z.string().min(1)).readonly();

const GpuSchema = z.strictObject({
  id,
  name: id,
  family: id,
  vendor: z.enum(['nvidia', 'amd', 'intel', 'apple', 'google']),
  architecture: id,
  formFactor: id,
  /** Vendor GB of one device. */
  memoryGb: figure,
  memoryType: id,
  unifiedMemory: z.boolean(),
  /** 10^9 bytes per second of one device. */
  memoryBandwidthGbs: figure,
  /** The largest figure published anywhere: the one for hard bounds. */
  memoryBandwidthGbsMaxPublished: figure,
  /** 10^12 dense operations per second of one device by number format. */
  tflopsDense: z.strictObject({ bf16: maybe, fp16: maybe, fp8: maybe, fp4: maybe, int8: maybe }).readonly(),
  /** Watts of one device, the vendor's maximum. */
  tdpW: maybe,
  aliases,
  /** A row with one source may raise a doubt but never a violation. */
  verified: z.enum(['one-source', 'two-sources']),
});

const GpuFamilySchema = z.strictObject({ id, name: id, aliases });

const ModelSchema = z.strictObject({
  id,
  name: id,
  family: id,
  developer: id,
  architecture: z.enum(['dense', 'moe']),
  /** Parameter counts are in 10^9. */
  paramsTotalB: figure,
  paramsActiveB: figure,
  paramsTotalComputedB: maybe,
  /** Weights read to decode one token: active experts and output head, no embedding look-up. */
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

/** A model trained from another and of its shape: everything not said here is the base's. */
const DerivativeSchema = z.strictObject({ id, name: id, developer: id, base: id, aliases });

const QuantizationSchema = z.strictObject({
  id,
  family: z.enum(['float', 'int', 'gguf']),
  weightBits: maybe,
  /** Average over a whole model, scales included. */
  bitsPerWeight: maybe,
  /** Smallest block in use: the one for hard bounds. */
  bitsPerWeightMin: maybe,
  activationBits: maybe,
  aliases,
});

const LlamaBenchTypeSchema = z.strictObject({ printed: id, paramsB: figure, candidates: z.array(id).readonly() });

const ScenarioSchema = z.strictObject({
  id,
  title: id,
  description: id,
  inputTokens: maybe,
  outputTokens: maybe,
  dataset: z.string().nullable(),
  /** Sequences of the static batch that belongs to it; null where any load may ask it. */
  batch: maybe,
  aliases,
});

const EngineSchema = z.strictObject({ id, name: id, aliases });

/** Latency limits of a public benchmark, which asks them of the 99th percentiles. */
const SloPresetSchema = z.strictObject({
  id,
  model: id,
  scenario: id,
  p99TtftMs: figure,
  p99TpotMs: figure,
  source: id,
});

export type Gpu = Readonly<z.infer<typeof GpuSchema>>;
export type Quantization = Readonly<z.infer<typeof QuantizationSchema>>;
export type LlamaBenchType = Readonly<z.infer<typeof LlamaBenchTypeSchema>>;
export type NamedScenario = Readonly<z.infer<typeof ScenarioSchema>>;
export type Engine = Readonly<z.infer<typeof EngineSchema>>;
export type SloPreset = Readonly<z.infer<typeof SloPresetSchema>>;
/** `base`: the catalogue's model it was trained from, whose shape it has; null for a model of its own. */
export type Model = Readonly<z.infer<typeof ModelSchema>> & { readonly base: string | null };

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  }
  return value;
}

/** Rows of one kind by id; a second row of an id is a mistake in the data. */
export function indexById<T extends { readonly id: string }>(rows: readonly T[]): ReadonlyMap<string, T> {
  const index = new Map(rows.map((row) => [row.id, row]));
  if (index.size !== rows.length) throw new Error('the catalogue has two rows of one id');
  return index;
}

function withDerivatives(): readonly Model[] {
  const originals = z.array(ModelSchema).parse(modelRows.models);
  const byId = indexById(originals);
  const derivatives = z.array(DerivativeSchema).parse(modelRows.derivatives);
  return [
    ...originals.map((model) => ({ ...model, base: null })),
    ...derivatives.map((own) => {
      const base = byId.get(own.base);
      if (base === undefined) throw new Error(`${own.id} is based on ${own.base}, which the catalogue lacks`);
      return { ...base, ...own };
    }),
  ];
}

export const gpus: readonly Gpu[] = freeze(z.array(GpuSchema).parse(gpuRows.gpus));
/** Families with names of their own; every other GPU is a family by itself. */
export const namedGpuFamilies = freeze(z.array(GpuFamilySchema).parse(gpuRows.families));
export const models: readonly Model[] = freeze(withDerivatives());
export const quantizations: readonly Quantization[] = freeze(z.array(QuantizationSchema).parse(quantizationRows));
export const llamaBenchTypes: readonly LlamaBenchType[] = freeze(z.array(LlamaBenchTypeSchema).parse(llamaBenchRows));
/** The workload of the open division beside that of a benchmark of MLPerf. */
const openDivisionOf = (row: NamedScenario): NamedScenario => ({
  ...row,
  id: `${row.id}-open`,
  title: `${row.title} Open`,
  description: `${row.description} Entries of the open division, which may run another model or change its weights.`,
  dataset: `${row.dataset}-open`,
  aliases: [],
});

const namedScenarios = z.array(ScenarioSchema).parse(scenarioRows);
const benchmarks = namedScenarios.filter(({ dataset }) => dataset?.startsWith('mlperf-') === true);
export const scenarios: readonly NamedScenario[] = freeze([...namedScenarios, ...benchmarks.map(openDivisionOf)]);
export const engines: readonly Engine[] = freeze(z.array(EngineSchema).parse(engineRows));
export const sloPresets: readonly SloPreset[] = freeze(z.array(SloPresetSchema).parse(sloPresetRows));
