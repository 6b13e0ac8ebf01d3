import type { Metric } from '@inferboard/core/metrics/index';
import type { Entry } from './api.ts';
import { type BoardQuery, boardHref, changed } from './board-query.ts';
import { definitionText, headlineMetrics, metricOf, presentMetrics } from './metric-text.ts';
import type { Ranked } from './ranked-metric.ts';

export interface Column {
  metric: Metric;
  /** Mark of the note that holds for the whole column. */
  mark: string | null;
  /** The board ranked by this column. */
  href: string;
  /** True where the question bounds it: "under 20 ms". */
  isBound: boolean;
}

export interface Note {
  mark: string;
  metric: string;
  text: string;
}

/** Columns beside the ranked one; those that the question bounds are always among them. */
const othersMax = 3;

export const valuesOf = (entry: Entry): Record<string, number | null> => ({ ...entry.metrics, ...entry.derived });

/** The metrics that a question bounds, in its order. */
export function boundMetrics(query: BoardQuery): Metric[] {
  const metrics = query.filters.flatMap(([name]) => {
    const metric = metricOf(/^(?:min|max)_(.+)$/.exec(name)?.[1] ?? '');
    return metric === null ? [] : [metric];
  });
  return [...new Set(metrics)];
}

/**
 * What stands beside the ranked metric: first what the question bounds, then what more rows have, in the order of the
 * registry.
 */
export function chooseColumns(entries: readonly Entry[], ranked: Ranked, query: BoardQuery): Metric[] {
  const bound = boundMetrics(query).filter(({ name }) => name !== ranked.name);
  const rows = entries.map(valuesOf);
  const countOf = (name: string) => rows.filter((row) => row[name] !== null && row[name] !== undefined).length;
  const known = new Set(headlineMetrics);
  const candidates = presentMetrics(rows).filter(
    (metric) => metric.name !== ranked.name && known.has(metric) && !bound.includes(metric),
  );
  const room = Math.max(othersMax - bound.length, 1);
  const chosen = new Set(candidates.toSorted((a, b) => countOf(b.name) - countOf(a.name)).slice(0, room));
  return [...bound, ...candidates.filter((candidate) => chosen.has(candidate))];
}

/** How the values of some columns were made: a note on the column where all share it, else one a value. */
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
      valuesOf(entry)[metric.name] == null ? null : definitionText(entry.definitions, metric),
    );
    const distinct = [...new Set(texts.filter((text) => text !== null))];
    const [only] = distinct;
    if (distinct.length > 1) {
      of.set(metric.name, { shared: null, marks: texts.map((text) => (text === null ? null : markOf(metric, text))) });
      // The page's first lines tell the one definition of the ranked metric.
    } else if (only !== undefined && metric.name !== ranked.name) {
      of.set(metric.name, { shared: markOf(metric, only), marks: [] });
    }
  }
  return { notes, of };
}

export function toColumns(metrics: readonly Metric[], definitions: Definitions, query: BoardQuery): Column[] {
  const bound = new Set(boundMetrics(query));
  return metrics.map((metric) => ({
    metric,
    mark: definitions.of.get(metric.name)?.shared ?? null,
    href: boardHref(changed(query, { rankBy: metric.name, order: null, sort: null })),
    isBound: bound.has(metric),
  }));
}
