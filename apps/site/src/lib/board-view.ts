import { formatLoad } from '@inferboard/core/load';
import type { Metric } from '@inferboard/core/metrics/index';
import { barScaleMax, type IntervalBar, intervalBar } from '../charts/interval-bar.ts';
import type { Entry, Leaderboard } from './api.ts';
import { type BoardQuery, boardHref, changed } from './board-query.ts';
import { type Figure, toFigure } from './figures.ts';
import { formatBrief, formatValue } from './format.ts';
import {
  definitionText,
  directionText,
  headlineMetrics,
  metricOf,
  naturalOrder,
  presentMetrics,
} from './metric-text.ts';
import {
  conflictTexts,
  exclusionText,
  hardwareText,
  quantizationText,
  scenarioText,
  systemTitle,
  trustWords,
} from './words.ts';

export interface Run {
  value: string;
  href: string;
  isOutlier: boolean;
}

export interface BoardRow {
  rank: string;
  isTied: boolean;
  systemHref: string;
  title: string;
  quantization: string | null;
  hardware: string;
  scenario: { title: string; detail: string | null };
  load: string;
  status: Entry['status'];
  figure: Figure;
  bar: IntervalBar;
  runs: Run[];
  hasMoreRuns: boolean;
  resultsHref: string;
  others: { value: string | null; mark: string | null }[];
  /** Mark of the note that tells which definition the ranked value has, where the rows' differ. */
  mark: string | null;
  trust: { label: string; means: string };
  conflicts: string[];
  findings: number;
}

export interface Column {
  metric: Metric;
  /** Mark of the note that holds for the whole column. */
  mark: string | null;
  /** The board ranked by this column. */
  href: string;
}

export interface BoardView {
  metric: Metric;
  order: 'asc' | 'desc';
  /** The same board from its other end. */
  reverseHref: string;
  direction: string;
  others: Column[];
  rows: BoardRow[];
  /** What the marks mean: how a metric's values were made. */
  notes: Note[];
  exclusions: { text: string; href: string | null }[];
  nextHref: string | null;
}

export interface Note {
  mark: string;
  metric: string;
  text: string;
}

const othersMax = 3;
const runsShown = 6;

const valuesOf = (entry: Entry): Record<string, number | null> => ({ ...entry.metrics, ...entry.derived });

/** An address of the API or the site as it is reached from here. */
export function localPath(address: string): string {
  const url = new URL(address, 'http://here');
  return url.pathname + url.search;
}

function toRuns(entry: Entry, unit: string): Run[] {
  const doubted = new Set(entry.statistics.outliers.map((outlier) => outlier.result_id));
  return entry.statistics.runs.slice(0, runsShown).map((run) => ({
    value: formatValue(run.value, unit, entry.statistics.sd) ?? '',
    href: `/submissions/${run.submission_id}#${run.result_id}`,
    isOutlier: doubted.has(run.result_id),
  }));
}

/** Notes on definitions: one on the column where all its values share it, else one a value. */
function noteDefinitions(entries: readonly Entry[], shown: readonly Metric[], ranked: Metric) {
  const notes: Note[] = [];
  const markOf = (metric: Metric, text: string): string => {
    const known = notes.find((note) => note.metric === metric.title && note.text === text);
    if (known !== undefined) return known.mark;
    const mark = String.fromCharCode('a'.charCodeAt(0) + notes.length);
    notes.push({ mark, metric: metric.title, text });
    return mark;
  };
  const columns = new Map<Metric, { shared: string | null; marks: (string | null)[] }>();
  for (const metric of shown) {
    const texts = entries.map((entry) =>
      valuesOf(entry)[metric.name] == null ? null : definitionText(entry.definitions, metric),
    );
    const distinct = [...new Set(texts.filter((text) => text !== null))];
    const [only] = distinct;
    if (distinct.length > 1) {
      columns.set(metric, { shared: null, marks: texts.map((text) => (text === null ? null : markOf(metric, text))) });
      // The page's first lines tell the one definition of the ranked metric.
    } else if (only !== undefined && metric !== ranked) {
      columns.set(metric, { shared: markOf(metric, only), marks: [] });
    }
  }
  return { notes, columns };
}

type Columns = ReturnType<typeof noteDefinitions>['columns'];

/** The interval that an entry ranks by: its own, or the one its tool's scatter stands for. */
function intervalOf({ statistics: { ci95, assumed } }: Entry): readonly [number, number] | null {
  return ci95 ?? assumed?.interval ?? null;
}

interface Table {
  metric: Metric;
  others: readonly Metric[];
  columns: Columns;
  scaleMax: number;
}

function toRow(entry: Entry, index: number, { metric, others, columns, scaleMax }: Table): BoardRow {
  const { unit } = metric.family;
  const { assumed } = entry.statistics;
  const [first, last] = entry.rank_spread;
  const values = valuesOf(entry);
  return {
    rank: first === last ? String(entry.rank) : `${first}–${last}`,
    isTied: first !== last,
    systemHref: `/systems/${entry.system.id}`,
    title: systemTitle(entry.system),
    quantization: quantizationText(entry.system),
    hardware: hardwareText(entry.system),
    scenario: scenarioText(entry.scenario),
    load: formatLoad(entry.load),
    status: entry.status,
    figure: toFigure(entry.statistics, unit, assumed),
    bar: intervalBar(entry.value, intervalOf(entry), scaleMax, assumed !== null),
    runs: toRuns(entry, unit),
    hasMoreRuns: entry.statistics.runs.length > runsShown,
    resultsHref: localPath(entry.links.results),
    others: others.map((other) => ({
      value: formatBrief(values[other.name], other.family.unit),
      mark: columns.get(other)?.marks[index] ?? null,
    })),
    mark: columns.get(metric)?.marks[index] ?? null,
    trust: trustWords[entry.trust],
    conflicts: conflictTexts(entry.replication),
    findings: entry.findings,
  };
}

/** The metrics that more rows have come first among equals; the columns stand in registry order. */
function chooseOthers(entries: readonly Entry[], metric: Metric): Metric[] {
  const rows = entries.map(valuesOf);
  const countOf = (name: string) => rows.filter((row) => row[name] !== null && row[name] !== undefined).length;
  const known = new Set(headlineMetrics);
  const candidates = presentMetrics(rows).filter((other) => other !== metric && known.has(other));
  const chosen = new Set(candidates.toSorted((a, b) => countOf(b.name) - countOf(a.name)).slice(0, othersMax));
  return candidates.filter((candidate) => chosen.has(candidate));
}

function exclusionsOf(board: Leaderboard, query: BoardQuery): BoardView['exclusions'] {
  return Object.entries(board.excluded)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => {
      const canShow = reason === 'quarantined' || reason === 'retracted';
      const href = canShow ? boardHref(changed(query, { filters: [...query.filters, ['include', reason]] })) : null;
      return { text: exclusionText(reason, count), href };
    });
}

/** A board as its page shows it; null for a metric that this build of the site does not know. */
export function toBoardView(board: Leaderboard, query: BoardQuery): BoardView | null {
  const metric = metricOf(board.rank_by);
  if (metric === null) return null;
  const others = chooseOthers(board.data, metric);
  const scaleMax = barScaleMax(board.data.map((entry) => ({ value: entry.value, ci95: intervalOf(entry) })));
  const { notes, columns } = noteDefinitions(board.data, [metric, ...others], metric);
  const reversed = board.order === 'asc' ? 'desc' : 'asc';
  return {
    metric,
    order: board.order,
    reverseHref: boardHref(changed(query, { order: reversed === naturalOrder(metric) ? null : reversed })),
    direction: directionText(metric),
    others: others.map((other) => ({
      metric: other,
      mark: columns.get(other)?.shared ?? null,
      href: boardHref(changed(query, { rankBy: other.name, order: null })),
    })),
    rows: board.data.map((entry, index) => toRow(entry, index, { metric, others, columns, scaleMax })),
    notes,
    exclusions: exclusionsOf(board, query),
    nextHref: board.next_cursor === null ? null : boardHref({ ...query, cursor: board.next_cursor }),
  };
}
