import type { Metric } from '@inferboard/core/metrics/index';
import { findPlan } from '@inferboard/core/plans/named-plans';
import { formatLoad } from '@inferboard/core/subjects/load';
import { barScaleMax, type IntervalBar, intervalBar } from '../../../charts/interval-bar.ts';
import type { Api, Entry, Problem, System } from '../../../lib/api.ts';
import { type Figure, toFigure } from '../../../lib/figures.ts';
import { formatRatio } from '../../../lib/format.ts';
import { metricOf } from '../../../lib/metric-text.ts';
import { toPath, toQuery } from '../../../lib/parameters.ts';
import { rankText } from '../../../lib/rank-text.ts';
import { hardwareText, quantizationText, scenarioText, systemTitle, trustWords } from '../../../lib/words.ts';
import { boardHref, readBoardQuery } from '../../board/data/board-query.ts';
import { readEntries } from '../../board/data/read-entries.ts';
import { scenarioTitle } from '../../catalogue/data/catalogue-links.ts';
import {
  kinOf,
  type QuantizationVariants,
  readSpeedups,
  type Speedup,
  speedupOf,
} from '../../catalogue/data/catalogue-speedups.ts';
import { distinctNames } from '../../compare/data/compare-names.ts';
import { comparedMax, compareHref } from '../../compare/data/compare-query.ts';
import { type PublishedSource, publishedSource } from '../../system/data/published-source.ts';
import { type MatrixQuery, matrixHref } from './matrix-query.ts';

export interface SpeedupText {
  text: string;
  interval: string | null;
  verdict: 'faster' | 'slower' | 'same' | 'unknown';
}

export interface RankingRow {
  /** Place by the mean, from 1. */
  place: number;
  /** "1" or "1–3": the places that its interval allows. */
  range: string;
  medal: 'gold' | 'silver' | 'bronze' | null;
  id: string;
  title: string;
  quantization: string | null;
  hardware: string;
  figure: Figure;
  bar: IntervalBar;
  speedup: SpeedupText | null;
  isBaseline: boolean;
  /** The ranking with this system as the baseline. */
  baselineHref: string;
  trust: string;
  findings: number;
  source: PublishedSource | null;
}

export interface RankingTable {
  id: string;
  title: string;
  detail: string | null;
  load: string;
  rows: RankingRow[];
  boardHref: string;
  compareHref: string | null;
  apiPath: string;
}

export interface RankingView {
  metric: Metric;
  baselines: System[];
  tables: RankingTable[];
  overview: OverviewRow[];
}

/** A system over the tables, which are the columns. */
export interface OverviewRow {
  title: string;
  quantization: string | null;
  hardware: string;
  /** The facts that distinguish it from rows with the same names. */
  detail: string | null;
  /** `baseline`: the system is the baseline of its group and was measured at this scenario and load. */
  cells: (SpeedupText | 'baseline' | null)[];
}

const medals = ['gold', 'silver', 'bronze'] as const;
const rowsMax = '50';

/** "1.451×" with its interval, to the same precision. */
export function speedupText(value: number, interval: readonly [number, number] | null): SpeedupText {
  const verdict = interval === null ? 'unknown' : interval[0] > 1 ? 'faster' : interval[1] < 1 ? 'slower' : 'same';
  const formatted = formatRatio(value, interval);
  return { text: formatted.text ?? '', interval: formatted.interval, verdict };
}

/** Identifies a point of offline batches. */
export const pointKey = (scenario: string, level: number | null, system: string) =>
  JSON.stringify([scenario, level, system]);

function toTexts(speedups: readonly Speedup[], metric: Metric): Map<string, SpeedupText> {
  return new Map(
    speedups.flatMap((speedup) => {
      const found = speedup.metric === metric.name ? speedupOf(speedup) : null;
      const { scenario, load } = speedup.point;
      return found === null
        ? []
        : [[pointKey(scenario.id, load.level, speedup.system.id), speedupText(found.value, found.interval)] as const];
    }),
  );
}

function toTable(
  scenario: string,
  entries: readonly Entry[],
  metric: Metric,
  query: MatrixQuery,
  speedups: Map<string, SpeedupText>,
  baselines: ReadonlySet<string>,
): RankingTable | null {
  const [first] = entries;
  if (first === undefined) return null;
  const scaleMax = barScaleMax(entries.map(({ value, statistics }) => ({ value, ci95: statistics.ci95 })));
  const parameters = [
    ['scenario', scenario],
    ['load_mode', 'batch'],
    ['rank_by', metric.name],
    ...query.filters,
  ] as const;
  return {
    id: scenario,
    title: scenarioTitle(scenario),
    detail: scenarioText(first.scenario).detail,
    load: formatLoad(first.load),
    rows: entries.map(({ system, statistics, value, load, trust, findings, source, ...entry }, at) => ({
      place: at + 1,
      range: rankText(entry) ?? '',
      medal: medals[at] ?? null,
      id: system.id,
      title: systemTitle(system),
      quantization: quantizationText(system),
      hardware: hardwareText(system),
      figure: toFigure(statistics, metric.family, statistics.assumed),
      bar: intervalBar(value, statistics.ci95, scaleMax),
      speedup: speedups.get(pointKey(scenario, load.level, system.id)) ?? null,
      isBaseline: baselines.has(system.id),
      baselineHref: matrixHref({ ...query, baseline: system.id }),
      trust: trustWords[trust].label,
      findings,
      source: publishedSource(source),
    })),
    boardHref: boardHref(readBoardQuery(new URLSearchParams(parameters.map(([name, text]) => [name, text])))),
    compareHref:
      entries.length < 2
        ? null
        : compareHref({
            ids: entries.slice(0, comparedMax).map(({ system }) => system.id),
            metric: metric.name,
            filters: [['scenario', scenario]],
          }),
    apiPath: toPath('/v1/leaderboard', parameters),
  };
}

/** The facts that distinguish systems with the same names. */
function detailsOf(systems: readonly System[]): Map<string, string> {
  const named = (system: System) =>
    JSON.stringify([systemTitle(system), quantizationText(system), hardwareText(system)]);
  return new Map(
    [...Map.groupBy(systems, named).values()].flatMap((same) => {
      const names = same.length === 1 ? [] : distinctNames(same);
      return names.map((name, at) => [same[at]?.id ?? '', name] as const);
    }),
  );
}

/**
 * The systems of each group over some scenarios, the baseline first.
 *
 * @param points keys of the measured points
 */
export function overviewOf(
  kin: readonly QuantizationVariants[],
  columns: readonly { scenario: string; level: number | null }[],
  points: ReadonlySet<string>,
  speedups: ReadonlyMap<string, SpeedupText>,
): OverviewRow[] {
  const details = detailsOf(kin.flatMap(({ baseline, others }) => [baseline, ...others]));
  const toRow = (system: System, cells: OverviewRow['cells']): OverviewRow => ({
    ...{ title: systemTitle(system), quantization: quantizationText(system), hardware: hardwareText(system) },
    ...{ detail: details.get(system.id) ?? null, cells },
  });
  return kin.flatMap(({ baseline, others }) => {
    const speedupAt = ({ scenario, level }: (typeof columns)[number], { id }: System) =>
      speedups.get(pointKey(scenario, level, id)) ?? null;
    // A board has a limited number of rows, so the baseline of a speedup may be on none.
    const isMeasured = (column: (typeof columns)[number]) =>
      points.has(pointKey(column.scenario, column.level, baseline.id)) ||
      others.some((other) => speedupAt(column, other) !== null);
    return [
      toRow(
        baseline,
        columns.map((column) => (isMeasured(column) ? 'baseline' : null)),
      ),
      ...others.map((other) =>
        toRow(
          other,
          columns.map((column) => speedupAt(column, other)),
        ),
      ),
    ];
  });
}

/** Scenarios of offline batches: the plan's and other measured ones. */
async function batchScenarios(api: Api, query: MatrixQuery, metric: Metric) {
  const planned =
    findPlan('batch-grid')
      ?.items()
      .map(({ scenario }) => scenario.id) ?? [];
  const { data, problem } = await api.getMatrix({
    ...toQuery(query.filters),
    load_mode: ['batch'],
    rows: ['scenario'],
    columns: ['load'],
    metric: [metric.name],
  });
  // Systems that leave a fact unspecified are not included.
  const measured = data?.rows.headings.map(({ id }) => id) ?? [];
  return { ids: [...new Set([...planned, ...measured])], problem };
}

/** Each offline scenario as a ranking: mean ± sd, places, medals by the mean, and the speedup over the unquantized system. */
export async function readRanking(
  api: Api,
  query: MatrixQuery,
): Promise<{ data: RankingView | null; problem: Problem | null }> {
  const metric = metricOf(query.metric);
  if (metric === null)
    return api.getMatrix({ metric: [query.metric] }).then(({ problem }) => ({ data: null, problem }));
  const { ids, problem } = await batchScenarios(api, query, metric);
  if (problem !== null) return { data: null, problem };
  const boards = await Promise.all(
    ids.map((scenario) =>
      readEntries(api, {
        ...toQuery(query.filters),
        scenario: [scenario],
        load_mode: ['batch'],
        rank_by: [metric.name],
        limit: [rowsMax],
      }),
    ),
  );
  const entries = boards.map((board) => board.entries);
  const systems = [...new Map(entries.flat().map(({ system }) => [system.id, system])).values()];
  const kin = kinOf(systems, query.baseline);
  const speedups = toTexts(await readSpeedups(api, kin, [['load_mode', 'batch'], ...query.filters]), metric);
  const baselines = new Set(kin.map(({ baseline }) => baseline.id));
  const tables = ids.flatMap((id, at) => toTable(id, entries[at] ?? [], metric, query, speedups, baselines) ?? []);
  const columns = ids.flatMap((scenario, at) => {
    const first = entries[at]?.[0];
    return first === undefined ? [] : [{ scenario, level: first.load.level }];
  });
  const points = new Set(
    entries.flat().map(({ scenario, load, system }) => pointKey(scenario.id, load.level, system.id)),
  );
  return {
    data: {
      metric,
      baselines: kin.map(({ baseline }) => baseline),
      tables,
      overview: overviewOf(kin, columns, points, speedups),
    },
    problem: null,
  };
}
