import type { Metric } from '@inferboard/core/metrics/index';
import { findPlan } from '@inferboard/core/plans/named-plans';
import { formatLoad } from '@inferboard/core/subjects/load';
import { barScaleMax, type IntervalBar, intervalBar } from '../../../charts/interval-bar.ts';
import type { Api, Entry, Problem, System } from '../../../lib/api.ts';
import { type Figure, toFigure } from '../../../lib/figures.ts';
import { formatPlural } from '../../../lib/format.ts';
import { metricOf } from '../../../lib/metric-text.ts';
import { toPath, toQuery } from '../../../lib/parameters.ts';
import { rankText } from '../../../lib/rank-text.ts';
import { hardwareText, quantizationText, scenarioText, systemTitle, trustWords } from '../../../lib/words.ts';
import { boardHref, readBoardQuery } from '../../board/data/board-query.ts';
import { readEntries } from '../../board/data/read-entries.ts';
import { scenarioTitle } from '../../catalogue/data/catalogue-links.ts';
import { kinOf, readSpeedups, type Speedup, speedupOf } from '../../catalogue/data/catalogue-speedups.ts';
import { comparedMax, compareHref } from '../../compare/data/compare-query.ts';
import { type PublishedSource, publishedSource } from '../../system/data/published-source.ts';
import { type MatrixQuery, matrixHref } from './matrix-query.ts';
import { type OverviewRow, overviewOf, pointKey, type SpeedupText, speedupText } from './ranking-overview.ts';
import { foldedTables, namedModelsFirst, shownKin, sizeOf } from './ranking-shown.ts';

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

/** A table with many rows, which has its own page. */
export interface RankingLink {
  title: string;
  /** "50 or more systems" */
  systems: string;
  href: string;
}

export interface RankingView {
  metric: Metric;
  baselines: System[];
  open: RankingTable[];
  folded: RankingTable[];
  linked: RankingLink[];
  columns: Pick<RankingTable, 'title' | 'load'>[];
  overview: OverviewRow[];
  /** Number of systems of all groups, including those that the overview omits. */
  comparable: number;
}

const medals = ['gold', 'silver', 'bronze'] as const;
const rowsMax = 50;

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

/** Scenarios of offline batches: those of the filter, else the plan's and other measured ones. */
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
  const asked = query.filters.filter(([name]) => name === 'scenario').map(([, id]) => id);
  return { ids: [...new Set(asked.length > 0 ? asked : [...planned, ...measured])], problem };
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
        limit: [String(rowsMax)],
      }),
    ),
  );
  const found = ids.flatMap((id, at) => {
    const rows = boards[at]?.entries ?? [];
    const [first] = rows;
    return first === undefined ? [] : [{ id, rows, load: first.load }];
  });
  const measured = namedModelsFirst(found, ({ rows }) => rows.map(({ system }) => system));
  const { open, folded, linked } = foldedTables(measured, query.isWhole);
  const entries = measured.flatMap(({ rows }) => rows);
  const systems = [...new Map(entries.map(({ system }) => [system.id, system])).values()];
  const kin = namedModelsFirst(kinOf(systems, query.baseline), ({ baseline }) => [baseline]);
  const shown = new Set([...open, ...folded].flatMap(({ rows }) => rows.map(({ system }) => system.id)));
  const compared = query.isWhole ? kin : shownKin(kin, shown);
  const speedups = toTexts(await readSpeedups(api, compared, [['load_mode', 'batch'], ...query.filters]), metric);
  const baselines = new Set(kin.map(({ baseline }) => baseline.id));
  const toTables = (tables: typeof measured) =>
    tables.flatMap(({ id, rows }) => toTable(id, rows, metric, query, speedups, baselines) ?? []);
  const points = new Set(entries.map(({ scenario, load, system }) => pointKey(scenario.id, load.level, system.id)));
  return {
    data: {
      metric,
      baselines: kin.map(({ baseline }) => baseline),
      open: toTables(open),
      folded: toTables(folded),
      linked: linked.map(({ id, rows }) => ({
        title: scenarioTitle(id),
        systems: rows.length < rowsMax ? formatPlural(rows.length, 'system') : `${rowsMax} or more systems`,
        href: matrixHref({
          ...query,
          filters: [...query.filters.filter(([name]) => name !== 'scenario'), ['scenario', id]],
        }),
      })),
      columns: measured.map(({ id, load }) => ({ title: scenarioTitle(id), load: formatLoad(load) })),
      overview: overviewOf(
        compared,
        measured.map(({ id, load }) => ({ scenario: id, level: load.level })),
        points,
        speedups,
      ),
      comparable: sizeOf(kin),
    },
    problem: null,
  };
}
