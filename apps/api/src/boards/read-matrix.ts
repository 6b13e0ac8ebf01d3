import type { Metric } from '@inferboard/core/metrics/index';
import type { Dimension } from '@inferboard/core/ranking/subject';
import { formatLoad, type Load } from '@inferboard/core/subjects/load';
import { engineTitle, gpuTitle, modelTitle, quantizationTitle } from '@inferboard/core/subjects/system-label';
import { listMatrix, type MatrixCell } from '@inferboard/db/boards/lists/matrix-list';
import { poolFor } from '@inferboard/db/boards/pool';
import type { Deps } from '../deps.ts';
import { viewLoad, viewScenario, viewSystem, viewWorkload } from '../views.ts';
import { otherwise, viewDefinitionChoice, viewRankChoice, viewWorkloadChoice, workloadNames } from './choice-views.ts';
import { askWithinAccount, betterOrder, resolveRank, viewComparedAccount } from './resolve-rank.ts';

/** The title of a row or a column, from one of its cells. */
const titles: Record<Dimension, (cell: MatrixCell) => string> = {
  model: ({ system }) => modelTitle({ id: system.model_id, family: system.model_family, name: system.model_name }),
  model_family: ({ system }) => system.model_family ?? system.model_name,
  quantization: ({ system }) =>
    quantizationTitle({
      ...{ id: system.quantization_id, name: system.quantization_name, recipe: system.quantization_recipe },
    }),
  gpu: ({ system }) => gpuTitle({ id: system.gpu_id, family: system.gpu_family, name: system.gpu_name }),
  gpu_count: ({ system }) => (system.gpu_count === null ? 'unspecified' : String(system.gpu_count)),
  engine: ({ system }) =>
    engineTitle({ id: system.engine_id, name: system.engine_name, version: null }) || system.engine_name,
  scenario: ({ scenario }) => scenario.name,
  workload: ({ scenario, load }) => viewWorkload(load, scenario).id,
  system: ({ system }) => system.label,
  load: ({ load }) => formatLoad({ mode: load.load_mode, level: load.load_level } as Load),
};

interface Heading {
  id: string;
  title: string;
}

function headingsOf(cells: readonly MatrixCell[], dimension: Dimension, key: 'row_key' | 'column_key'): Heading[] {
  const found = new Map<string, string>();
  for (const cell of cells) if (!found.has(cell[key])) found.set(cell[key], titles[dimension](cell));
  const byTitle = new Intl.Collator('en', { numeric: true }).compare;
  return [...found]
    .map(([id, title]) => ({ id, title }))
    .sort((a, b) => byTitle(a.title, b.title) || byTitle(a.id, b.id));
}

/** A matrix request; the metric is optional. */
export interface MatrixQuestion extends Omit<Parameters<typeof listMatrix>[1], 'metric' | 'order'> {
  metric: Metric | null;
  order: 'asc' | 'desc' | null;
}

/** The full view of a cell. */
export function viewCell(
  { value, n, ci95, system, scenario, load, trust, findings, warnings, source }: MatrixCell,
  base: string,
) {
  const viewed = viewSystem(system, base);
  return {
    value,
    statistics: { n, ci95 },
    system: viewed,
    scenario: viewScenario(scenario),
    workload: viewWorkload(load, scenario),
    load: viewLoad(load),
    trust,
    findings,
    warnings,
    source,
    links: { system: viewed.links.self, page: viewed.links.page },
  };
}

/**
 * The pivot table of a metric: the best point for every row and column. No cell mixes workloads or incompatible formulas;
 * `excluded` counts the excluded points by reason.
 */
export async function readMatrix<Cell>(
  deps: Deps,
  question: MatrixQuestion,
  asked: URLSearchParams,
  view: (cell: MatrixCell, base: string) => Cell,
) {
  const { rows, columns, filters } = question;
  const db = poolFor(deps.database, { metrics: question.metric === null ? [] : [question.metric], filters });
  const dimensions = [rows, columns];
  const { answer, account } = await askWithinAccount(db, { filters, dimensions }, async (within) => {
    const resolved = await resolveRank(db, { rankBy: question.metric, filters: within, dimensions, purpose: 'matrix' });
    const order = question.order ?? betterOrder(resolved.rankBy);
    const matrix = await listMatrix(db, { ...question, metric: resolved.rankBy, order, filters: resolved.filters });
    return { answer: { matrix, resolved, order }, isEmpty: matrix.cells.length === 0 };
  });
  const { matrix, resolved, order } = answer;
  const { cells, excluded, isExcludedAtLeast, definition } = matrix;
  const metric = resolved.rankBy;
  const workload = matrix.workload && { ...matrix.workload, ...resolved.workload };
  const base = `${deps.publicUrl}/v1/matrix`;
  const { unit } = metric.family;
  const byPlace = new Map(cells.map((cell) => [JSON.stringify([cell.row_key, cell.column_key]), cell]));
  const [down, across] = [headingsOf(cells, rows, 'row_key'), headingsOf(cells, columns, 'column_key')];
  return {
    metric: metric.name,
    unit,
    order,
    metric_choice: viewRankChoice(resolved.choice, otherwise(base, asked, 'metric'), resolved.workload),
    definition: viewDefinitionChoice(definition, otherwise(base, asked, 'definition'), question.definition !== null),
    workload: viewWorkloadChoice(workload, otherwise(base, asked, 'workload', workloadNames), filters),
    account: viewComparedAccount(account),
    rows: { dimension: rows, headings: down },
    columns: { dimension: columns, headings: across },
    cells: down.map((row) =>
      across.map((column) => {
        const cell = byPlace.get(JSON.stringify([row.id, column.id]));
        return cell === undefined ? null : view(cell, deps.publicUrl);
      }),
    ),
    excluded,
    excluded_at_least: isExcludedAtLeast,
  };
}
