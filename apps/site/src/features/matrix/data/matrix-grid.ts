import type { Metric } from '@inferboard/core/metrics/index';
import { findPlan } from '@inferboard/core/plans/named-plans';
import { formatLoad } from '@inferboard/core/subjects/load';
import { type BarValue, type GridBars, gridBars } from '../../../charts/grid-bars.ts';
import type { Api, Load, Matrix, Problem } from '../../../lib/api.ts';
import { basisText, columnUnit, formatInterval, formatValue, withUnit } from '../../../lib/format.ts';
import { metricOf } from '../../../lib/metric-text.ts';
import { toQuery } from '../../../lib/parameters.ts';
import { scenarioTitle } from '../../catalogue/data/catalogue-links.ts';
import { publishedSource } from '../../system/data/published-source.ts';
import { type MatrixQuery, matrixApiPath, matrixHref } from './matrix-query.ts';

type GridLoad = Pick<Load, 'mode' | 'level'>;

/** Statistics of the bars of a group. A metric family without them has no grid. */
const statistics = ['mean', 'p99'] as const;
/** Maximum number of series in a readable panel. */
const seriesMax = 12;

export interface GridPanel {
  load: string;
  chart: GridBars;
}

export interface GridScenario {
  id: string;
  title: string;
  panels: GridPanel[];
  /** Rows: series; columns: loads x statistics. */
  table: { name: string; cells: (BarValue | null)[] }[];
}

export interface GridView {
  title: string;
  unit: string;
  metrics: readonly Metric[];
  loads: readonly string[];
  scenarios: GridScenario[];
  /** True if nothing of the plan was measured, so that the grid shows the measured loads instead. */
  isPlanEmpty: boolean;
  /** Measured loads outside the grid, with a link to their grid. */
  otherLoads: { label: string; href: string }[];
  /** The API matrices of the grid, one for each load and statistic. */
  sources: { label: string; path: string }[];
}

/** The scenarios that were measured at most of the loads, and the others. All are open if none was. */
export function foldedScenarios(scenarios: readonly GridScenario[]): [GridScenario[], GridScenario[]] {
  const isOpen = ({ panels }: GridScenario) =>
    panels.filter(({ chart }) => chart.groups.some(({ bars }) => bars.length > 0)).length > panels.length / 2;
  const open = scenarios.filter(isOpen);
  return open.length === 0 ? [[...scenarios], []] : [open, scenarios.filter((scenario) => !isOpen(scenario))];
}

const planItems = findPlan('serving-grid')?.items() ?? [];
const planScenarios = [...new Set(planItems.map(({ scenario }) => scenario.id))];
const loadKey = ({ mode, level }: GridLoad) => `${mode} ${level ?? ''}`;
const planLoads: GridLoad[] = [...new Map(planItems.map(({ load }) => [loadKey(load), load])).values()];

const withLoad = (query: MatrixQuery, { mode, level }: GridLoad): MatrixQuery => ({
  ...query,
  filters: [
    ...query.filters.filter(([name]) => name !== 'load_mode' && name !== 'load_level'),
    ['load_mode', mode],
    ...(level === null ? [] : [['load_level', String(level)] as const]),
  ],
});

export function toBar(cell: Matrix['cells'][number][number], unit: string): BarValue | null {
  if (cell === null) return null;
  const { n, ci95 } = cell.statistics;
  // The unit of the axis and of the table's headings.
  const column = columnUnit(unit);
  const interval = formatInterval(cell.value, column, ci95);
  return {
    value: cell.value,
    interval: ci95,
    text: withUnit(formatValue(cell.value, column, { ci95 }) ?? '', unit),
    short: withUnit(formatValue(cell.value, column) ?? '', unit),
    basis: basisText(n, interval),
    href: `/systems/${cell.system.id}`,
    source: publishedSource(cell.source),
  };
}

/** Marks bars of another system than the first bar. The p99 of another system can be below the mean. */
export const markOthers = (bars: readonly (BarValue | null)[]): (BarValue | null)[] =>
  bars.map((bar) =>
    bar === null || bars[0] == null || bar.href === bars[0].href
      ? bar
      : { ...bar, short: `${bar.short} *`, basis: `${bar.basis}, another system` },
  );

/** A lookup of matrix cells by row and column id. */
function lookUp({ rows, columns, cells }: Matrix) {
  const found = new Map(
    rows.headings.flatMap((row, r) =>
      columns.headings.map((column, c) => [JSON.stringify([row.id, column.id]), cells[r]?.[c] ?? null] as const),
    ),
  );
  return (row: string, column: string) => found.get(JSON.stringify([row, column])) ?? null;
}

type Asked = { load: GridLoad; matrices: readonly (Matrix | null)[] };

async function askLoads(
  api: Api,
  query: MatrixQuery,
  metrics: readonly Metric[],
  loads: readonly GridLoad[],
): Promise<Asked[]> {
  return Promise.all(
    loads.map(async (load) => {
      const answers = await Promise.all(
        metrics.map(({ name }) => {
          const { filters } = withLoad(query, load);
          return api.getMatrix({ ...toQuery(filters), rows: ['scenario'], columns: [query.series], metric: [name] });
        }),
      );
      return { load, matrices: answers.map(({ data }) => data) };
    }),
  );
}

function toScenario(id: string, asked: readonly Asked[], metrics: readonly Metric[]): GridScenario | null {
  const unit = metrics[0]?.family.unit ?? '';
  const names = new Map<string, string>();
  for (const { matrices } of asked)
    for (const matrix of matrices) {
      const row = matrix?.rows.headings.findIndex((heading) => heading.id === id) ?? -1;
      for (const [at, column] of (matrix?.columns.headings ?? []).entries())
        if (row >= 0 && matrix?.cells[row]?.[at]) names.set(column.id, column.title);
    }
  const series = [...names].toSorted(([, a], [, b]) => a.localeCompare(b)).slice(0, seriesMax);
  if (series.length === 0) return null;
  const barsOf = ({ matrices }: Asked, column: string) =>
    markOthers(matrices.map((matrix) => (matrix === null ? null : toBar(lookUp(matrix)(id, column), unit))));
  return {
    id,
    title: scenarioTitle(id),
    panels: asked.map((one) => ({
      load: formatLoad(one.load),
      chart: gridBars(
        `${scenarioTitle(id)}, ${formatLoad(one.load)}`,
        unit,
        statistics,
        series.map(([column, name]) => ({ name, bars: barsOf(one, column) })),
      ),
    })),
    table: series.map(([column, name]) => ({
      name,
      cells: asked.flatMap((one) => barsOf(one, column)),
    })),
  };
}

interface Measured {
  /** Measured loads, the one with the most measurements first. */
  loads: GridLoad[];
  /** How many scenarios of the plan were measured at its loads. */
  planned: number;
}

const placeKey = (scenario: string, load: GridLoad) => `${scenario} ${loadKey(load)}`;
const planPlaces: ReadonlySet<string> = new Set(planItems.map(({ scenario, load }) => placeKey(scenario.id, load)));

async function readMeasured(
  api: Api,
  query: MatrixQuery,
  metric: Metric,
): Promise<{ data: Measured | null; problem: Problem | null }> {
  const { data, problem } = await api.getMatrix({
    ...toQuery(query.filters),
    rows: ['load'],
    columns: ['scenario'],
    metric: [metric.name],
  });
  if (data === null) return { data: null, problem };
  const found = data.cells.map((cells) => cells.filter((cell) => cell !== null));
  return {
    data: {
      loads: found.toSorted((a, b) => b.length - a.length).flatMap(([cell]) => (cell === undefined ? [] : [cell.load])),
      planned: found.flat().filter(({ scenario, load }) => planPlaces.has(placeKey(scenario.id, load))).length,
    },
    problem: null,
  };
}

/**
 * Scenario x load x series with mean and p99 as bars: the plan's grid, plus other scenarios measured at its loads. Uses the
 * measured loads instead if nothing of the plan was measured or the filters select other loads.
 */
export async function readGrid(
  api: Api,
  query: MatrixQuery,
): Promise<{ data: GridView | null; problem: Problem | null }> {
  const metrics = statistics.flatMap((statistic) => metricOf(`${query.metric}_${statistic}`) ?? []);
  const [mean] = metrics;
  if (mean === undefined || metrics.length < statistics.length) {
    return api.getMatrix({ metric: [query.metric] }).then(({ problem }) => ({ data: null, problem }));
  }
  const { data: measured, problem } = await readMeasured(api, query, mean);
  if (measured === null) return { data: null, problem };
  const isLoadAsked = query.filters.some(([name]) => name === 'load_mode' || name === 'load_level');
  const isPlanEmpty = measured.planned === 0;
  // A grid of the plan that is mostly empty shows less than the loads with the most measurements.
  const isPlanShown = measured.planned >= planPlaces.size / 2;
  const loads = !isPlanShown || isLoadAsked ? measured.loads.slice(0, planLoads.length) : planLoads;
  const asked = await askLoads(api, query, metrics, loads);
  const scenarioIds = new Set([
    ...planScenarios,
    ...asked.flatMap(({ matrices }) => matrices.flatMap((matrix) => matrix?.rows.headings.map(({ id }) => id) ?? [])),
  ]);
  const shown = new Set(loads.map(loadKey));
  return {
    data: {
      title: mean.family.title,
      unit: mean.family.unit,
      metrics,
      loads: loads.map(formatLoad),
      scenarios: [...scenarioIds].flatMap((id) => toScenario(id, asked, metrics) ?? []),
      isPlanEmpty: isPlanEmpty && !isLoadAsked,
      otherLoads: measured.loads
        .filter((load) => !shown.has(loadKey(load)))
        .map((load) => ({ label: formatLoad(load), href: matrixHref(withLoad(query, load)) })),
      sources: loads.flatMap((load) =>
        metrics.map(({ name, statistic }) => ({
          label: `${statistic} at ${formatLoad(load)}`,
          path: matrixApiPath({
            ...withLoad(query, load),
            rows: 'scenario',
            columns: query.series,
            metric: name,
            order: null,
          }),
        })),
      ),
    },
    problem: null,
  };
}
