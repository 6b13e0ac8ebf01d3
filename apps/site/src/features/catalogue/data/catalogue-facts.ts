import { findGpu, findModel, findNamedScenario, findQuantization } from '@inferboard/core/catalogue/index';
import type { Gpu, Model, NamedScenario, Quantization } from '@inferboard/core/catalogue/records';
import { formatCount, formatWithUnit } from '../../../lib/format.ts';
import { factName } from './fact-name.ts';

/** A fact of the catalogue, used as a row of a page, a column of an index and a column of its CSV. */
export interface Fact<Row> {
  /** Name with its unit, as a file's heading. */
  key: string;
  label: string;
  of(row: Row): string | number | null;
  /** Text on the page; by default the plain value. */
  text?(value: string | number): string;
  /** Whether the fact is optional, so that a missing value is not shown as missing. */
  mayLack?: boolean;
  /** Whether the index shows it as a column. */
  isColumn?: boolean;
}

const withUnit = (unit: string) => (value: string | number) =>
  typeof value === 'number' ? formatWithUnit(value, unit) : value;
const count = (value: string | number) => (typeof value === 'number' ? formatCount(value) : value);
const tokens = (value: string | number) => `${count(value)} tokens`;

export const modelFacts: readonly Fact<Model>[] = [
  { key: 'developer', label: 'Developer', of: (row) => row.developer, isColumn: true },
  { key: 'family', label: 'Family', of: (row) => row.family },
  { key: 'base', label: 'Trained from', of: (row) => row.base, mayLack: true },
  {
    key: 'architecture',
    label: 'Architecture',
    of: (row) => row.architecture,
    text: (value) => (value === 'moe' ? 'mixture of experts' : String(value)),
    isColumn: true,
  },
  { key: 'params_total_b', label: 'Parameters', of: (row) => row.paramsTotalB, text: withUnit('B'), isColumn: true },
  {
    key: 'params_active_b',
    label: 'Active per token',
    of: (row) => row.paramsActiveB,
    text: withUnit('B'),
    isColumn: true,
  },
  {
    key: 'matmul_params_per_token_b',
    label: 'Weights read to decode a token',
    of: (row) => row.matmulParamsPerTokenB,
    text: withUnit('B'),
  },
  {
    key: 'prefill_params_per_token_b',
    label: 'Weights used to prefill a token',
    of: (row) => row.prefillParamsPerTokenB,
    text: withUnit('B'),
  },
  { key: 'layers', label: 'Layers', of: (row) => row.layers, text: count },
  { key: 'hidden_size', label: 'Hidden size', of: (row) => row.hiddenSize, text: count },
  { key: 'attention', label: 'Attention', of: (row) => row.attention },
  { key: 'attention_heads', label: 'Attention heads', of: (row) => row.attentionHeads, text: count },
  { key: 'kv_heads', label: 'Key-value heads', of: (row) => row.kvHeads, text: count },
  {
    key: 'kv_bytes_per_token_16bit',
    label: 'Cache per token, 16-bit',
    of: (row) => row.kvBytesPerToken16bit,
    text: withUnit('bytes'),
  },
  { key: 'experts_total', label: 'Experts', of: (row) => row.expertsTotal, text: count, mayLack: true },
  { key: 'experts_active', label: 'Experts per token', of: (row) => row.expertsActive, text: count, mayLack: true },
  {
    key: 'native_precision',
    label: 'Published precision',
    of: (row) => row.nativePrecision,
    text: (value) => factName('quantization', String(value)),
    isColumn: true,
  },
  {
    key: 'context_length_tokens',
    label: 'Context length',
    of: (row) => row.contextLength,
    text: tokens,
    isColumn: true,
  },
  { key: 'vocab_size', label: 'Vocabulary', of: (row) => row.vocabSize, text: tokens },
];

const formats = ['bf16', 'fp16', 'fp8', 'fp4', 'int8'] as const;

/** The kind of an entry in the GPU list that is not a GPU; null for a GPU. */
export function deviceKind(id: string): { note: string; text: string } | null {
  const device = findGpu(id);
  if (device?.formFactor === 'socket')
    return { note: 'CPU', text: 'This is a CPU, not a GPU. The model runs in the memory of its server.' };
  if (device?.name.endsWith('(mixed system)') === true)
    return {
      note: 'mixed system',
      text: 'These systems contain both GPUs. The data sheet shows the higher figure of the two and the smaller memory, so its bounds are upper limits.',
    };
  return null;
}

export const gpuFacts: readonly Fact<Gpu>[] = [
  {
    key: 'vendor',
    label: 'Vendor',
    of: (row) => row.vendor,
    text: (value) =>
      value === 'nvidia'
        ? 'NVIDIA'
        : value === 'amd'
          ? 'AMD'
          : `${String(value)[0]?.toUpperCase()}${String(value).slice(1)}`,
    isColumn: true,
  },
  { key: 'architecture', label: 'Architecture', of: (row) => row.architecture, isColumn: true },
  { key: 'form_factor', label: 'Form factor', of: (row) => row.formFactor },
  { key: 'memory_gb', label: 'Memory', of: (row) => row.memoryGb, text: withUnit('GB'), isColumn: true },
  { key: 'memory_type', label: 'Memory type', of: (row) => row.memoryType },
  {
    key: 'memory_bandwidth_gbs',
    label: 'Memory bandwidth',
    of: (row) => row.memoryBandwidthGbs,
    text: withUnit('GB/s'),
    isColumn: true,
  },
  ...formats.map(
    (format): Fact<Gpu> => ({
      key: `tflops_dense_${format}`,
      label: `Dense ${format}`,
      of: (row) => row.tflopsDense[format],
      text: withUnit('TFLOP/s'),
      isColumn: format === 'bf16' || format === 'fp8',
    }),
  ),
  { key: 'tdp_w', label: 'Rated power', of: (row) => row.tdpW, text: withUnit('W'), isColumn: true },
  {
    key: 'verified',
    label: 'Figures from',
    of: (row) => row.verified,
    text: (value) => String(value).replace('-', ' '),
  },
];

const families: Record<Quantization['family'], string> = {
  float: 'floating point',
  int: 'integer weights',
  gguf: 'GGUF, blocks with scales',
};

export const quantizationFacts: readonly Fact<Quantization>[] = [
  {
    key: 'family',
    label: 'Kind of format',
    of: (row) => row.family,
    text: (value) => families[value as Quantization['family']] ?? String(value),
    isColumn: true,
  },
  { key: 'weight_bits', label: 'Nominal bits per weight', of: (row) => row.weightBits, isColumn: true },
  { key: 'bits_per_weight', label: 'Bits per weight, scales included', of: (row) => row.bitsPerWeight, isColumn: true },
  {
    key: 'bits_per_weight_min',
    label: 'Smallest block in use',
    of: (row) => row.bitsPerWeightMin,
    text: withUnit('bits'),
  },
  { key: 'activation_bits', label: 'Bits per activation', of: (row) => row.activationBits, isColumn: true },
];

/** A scenario of the catalogue, or a measured one without a description. */
type ListedScenario = Omit<NamedScenario, 'description'> & { description: string | null };

export const scenarioFacts: readonly Fact<ListedScenario>[] = [
  { key: 'description', label: 'Description', of: (row) => row.description, isColumn: true },
  { key: 'input_tokens', label: 'Input', of: (row) => row.inputTokens, text: tokens, mayLack: true, isColumn: true },
  { key: 'output_tokens', label: 'Output', of: (row) => row.outputTokens, text: tokens, mayLack: true, isColumn: true },
  { key: 'dataset', label: 'Data set', of: (row) => row.dataset, mayLack: true, isColumn: true },
  {
    key: 'batch',
    label: 'Static batch',
    of: (row) => row.batch,
    text: (value) => `${count(value)} at once`,
    isColumn: true,
  },
];

/** The text of a fact on an entry's page. */
export interface FactText {
  key: string;
  label: string;
  value: string | number | null;
  text: string | null;
  mayLack: boolean;
}

export function factTexts<Row>(facts: readonly Fact<Row>[], row: Row): FactText[] {
  return facts.map(({ key, label, of, text, mayLack = false }) => {
    const value = of(row);
    return { key, label, value, text: value === null ? null : (text?.(value) ?? String(value)), mayLack };
  });
}

/** A kind of catalogue entry with its known facts. */
export interface Kind {
  /** Path of its pages, and its name in the API. */
  folder: 'models' | 'gpus' | 'quantizations' | 'scenarios';
  /** The API filter for its values. */
  fact: 'model' | 'gpu' | 'quantization' | 'scenario';
  title: string;
  one: string;
  lede: string;
  columns: readonly { key: string; label: string }[];
  /** Facts by id, in the order of the columns. */
  factsOf(id: string): FactText[] | null;
}

function kind<Row extends { id: string }>(
  given: Omit<Kind, 'columns' | 'factsOf'>,
  facts: readonly Fact<Row>[],
  find: (id: string) => Row | null,
): Kind {
  return {
    ...given,
    columns: facts.filter(({ isColumn }) => isColumn).map(({ key, label }) => ({ key, label })),
    factsOf(id) {
      const row = find(id);
      return row === null ? null : factTexts(facts, row);
    },
  };
}

export const modelKind = kind(
  {
    folder: 'models',
    fact: 'model',
    title: 'Models',
    one: 'model',
    lede: 'Facts about each model and its number of measured points. Each model page shows which GPU, engine and quantization serve it best.',
  },
  modelFacts,
  findModel,
);
export const gpuKind = kind(
  {
    folder: 'gpus',
    fact: 'gpu',
    title: 'GPUs',
    one: 'GPU',
    lede: 'Data-sheet figures per device, for dense arithmetic without sparsity. Each GPU page shows what the GPU serves best and how close its results come to the hardware limits. CPUs and systems with two kinds of GPU are included and labelled.',
  },
  gpuFacts,
  findGpu,
);
export const quantizationKind = kind(
  {
    folder: 'quantizations',
    fact: 'quantization',
    title: 'Quantizations',
    one: 'quantization',
    lede: 'Weight formats with their size in bits. Each format page shows the speed-up over the unquantized weights on the same GPU.',
  },
  quantizationFacts,
  findQuantization,
);
export const scenarioKind = kind(
  {
    folder: 'scenarios',
    fact: 'scenario',
    title: 'Scenarios',
    one: 'scenario',
    lede: 'Named workloads, with their prompt lengths, output lengths and data sets.',
  },
  scenarioFacts,
  findNamedScenario,
);
