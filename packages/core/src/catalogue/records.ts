import { z } from 'zod';
import engineRows from './data/engines.json' with { type: 'json' };
import gpuRows from './data/gpus.json' with { type: 'json' };
import llamaBenchRows from './data/llama-bench-types.json' with { type: 'json' };
import modelRows from './data/models.json' with { type: 'json' };
import quantizationRows from './data/quantizations.json' with { type: 'json' };
import scenarioRows from './data/scenarios.json' with { type: 'json' };
import sloPresetRows from './data/slo-presets.json' with { type: 'json' };
import { invalidateAll } from './memo.ts';
import {
  DerivativeSchema,
  EngineSchema,
  GpuFamilySchema,
  GpuSchema,
  LlamaBenchTypeSchema,
  ModelSchema,
  QuantizationSchema,
  ScenarioSchema,
  SloPresetSchema,
} from './schemas.ts';

/**
 * The rows of the catalogue, validated once at module load and frozen. Null means "no sourced figure"; zero is a value.
 * Models, GPUs, quantizations and engines combine the release's rows with the operator's additions; `extend.ts` replaces
 * them.
 */

export type Gpu = Readonly<z.infer<typeof GpuSchema>>;
export type Quantization = Readonly<z.infer<typeof QuantizationSchema>>;
export type LlamaBenchType = Readonly<z.infer<typeof LlamaBenchTypeSchema>>;
export type NamedScenario = Readonly<z.infer<typeof ScenarioSchema>>;
export type Engine = Readonly<z.infer<typeof EngineSchema>>;
export type SloPreset = Readonly<z.infer<typeof SloPresetSchema>>;
/** `base` is the model it was trained from and whose architecture it has; null for other models. */
export type Model = Readonly<z.infer<typeof ModelSchema>> & { readonly base: string | null };

/** Variants of one chip. `members` are ids of GPUs. */
export interface GpuFamily {
  id: string;
  name: string;
  members: readonly string[];
}

/** Models of one generation. `members` are ids of models. */
export interface ModelFamily {
  id: string;
  members: readonly string[];
}

/** Kinds of rows that an operator can add to. */
export interface Tables {
  readonly models: readonly Model[];
  readonly gpus: readonly Gpu[];
  readonly quantizations: readonly Quantization[];
  readonly engines: readonly Engine[];
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  }
  return value;
}

/** Indexes rows of one kind by id. A duplicate id is an error in the data. */
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

/** The rows of the release. */
export const builtIn: Tables = freeze({
  models: withDerivatives(),
  gpus: z.array(GpuSchema).parse(gpuRows.gpus),
  quantizations: z.array(QuantizationSchema).parse(quantizationRows),
  engines: z.array(EngineSchema).parse(engineRows),
});

/** Families with separate names. Every other GPU is its own family. */
export const namedGpuFamilies = freeze(z.array(GpuFamilySchema).parse(gpuRows.families));
export const llamaBenchTypes: readonly LlamaBenchType[] = freeze(z.array(LlamaBenchTypeSchema).parse(llamaBenchRows));
/** The open-division workload that corresponds to an MLPerf benchmark. */
const openDivisionOf = (row: NamedScenario): NamedScenario => ({
  ...row,
  id: `${row.id}-open`,
  title: `${row.title} Open`,
  description: `${row.description} Entries of the open division, which may run a different model or modified weights.`,
  dataset: `${row.dataset}-open`,
  aliases: [],
});

const namedScenarios = z.array(ScenarioSchema).parse(scenarioRows);
const benchmarks = namedScenarios.filter(({ dataset }) => dataset?.startsWith('mlperf-') === true);
export const scenarios: readonly NamedScenario[] = freeze([...namedScenarios, ...benchmarks.map(openDivisionOf)]);
export const sloPresets: readonly SloPreset[] = freeze(z.array(SloPresetSchema).parse(sloPresetRows));

const familiesOf = (rows: readonly { family: string }[]) => [...new Set(rows.map(({ family }) => family))];

const membersOf = (rows: readonly { id: string; family: string }[], family: string) =>
  rows.filter((row) => row.family === family).map(({ id }) => id);

const toGpuFamilies = (rows: readonly Gpu[]): readonly GpuFamily[] =>
  familiesOf(rows).map((id) => {
    const name = namedGpuFamilies.find((family) => family.id === id)?.name;
    return { id, name: name ?? rows.find(({ family }) => family === id)?.name ?? id, members: membersOf(rows, id) };
  });

const toModelFamilies = (rows: readonly Model[]): readonly ModelFamily[] =>
  familiesOf(rows).map((id) => ({ id, members: membersOf(rows, id) }));

// Importers read the current value. Wrap values computed at module load in `derived`.
export let { models, gpus, quantizations, engines } = builtIn;
export let gpuFamilies: readonly GpuFamily[] = freeze(toGpuFamilies(gpus));
export let modelFamilies: readonly ModelFamily[] = freeze(toModelFamilies(models));

/** The current rows. */
export const currentTables = (): Tables => ({ models, gpus, quantizations, engines });

/** Replaces the rows of this module and invalidates all derived values. */
export function replaceTables(tables: Tables): void {
  ({ models, gpus, quantizations, engines } = freeze(tables));
  gpuFamilies = freeze(toGpuFamilies(gpus));
  modelFamilies = freeze(toModelFamilies(models));
  invalidateAll();
}
