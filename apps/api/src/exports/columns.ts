import { metricFamilies, metrics } from '@inferboard/core/metrics/index';
import type { viewLoad, viewScenario, viewSystem, viewWorkload } from '../views.ts';
import type { Cell, Column, ColumnType } from './format.ts';

/** A column and where its cells come from. */
export interface ColumnOf<Row> extends Column {
  read(row: Row): Cell;
}

const column =
  (type: ColumnType) =>
  <Row>(name: string, read: (row: Row) => Cell, unit: string | null = null): ColumnOf<Row> => ({
    name,
    type,
    unit,
    read,
  });

export const text = column('text');
export const integer = column('integer');
export const number = column('number');

/** A column of JSON text; null if there is no value. */
export const json = <Row>(name: string, read: (row: Row) => unknown): ColumnOf<Row> =>
  text(name, (row) => {
    const value = read(row) ?? null;
    return value === null ? null : JSON.stringify(value);
  });

export const toCells =
  <Row>(columns: readonly ColumnOf<Row>[]) =>
  (row: Row): Cell[] =>
    columns.map(({ read }) => read(row));

/** The unit in a file: "1" for a pure count or ratio. */
export const unitOf = (unit: string) => (unit === '' ? '1' : unit);

const loadUnit = 'requests; req/s if load_mode is rate, sequences if it is batch';

interface Facts {
  system: ReturnType<typeof viewSystem>;
  scenario: ReturnType<typeof viewScenario>;
  workload: Pick<ReturnType<typeof viewWorkload>, 'id'>;
  load: ReturnType<typeof viewLoad>;
  links: { system: string };
}

/** The measured system and workload. Names are as submitted; ids are those of the catalogue. */
export const factColumns: readonly ColumnOf<Facts>[] = [
  text('system_id', ({ system }) => system.id),
  text('system', ({ system }) => system.label),
  text('system_url', ({ links }) => links.system),
  text('model_id', ({ system }) => system.model.id),
  text('model', ({ system }) => system.model.name),
  text('model_family', ({ system }) => system.model.family),
  text('quantization_id', ({ system }) => system.quantization.id),
  text('quantization', ({ system }) => system.quantization.name),
  text('gpu_id', ({ system }) => system.gpu.id),
  text('gpu', ({ system }) => system.gpu.name),
  text('gpu_family', ({ system }) => system.gpu.family),
  integer('gpu_count', ({ system }) => system.gpu_count, 'GPUs'),
  number('gpu_power_limit_w', ({ system }) => system.gpu_power_limit_w, 'W'),
  text('engine_id', ({ system }) => system.engine.id),
  text('engine', ({ system }) => system.engine.name),
  text('engine_version', ({ system }) => system.engine.version),
  number('tensor_parallel', ({ system }) => system.parallelism.tensor, '1'),
  number('pipeline_parallel', ({ system }) => system.parallelism.pipeline, '1'),
  number('data_parallel', ({ system }) => system.parallelism.data, '1'),
  number('expert_parallel', ({ system }) => system.parallelism.expert, '1'),
  json('features', ({ system }) => system.features),
  text('workload', ({ workload }) => workload.id),
  text('scenario', ({ scenario }) => scenario.id),
  integer('scenario_input_tokens', ({ scenario }) => scenario.input_tokens, 'tokens'),
  integer('scenario_output_tokens', ({ scenario }) => scenario.output_tokens, 'tokens'),
  text('dataset', ({ scenario }) => scenario.dataset),
  integer('depth', ({ scenario }) => scenario.depth, 'tokens'),
  json('kernel', ({ scenario }) => scenario.kernel),
  json('quality', ({ scenario }) => scenario.quality ?? null),
  text('load_mode', ({ load }) => load.mode),
  number('load_level', ({ load }) => load.level, loadUnit),
  number('burstiness', ({ load }) => load.burstiness, '1'),
  number('max_concurrency', ({ load }) => load.max_concurrency, 'requests'),
];

const factByName = new Map<string, Column>(factColumns.map((one) => [one.name, one]));

/** Type and unit of a column that other lists have too; text if it is not a number. */
export const knownColumn = (name: string): Column => {
  const metric = metrics.find((one) => one.name === name);
  if (metric !== undefined) return { name, type: 'number', unit: unitOf(metric.family.unit) };
  const { type, unit } = factByName.get(name) ?? { type: 'text', unit: null };
  return { name, type, unit };
};

interface Figures {
  metrics: Record<string, number | null>;
  derived: Record<string, number | null>;
  definitions: Record<string, string>;
}

/** Every metric of the registry, stated or derived, preceded by its formula if it has several. */
export const metricColumns: readonly ColumnOf<Figures>[] = [
  text('derived', ({ derived }) =>
    Object.keys(derived)
      .filter((name) => derived[name] !== null)
      .join(' '),
  ),
  ...metricFamilies
    .filter(({ definitions }) => definitions.length > 0)
    .map(({ base }) => text<Figures>(`${base}_definition`, ({ definitions }) => definitions[base] ?? null)),
  ...metrics.map(({ name, family }) =>
    number<Figures>(name, (row) => row.metrics[name] ?? row.derived[name] ?? null, unitOf(family.unit)),
  ),
];
