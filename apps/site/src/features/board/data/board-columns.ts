import { metricsOfBound } from '@inferboard/core/filters/bounds';
import { definitionGroup, type Metric, metrics, unrankedGroups } from '@inferboard/core/metrics/index';
import type { Entry } from '../../../lib/api.ts';
import { definitionText, headlineMetrics, metricOf, presentMetrics } from '../../../lib/metric-text.ts';
import { type BoardQuery, boardHref, changed } from './board-query.ts';
import type { Ranked } from './ranked-metric.ts';

export interface Column {
  metric: Metric;
  /** Mark of a note on the whole column. */
  mark: string | null;
  /** URL of the board ranked by this column. */
  href: string;
  /** True if the question has a bound on it: "under 20 ms". */
  isBound: boolean;
}

export interface Note {
  mark: string;
  metric: string;
  text: string;
}

/** Number of columns next to the ranked one. Columns with a bound are always included. */
const othersMax = 3;

export const valuesOf = (entry: Pick<Entry, 'metrics' | 'derived'>): Record<string, number | null> => ({
  ...entry.metrics,
  ...entry.derived,
});

const unranked = metrics.flatMap(({ name, family }) => {
  const groups = unrankedGroups(family);
  return groups.length === 0 ? [] : [{ name, family, groups }];
});

/** The values of a row, without those by a formula that is not ranked: a column or a chart of a board would compare them. */
export function comparedValues(entry: Pick<Entry, 'metrics' | 'derived' | 'definitions'>) {
  const values = valuesOf(entry);
  for (const { name, family, groups } of unranked) {
    const group = definitionGroup(family, entry.definitions[name] ?? entry.definitions[family.base]);
    if (group !== null && groups.includes(group)) values[name] = null;
  }
  return values;
}

/** The metrics with a bound in the question, in its order. */
export function boundMetrics(query: BoardQuery): Metric[] {
  return [...new Set(boundsOf(query).flatMap(([first]) => first ?? []))];
}

/** For each bound, the metrics that can satisfy it, first choice first. */
function boundsOf(query: BoardQuery): Metric[][] {
  return query.filters.flatMap(([name]) => {
    const [, side, base = ''] = /^(min|max)_(.+)$/.exec(name) ?? [];
    const metric = metricOf(base);
    if (metric === null) return [];
    const names = metricsOfBound({ metric: metric.name, side: side === 'min' ? 'min' : 'max' });
    return [names.flatMap((one) => metricOf(one) ?? [])];
  });
}

/** The metrics that met the bounds in these rows. If no row has the requested percentile, a higher one. */
function metricsThatMet(query: BoardQuery, rows: readonly Record<string, number | null>[]): Metric[] {
  const chosen = boundsOf(query).flatMap((metrics) => {
    const present = metrics.filter(({ name }) => rows.some((row) => row[name] != null));
    return present.length === 0 ? metrics.slice(0, 1) : present;
  });
  return [...new Set(chosen)];
}

/** The columns next to the ranked metric: first those with a bound, then those that most rows have, in registry order. */
export function chooseColumns(entries: readonly Entry[], ranked: Ranked, query: BoardQuery): Metric[] {
  const rows = entries.map(comparedValues);
  const bound = metricsThatMet(query, rows).filter(({ name }) => name !== ranked.name);
  const countOf = (name: string) => rows.filter((row) => row[name] !== null && row[name] !== undefined).length;
  const known = new Set(headlineMetrics);
  const candidates = presentMetrics(rows).filter(
    (metric) => metric.name !== ranked.name && known.has(metric) && !bound.includes(metric),
  );
  const room = Math.max(othersMax - bound.length, 1);
  const chosen = new Set(candidates.toSorted((a, b) => countOf(b.name) - countOf(a.name)).slice(0, room));
  return [...bound, ...candidates.filter((candidate) => chosen.has(candidate))];
}

/** The definitions of the columns' values: a note on the column if all rows share it, else one for each value. */
export interface Definitions {
  notes: Note[];
  of: Map<string, { shared: string | null; marks: (string | null)[] }>;
}

export function noteDefinitions(entries: readonly Entry[], shown: readonly Ranked[], ranked: Ranked): Definitions {
  const notes: Note[] = [];
  const markOf = (metric: Ranked, text: string): string => {
    const known = notes.find((note) => note.metric === metric.title && note.text === text);
    if (known !== undefined) return known.mark;
    const mark = String.fromCharCode('a'.charCodeAt(0) + notes.length);
    notes.push({ mark, metric: metric.title, text });
    return mark;
  };
  const of: Definitions['of'] = new Map();
  for (const metric of shown) {
    const texts = entries.map((entry) =>
      comparedValues(entry)[metric.name] == null ? null : definitionText(entry.definitions, metric),
    );
    const distinct = [...new Set(texts.filter((text) => text !== null))];
    const [only] = distinct;
    if (distinct.length > 1) {
      of.set(metric.name, { shared: null, marks: texts.map((text) => (text === null ? null : markOf(metric, text))) });
      // The head of the page states the single definition of the ranked metric.
    } else if (only !== undefined && metric.name !== ranked.name) {
      of.set(metric.name, { shared: markOf(metric, only), marks: [] });
    }
  }
  return { notes, of };
}

export function toColumns(metrics: readonly Metric[], definitions: Definitions, query: BoardQuery): Column[] {
  const bound = new Set(boundsOf(query).flat());
  return metrics.map((metric) => ({
    metric,
    mark: definitions.of.get(metric.name)?.shared ?? null,
    href: boardHref(changed(query, { rankBy: metric.name, order: null, sort: null })),
    isBound: bound.has(metric),
  }));
}
