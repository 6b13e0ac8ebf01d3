import { formatLoad } from '@inferboard/core/load';
import { type CurvePoint, type GpuCurves, gpuCurves } from '../charts/gpu-curves.ts';
import { readState, stateHref } from '../explorer/state.ts';
import type { Api } from './api.ts';
import { workloadNames, workloadTitle } from './board-choices.ts';
import type { BoardQuery } from './board-query.ts';
import type { BoardView } from './board-view.ts';
import { formatPlural, formatWithUnit } from './format.ts';
import type { Frontier } from './whole-answers.ts';
import { engineText, gpuText, quantizationText, systemTitle } from './words.ts';

export interface CurvesView {
  chart: GpuCurves;
  title: string;
  notes: string[];
  /** The same points at the API. */
  apiPath: string;
  /** The same curves in the explorer. */
  explorerPath: string;
}

/** What people weigh: how fast one user is served, and how much a GPU puts out. */
const [xMetric, yMetric] = ['user_tok_s', 'output_tok_s_per_gpu'] as const;

function toPoint({ x, y, system, load, links }: Frontier['data'][number], unit: { x: string; y: string }): CurvePoint {
  const parts = [systemTitle(system), quantizationText(system), gpuText(system)];
  return {
    ...{ gpu: system.gpu.title ?? system.gpu.name, x, y },
    detail: [...parts, engineText(system), formatLoad(load)].filter((part) => part !== null && part !== '').join(', '),
    xText: formatWithUnit(x, unit.x),
    yText: formatWithUnit(y, unit.y),
    href: new URL(links.page).pathname,
  };
}

/**
 * The GPUs of a board's workload as curves of throughput over the speed of each user. Null of a board of something else, of
 * a question, and where fewer than two GPUs have both figures.
 */
export async function readCurves(api: Api, board: BoardView, query: BoardQuery): Promise<CurvesView | null> {
  if (board.workload === null || board.subject !== null || query.x !== null || query.cursor !== null) return null;
  const filters = query.filters.filter(([name]) => !workloadNames.includes(name));
  const model = board.entries[0]?.system.model;
  const isOfModel = filters.some(([name]) => name === 'model' || name === 'model_family');
  // GPUs are compared by one model: the first of the board, unless the reader chose.
  if (model !== undefined && !isOfModel) {
    const ofModel = [...filters, ['model', model.id ?? model.name] as [string, string]];
    const curves = await drawCurves(api, board.workload, ofModel);
    if (curves !== null) return curves;
  }
  return drawCurves(api, board.workload, filters);
}

async function drawCurves(
  api: Api,
  workload: string,
  filters: readonly (readonly [string, string])[],
): Promise<CurvesView | null> {
  const asked = new URLSearchParams([
    ...Object.entries({ x: xMetric, y: yMetric, workload, frontier_of: 'gpu' }),
    ...filters.map(([name, value]) => [name, value] as [string, string]),
  ]);
  const names = [...new Set(asked.keys())];
  const { data } = await api.getPareto(Object.fromEntries(names.map((name) => [name, asked.getAll(name)])));
  if (data === null) return null;
  const unit = { x: data.x.unit, y: data.y.unit };
  const chart = gpuCurves(
    data.data.map((point) => toPoint(point, unit)),
    { x: 'Speed of each user', y: 'Output throughput per GPU', xUnit: unit.x, yUnit: unit.y },
  );
  if (chart === null) return null;
  const more =
    chart.others === 0 ? [] : [`${formatPlural(chart.others, 'more GPU')} with lower throughput in the data.`];
  const models = [...new Set(data.data.map(({ system }) => systemTitle(system)))];
  const [model] = models;
  const of =
    models.length === 1 && model !== undefined
      ? `All points are of ${model}.`
      : 'A curve may join points of several models.';
  return {
    chart,
    title: `${models.length === 1 ? `${model}: throughput` : 'Throughput'} and speed by GPU, ${workloadTitle(workload)}`,
    notes: [`${of} A curve joins the best points of a GPU over loads, engines and quantizations.`, ...more],
    apiPath: `/v1/pareto?${asked}`,
    explorerPath: stateHref(
      readState(new URLSearchParams([['workload', workload], ...filters.map(([name, value]) => [name, value])])),
    ),
  };
}
