import type { Metric } from '@inferboard/core/metrics/index';
import { unrankedStatuses } from '@inferboard/core/subjects/result';
import { barScaleMax, type IntervalBar, intervalBar } from '../../../charts/interval-bar.ts';
import type { Best, Choice, Entry, Leaderboard, WorkloadChoice } from '../../../lib/api.ts';
import { chunkSizeText } from '../../../lib/chunk-size.ts';
import { rowNames } from '../../../lib/distinct-systems.ts';
import { type Figure, toFigure } from '../../../lib/figures.ts';
import { columnUnit, formatValue } from '../../../lib/format.ts';
import { directionText, naturalOrder } from '../../../lib/metric-text.ts';
import { isTied, rankText } from '../../../lib/rank-text.ts';
import { conflictTexts, loadText, type RowName, rowName, scenarioText, trustWords } from '../../../lib/words.ts';
import { type PublishedSource, publishedSource } from '../../system/data/published-source.ts';
import {
  type Column,
  chooseColumns,
  comparedValues,
  type Definitions,
  type Note,
  noteDefinitions,
  toColumns,
} from './board-columns.ts';
import { toEntries } from './board-cost.ts';
import { type PricesView, priceText, toPricesView } from './board-prices.ts';
import { type BoardQuery, boardHref, changed } from './board-query.ts';
import { type Arrangement, arrange, readArrangement, type SortColumn, sortColumns, sortHref } from './board-sort.ts';
import { exclusionText } from './exclusion-words.ts';
import { importedText } from './imported-text.ts';
import { type Ranked, rankedMetric } from './ranked-metric.ts';

export type { Column, Note } from './board-columns.ts';

export interface Run {
  value: string;
  href: string;
  isOutlier: boolean;
}

export interface BoardRow {
  /** Null for rows without a rank. */
  rank: string | null;
  /** True if another account contradicts the values; the row then sorts after its equals. */
  isDisputed: boolean;
  isTied: boolean;
  /** True for the first place and for rows that share it. */
  isLead: boolean;
  systemId: string;
  systemHref: string;
  name: RowName;
  scenario: { title: string; detail: string | null };
  load: string;
  status: Entry['status'];
  figure: Figure;
  bar: IntervalBar;
  runs: Run[];
  hasMoreRuns: boolean;
  resultsHref: string;
  /** `unit`: null if the value states another, such as seconds. `note`: the size of the chunks that an ITL is measured between. */
  others: { value: string | null; unit: string | null; mark: string | null; note: string | null }[];
  /** "at $2.10 per GPU-hour, retail"; null if the board ranks no cost. */
  price: string | null;
  /** Mark of the note with the definition of the ranked value, if the rows' definitions differ. */
  mark: string | null;
  /** As `note` of the others, of the ranked value. */
  note: string | null;
  trust: { label: string; means: string };
  /** The publication of the value; null if it was not imported. */
  source: PublishedSource | null;
  conflicts: string[];
  findings: number;
  warnings: number;
}

export interface BoardView {
  metric: Ranked;
  order: 'asc' | 'desc';
  /** The fact with one row for each value; null for one row for each system. */
  subject: string | null;
  /** Id of the workload; null without a ranking. */
  workload: string | null;
  /** The sort order, if it is not by rank. */
  arrangement: Arrangement | null;
  /** URL of the same board in reverse; if it is sorted by another column, of the order by rank. */
  rankHref: string;
  sortHrefs: Record<SortColumn, string>;
  direction: string;
  others: Column[];
  rows: BoardRow[];
  /** The entries of the rows, in order. */
  entries: readonly Entry[];
  /** Meaning of the marks: the definition of a metric's values. */
  notes: Note[];
  exclusions: { text: string; href: string | null }[];
  /** "All 288 rows of this board are published figures ...", for all pages of the board. */
  imported: string;
  /** The prices of costs and the form that changes them. */
  prices: PricesView | null;
  nextHref: string | null;
}

/** The API response: a board or the answer to a question. */
export interface BoardData {
  rankBy: string;
  order: 'asc' | 'desc';
  definition: Choice | null;
  workload: WorkloadChoice | null;
  rankChoice: Leaderboard['rank_by_choice'];
  /** The only account whose results are compared; null if all systems state their facts. */
  account: Best['account'];
  entries: readonly Entry[];
  /** The price list of costs; null without costs, or with one price for all GPUs. */
  prices: Leaderboard['prices'] | null;
  excluded: Record<string, number>;
  isExcludedAtLeast: boolean;
  /** Number of imported rows on all pages. */
  imported: number;
  isImportedAtLeast: boolean;
  /** Number of rows on all pages; null if unknown. */
  total: number | null;
  nextCursor: string | null;
  /** Whether the entries are the sides of a comparison, whose sentence states the ratio or why there is none. */
  isComparison: boolean;
}

/** Number of ranked systems; null if they were counted before the bounds were tested. */
function systemsOf({ definition, workload }: Pick<Leaderboard, 'definition' | 'workload'>): number | null {
  const counted = definition ?? workload;
  return counted === null || counted.systems_at_most ? null : counted.systems;
}

export const boardData = (board: Leaderboard): BoardData => ({
  rankBy: board.rank_by,
  order: board.order,
  definition: board.definition,
  workload: board.workload,
  rankChoice: board.rank_by_choice,
  account: null,
  entries: toEntries(board.data),
  prices: board.prices ?? null,
  excluded: board.excluded,
  isExcludedAtLeast: board.excluded_at_least,
  imported: board.imported,
  isImportedAtLeast: board.imported_at_least,
  total: systemsOf(board),
  nextCursor: board.next_cursor,
  isComparison: false,
});

export const questionData = (answer: Best): BoardData => ({
  rankBy: answer.rank_by,
  order: answer.order,
  definition: answer.definition,
  workload: answer.workload,
  rankChoice: answer.rank_by_choice,
  account: answer.account,
  entries: toEntries(answer.data),
  prices: answer.prices ?? null,
  excluded: answer.excluded,
  isExcludedAtLeast: answer.excluded_at_least,
  imported: answer.imported,
  isImportedAtLeast: answer.imported_at_least,
  total:
    answer.data.length < answer.interpretation.limit
      ? answer.data.length
      : answer.subject === 'system'
        ? systemsOf(answer)
        : null,
  nextCursor: null,
  isComparison: answer.comparison !== undefined,
});

const runsShown = 6;

/** Makes a URL of the API or the site relative to this host. */
export function localPath(address: string): string {
  const url = new URL(address, 'http://here');
  return url.pathname + url.search;
}

function toRuns(entry: Entry, unit: string): Run[] {
  const doubted = new Set(entry.statistics.outliers.map((outlier) => outlier.result_id));
  return entry.statistics.runs.slice(0, runsShown).map((run) => ({
    value: formatValue(run.value, unit, entry.statistics) ?? '',
    href: `/submissions/${run.submission_id}#${run.result_id}`,
    isOutlier: doubted.has(run.result_id),
  }));
}

/** The interval that ranks an entry: its own, or the tool's assumed one. */
function intervalOf({ statistics: { ci95, assumed } }: Entry): readonly [number, number] | null {
  return ci95 ?? assumed?.interval ?? null;
}

interface Table {
  metric: Ranked;
  subject: string | null;
  /** By system id. */
  names: ReadonlyMap<string, RowName>;
  others: readonly Metric[];
  definitions: Definitions;
  scaleMax: number;
}

function toRow(
  entry: Entry,
  index: number,
  { metric, subject, names, others, definitions, scaleMax }: Table,
): BoardRow {
  const { unit } = metric.family;
  const { assumed } = entry.statistics;
  const values = comparedValues(entry);
  return {
    rank: rankText(entry),
    isDisputed: entry.disputed,
    isTied: isTied(entry),
    isLead: entry.rank_spread?.[0] === 1,
    systemId: entry.system.id,
    systemHref: `/systems/${entry.system.id}`,
    name: names.get(entry.system.id) ?? rowName(entry.system, subject),
    scenario: scenarioText(entry.scenario),
    load: loadText(entry.load, entry.workload?.regime),
    status: entry.status,
    figure: toFigure(entry.statistics, metric.family, assumed),
    bar: intervalBar(entry.value, intervalOf(entry), scaleMax, assumed !== null),
    runs: toRuns(entry, unit),
    hasMoreRuns: entry.statistics.runs.length > runsShown,
    resultsHref: localPath(entry.links.results),
    others: others.map((other) => ({
      value: formatValue(values[other.name], columnUnit(other.family.unit)),
      unit: other.family.unit,
      mark: definitions.of.get(other.name)?.marks[index] ?? null,
      note: chunkSizeText(other, values, entry.definitions),
    })),
    mark: definitions.of.get(metric.name)?.marks[index] ?? null,
    note: chunkSizeText(metric, values, entry.definitions),
    price: priceText(entry.price ?? null),
    trust: trustWords[entry.trust],
    source: publishedSource(entry.source),
    conflicts: conflictTexts(entry.replication),
    findings: entry.findings,
    warnings: entry.warnings,
  };
}

function exclusionsOf({ excluded, isExcludedAtLeast }: BoardData, query: BoardQuery): BoardView['exclusions'] {
  return Object.entries(excluded)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => {
      const canShow = unrankedStatuses.some((status) => status === reason);
      const href = canShow ? boardHref(changed(query, { filters: [...query.filters, ['include', reason]] })) : null;
      return { text: exclusionText(reason, count, isExcludedAtLeast), href };
    });
}

function rankHrefOf(query: BoardQuery, order: 'asc' | 'desc', metric: Ranked): string {
  if (readArrangement(query.sort) !== null) return boardHref({ ...query, sort: null });
  const reversed = order === 'asc' ? 'desc' : 'asc';
  return boardHref(changed(query, { order: reversed === naturalOrder(metric) ? null : reversed, sort: null }));
}

/** The view of a board; null for a metric that this build of the site does not know. */
export function toBoardView(data: BoardData, query: BoardQuery): BoardView | null {
  const metric = rankedMetric(data.rankBy);
  if (metric === null) return null;
  const { subject } = query;
  const arrangement = readArrangement(query.sort);
  const entries = arrange(data.entries, arrangement, subject);
  const others = chooseColumns(entries, metric, query);
  const scaleMax = barScaleMax(entries.map((entry) => ({ value: entry.value, ci95: intervalOf(entry) })));
  const definitions = noteDefinitions(entries, [metric, ...others], metric);
  const systems = entries.map(({ system }) => system);
  const table: Table = { metric, subject, names: rowNames(systems, subject), others, definitions, scaleMax };
  return {
    metric,
    order: data.order,
    subject,
    workload: data.workload?.id ?? null,
    arrangement,
    rankHref: rankHrefOf(query, data.order, metric),
    sortHrefs: Object.fromEntries(sortColumns.map((column) => [column, sortHref(query, column)])) as Record<
      SortColumn,
      string
    >,
    direction: directionText(metric),
    others: toColumns(others, definitions, query),
    rows: entries.map((entry, index) => toRow(entry, index, table)),
    entries,
    notes: definitions.notes,
    exclusions: exclusionsOf(data, query),
    imported: importedText(data),
    prices: data.prices == null ? null : toPricesView(data.prices, query),
    nextHref: data.nextCursor === null ? null : boardHref({ ...query, cursor: data.nextCursor }),
  };
}
