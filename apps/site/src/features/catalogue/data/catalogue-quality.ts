import { findModel } from '@inferboard/core/catalogue/index';
import { isUnquantized } from '@inferboard/core/catalogue/quantizations';
import type { Metric } from '@inferboard/core/metrics/index';
import { workloadTitle } from '@inferboard/core/workloads/workload-title';
import type { Api, Evaluation, Matrix } from '../../../lib/api.ts';
import { formatFigure, formatPercent, formatRatio } from '../../../lib/format.ts';
import { metricOf } from '../../../lib/metric-text.ts';
import { type PublishedSource, publishedSource } from '../../system/data/published-source.ts';
import { factName } from './fact-name.ts';

/** The result of an evaluation, compared with the unquantized weights. */
export interface QualityCell {
  value: string;
  /** "± 0.029", the standard error. */
  error: string | null;
  n: string;
  /** "1.9 % worse", "0.4 % worse, within the error"; null for the baseline or without one. */
  change: { text: string; tone: 'good' | 'bad' | 'none' } | null;
  href: string;
  /** "the best supported of 3", if there are several evaluations. */
  note: string | null;
  source: PublishedSource | null;
}

export interface TradeoffRow {
  quantization: string;
  href: string;
  isBaseline: boolean;
  speed: { value: string; ratio: string | null; href: string; source: PublishedSource | null } | null;
  /** One for each task, in the order of the columns. */
  quality: (QualityCell | null)[];
}

/** Speed gain and quality loss of each quantization of a model. */
export interface TradeoffView {
  /** "Output throughput per GPU (tok/s) on H100 SXM, Chatbot, steady"; null without comparable speeds. */
  speedTitle: string | null;
  tasks: { id: string; title: string; detail: string | null; better: string }[];
  rows: TradeoffRow[];
}

const tasksMax = 4;
const speedMetrics = ['output_tok_s_per_gpu', 'output_tok_s', 'decode_tok_s', 'user_tok_s'] as const;
/** Two-sided quantile of a normal distribution. */
const z95 = 1.96;

type Named = { id: string | null; name: string };
export const nameOf = ({ id, name }: Named) => id ?? name;

export function isBaseline({ model, quantization }: Evaluation['system']): boolean {
  return isUnquantized(quantization, model.id === null ? null : findModel(model.id));
}

/** Chooses among evaluations of the same task: the one with the most items; on a tie, the first. */
export function supported(evaluations: readonly Evaluation[]): Evaluation | undefined {
  return evaluations.toSorted((a, b) => (b.n ?? 0) - (a.n ?? 0))[0];
}

/** Whether two scores differ by more than their standard errors explain; null if an error is unknown. */
function isBeyondNoise(own: Evaluation, base: Evaluation): boolean | null {
  if (own.standard_error === null || base.standard_error === null) return null;
  return Math.abs(own.value - base.value) > z95 * Math.hypot(own.standard_error, base.standard_error);
}

function changeOf(own: Evaluation, base: Evaluation | undefined): QualityCell['change'] {
  if (base === undefined || base === own || base.value === 0) return null;
  const isBeyond = isBeyondNoise(own, base);
  const share = formatPercent(Math.abs(own.value - base.value) / Math.abs(base.value));
  const isBetter = own.value > base.value === (own.better === 'higher');
  if (own.value === base.value) return { text: 'the same', tone: 'none' };
  const text = `${share} ${isBetter ? 'better' : 'worse'}`;
  if (isBeyond === null) return { text: `${text}, no error stated`, tone: 'none' };
  return isBeyond ? { text, tone: isBetter ? 'good' : 'bad' } : { text: `${text}, within the error`, tone: 'none' };
}

const localPath = (address: string) => {
  const { pathname, hash } = new URL(address, 'http://here');
  return pathname + hash;
};

/** @param base evaluation of the unquantized weights; undefined without one */
export function toQualityCell(all: readonly Evaluation[], base: Evaluation | undefined): QualityCell | null {
  const own = supported(all);
  if (own === undefined) return null;
  const { value, standard_error: error, n } = own;
  const ci95: [number, number] | null = error === null ? null : [value - z95 * error, value + z95 * error];
  const figure = formatFigure(value, '', { ci95 });
  const deviation = error === null ? null : formatFigure(value, '', { ci95, sd: error });
  return {
    value: figure?.number ?? '',
    error: deviation?.sd ?? null,
    n: n === null ? 'n not stated' : `n ${n.toLocaleString('en')}`,
    change: changeOf(own, base),
    href: localPath(own.links.page),
    source: publishedSource(own.source),
    note: all.length > 1 ? `from the largest of ${all.length} evaluations` : null,
  };
}

export const detailOf = ({ metric, variant, few_shot: shots, context }: Evaluation) =>
  [metric, variant, shots === null ? null : `${shots} shot`, context === null ? null : `${context} tokens`]
    .filter((part) => part !== null)
    .join(', ');

/** Tasks with the quantizations that each evaluated, the most first. */
function tasksOf(evaluations: readonly Evaluation[]) {
  const counts = [...Map.groupBy(evaluations, ({ workload }) => workload).values()].map((list) => ({
    first: list[0] as Evaluation,
    quantizations: new Set(list.map(({ system }) => nameOf(system.quantization))).size,
  }));
  return counts.toSorted((a, b) => b.quantizations - a.quantizations).slice(0, tasksMax);
}

interface Speeds {
  metric: Metric;
  gpu: string;
  workload: string | null;
  of: Map<string, { value: number; href: string; source: PublishedSource | null }>;
}

/** Speeds of the quantizations by one metric and workload, on the GPU where most of them were measured. */
function speedsOf(matrix: Matrix, metric: Metric): Speeds | null {
  const columns = matrix.columns.headings.map(({ title }, column) => ({
    gpu: title,
    cells: matrix.cells.flatMap((row, at) => {
      const cell = row[column] ?? null;
      return cell === null ? [] : [{ id: matrix.rows.headings[at]?.id ?? '', cell }];
    }),
  }));
  const [most] = columns.toSorted((a, b) => b.cells.length - a.cells.length);
  if (most === undefined || most.cells.length === 0) return null;
  return {
    metric,
    gpu: most.gpu,
    workload: matrix.workload?.id ?? null,
    of: new Map(
      most.cells.map(({ id, cell }) => [
        id,
        { value: cell.value, href: `/systems/${cell.system.id}`, source: publishedSource(cell.source) },
      ]),
    ),
  };
}

async function readSpeeds(api: Api, model: string): Promise<Speeds | null> {
  let found: Speeds | null = null;
  for (const name of speedMetrics) {
    const metric = metricOf(name);
    if (metric === null) continue;
    const { data } = await api.getMatrix({ rows: ['quantization'], columns: ['gpu'], metric: [name], model: [model] });
    const speeds = data === null ? null : speedsOf(data, metric);
    if (speeds !== null && speeds.of.size > (found?.of.size ?? 0)) found = speeds;
    if (found !== null && found.of.size > 1) break;
  }
  return found;
}

/** Speed gain and quality loss of the quantizations of a model; null without evaluations. */
export async function readTradeoff(api: Api, model: string): Promise<TradeoffView | null> {
  const { data } = await api.listQuality({ model: [model], limit: ['200'] });
  const evaluations = data?.data ?? [];
  if (evaluations.length === 0) return null;
  const speeds = await readSpeeds(api, model);
  const tasks = tasksOf(evaluations);
  const evaluated = evaluations.map(({ system }) => nameOf(system.quantization));
  const baselines = new Set(
    evaluations.filter(({ system }) => isBaseline(system)).map(({ system }) => nameOf(system.quantization)),
  );
  const known = findModel(model);
  const isBase = (id: string) => baselines.has(id) || isUnquantized({ id, name: id }, known);
  const ids = [...new Set([...evaluated, ...(speeds?.of.keys() ?? [])])];
  const baseSpeed = ids.filter(isBase).flatMap((id) => speeds?.of.get(id) ?? [])[0];
  const rows = ids
    .toSorted(
      (a, b) =>
        Number(isBase(b)) - Number(isBase(a)) || (speeds?.of.get(b)?.value ?? 0) - (speeds?.of.get(a)?.value ?? 0),
    )
    .map((id): TradeoffRow => {
      const own = evaluations.filter(({ system }) => nameOf(system.quantization) === id);
      const speed = speeds?.of.get(id);
      const ratio =
        speed === undefined || baseSpeed === undefined || speed === baseSpeed ? null : speed.value / baseSpeed.value;
      return {
        quantization: factName('quantization', id),
        href: `/quantizations/${encodeURIComponent(id)}`,
        isBaseline: isBase(id),
        speed:
          speed === undefined || speeds === null
            ? null
            : {
                value: formatFigure(speed.value, speeds.metric.family.unit)?.number ?? '',
                ratio: formatRatio(ratio, null).text,
                href: speed.href,
                source: speed.source,
              },
        quality: tasks.map(({ first }) => {
          const ofTask = (list: readonly Evaluation[]) => list.filter(({ workload }) => workload === first.workload);
          const base = supported(ofTask(evaluations.filter(({ system }) => isBaseline(system))));
          return toQualityCell(ofTask(own), base);
        }),
      };
    });
  const speedTitle =
    speeds === null
      ? null
      : `${speeds.metric.title} (${speeds.metric.family.unit}) on ${speeds.gpu}${speeds.workload === null ? '' : `, ${workloadTitle(speeds.workload)}`}`;
  return {
    speedTitle,
    tasks: tasks.map(({ first }) => ({
      id: first.workload,
      title: first.task,
      detail: detailOf(first),
      better: `${first.better} is better`,
    })),
    rows,
  };
}

/** One row of a quantization's quality: a model and a task, with the unquantized weights. */
export interface CostRow {
  model: { title: string; href: string };
  task: string;
  detail: string;
  own: QualityCell;
  baseline: { quantization: string; cell: QualityCell } | null;
}

const costRowsMax = 40;

/** Evaluations of a quantization next to those of the unquantized weights of the same models. */
export async function readQualityCosts(api: Api, quantization: string): Promise<CostRow[]> {
  const { data } = await api.listQuality({ quantization: [quantization], limit: ['200'] });
  const own = data?.data ?? [];
  const models = [...new Set(own.flatMap(({ system }) => system.model.id ?? []))].slice(0, 50);
  const others = models.length === 0 ? null : await api.listQuality({ model: models, limit: ['200'] });
  const unquantized = (others?.data?.data ?? []).filter(({ system }) => isBaseline(system));
  const groups = Map.groupBy(own, ({ system, workload }) => JSON.stringify([nameOf(system.model), workload]));
  return [...groups.values()].slice(0, costRowsMax).flatMap((list): CostRow[] => {
    const [first] = list;
    if (first === undefined) return [];
    const { system, workload, task } = first;
    const base = supported(
      unquantized.filter((one) => one.workload === workload && nameOf(one.system.model) === nameOf(system.model)),
    );
    const cell = toQualityCell(list, base);
    const baseCell = base === undefined ? null : toQualityCell([base], undefined);
    if (cell === null) return [];
    return [
      {
        model: {
          title: findModel(system.model.id ?? '')?.name ?? system.model.name,
          href: `/models/${encodeURIComponent(nameOf(system.model))}`,
        },
        task,
        detail: detailOf(first),
        own: cell,
        baseline:
          base === undefined || baseCell === null || isBaseline(system)
            ? null
            : { quantization: factName('quantization', nameOf(base.system.quantization)), cell: baseCell },
      },
    ];
  });
}
