import { type MetricName, metrics } from '@inferboard/core/metrics/index';
import { sorted } from '@inferboard/core/statistics/percentile';
import { type DefinitionGroup, type Figure, newestMost, statisticsOf } from './claim-summary.ts';
import type { Contribution } from './contribution.ts';

const bases = new Map(metrics.map(({ name, family }) => [name, family.base]));

/** Values of one metric by one formula, in the id order of their results. */
interface Column {
  base: string;
  definition: string | null;
  metric: MetricName;
  values: number[];
  results: Contribution[];
  inOrder: number[];
  /** Number of results per tool. */
  tools: Map<string, number>;
  /** Number of values that we derived. */
  derived: number;
}

/** The first index whose value is not smaller. */
function placeIn(inOrder: readonly number[], value: number): number {
  let [from, to] = [0, inOrder.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((inOrder[middle] as number) < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The index at which a new result is inserted, usually the end. */
function placeOf(results: readonly Contribution[], id: string): number {
  let place = results.length;
  while (place > 0 && (results[place - 1] as Contribution).id > id) place -= 1;
  return place;
}

const add = <K>(counts: Map<K, number>, key: K, by: number) => {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
};

const keyOf = (metric: MetricName, definition: string | null) => `${metric} ${definition ?? ''}`;

/** Each value of a result with its formula; each metric occurs once. */
function* figuresOf({ values, definitions }: Contribution): Generator<[MetricName, string | null, number]> {
  for (const figures of values) {
    for (const name in figures) {
      const metric = name as MetricName; // an own property name, so the cast is safe
      yield [metric, definitions[bases.get(metric) ?? ''] ?? null, figures[metric] as number];
    }
  }
}

/**
 * The newest results of a claim, at most `newestMost`, with the sorted values of each metric. Inserting a result is about a
 * thousand times faster than recomputing all. Results that average repetitions are not single values and have no window.
 */
export class ClaimWindow {
  readonly results: readonly Contribution[];
  readonly #columns: ReadonlyMap<string, Column>;

  private constructor(results: readonly Contribution[], columns: ReadonlyMap<string, Column>) {
    this.results = results;
    this.#columns = columns;
  }

  /** Creates a window from results in id order. */
  static of(results: readonly Contribution[]): ClaimWindow | null {
    if (results.some(({ repeats }) => repeats !== null)) return null;
    const kept = results.slice(-newestMost);
    const columns = new Map<string, Column>();
    for (const result of kept) {
      for (const [metric, definition, value] of figuresOf(result)) {
        const column = columnFor(columns, metric, definition);
        column.values.push(value);
        column.results.push(result);
        count(column, result, 1);
      }
    }
    for (const column of columns.values()) column.inOrder = sorted(column.values);
    return new ClaimWindow(kept, columns);
  }

  /** Returns a new window with the added results. Null if one of them averages repetitions. */
  with(added: readonly Contribution[]): ClaimWindow | null {
    if (added.some(({ repeats }) => repeats !== null)) return null;
    const results = [...this.results];
    const columns = new Map(
      [...this.#columns].map(([key, { values, results, inOrder, tools, ...column }]) => [
        key,
        {
          ...column,
          ...{ values: values.slice(), results: results.slice(), inOrder: inOrder.slice(), tools: new Map(tools) },
        },
      ]),
    );
    for (const result of added) {
      results.splice(placeOf(results, result.id), 0, result);
      for (const [metric, definition, value] of figuresOf(result)) {
        const column = columnFor(columns, metric, definition);
        const place = placeOf(column.results, result.id);
        column.results.splice(place, 0, result);
        column.values.splice(place, 0, value);
        column.inOrder.splice(placeIn(column.inOrder, value), 0, value);
        count(column, result, 1);
      }
    }
    for (const result of results.splice(0, Math.max(0, results.length - newestMost))) {
      for (const [metric, definition, value] of figuresOf(result)) {
        const column = columnFor(columns, metric, definition);
        column.results.shift();
        column.values.shift();
        column.inOrder.splice(placeIn(column.inOrder, value), 1);
        count(column, result, -1);
        if (column.values.length === 0) columns.delete(keyOf(metric, definition));
      }
    }
    return new ClaimWindow(results, columns);
  }

  /** The figures of all results in the window. */
  groups(): DefinitionGroup[] {
    const groups: DefinitionGroup[] = [];
    // Rows that are not repetitions of one another have no mean.
    if (this.results[0]?.status === 'not_repetitions') return groups;
    // Most claims have one tool, so all figures share its list.
    const lists = new Map<string, readonly string[]>();
    for (const { base, definition, metric, values, results, inOrder, tools, derived } of this.#columns.values()) {
      const known = groups.find((group) => group.base === base && group.definition === definition);
      const group = known ?? { base, definition, figures: new Map<MetricName, Figure>(), hasRepeats: false };
      if (known === undefined) groups.push(group);
      const names = [...tools.keys()].sort();
      const list = lists.get(names.join()) ?? names;
      lists.set(names.join(), list);
      const statistics = statisticsOf(metric, { values, results, inOrder });
      group.figures.set(metric, { statistics, tools: list, isDerived: derived > 0 });
    }
    return groups;
  }
}

function columnFor(columns: Map<string, Column>, metric: MetricName, definition: string | null): Column {
  const key = keyOf(metric, definition);
  const known = columns.get(key);
  if (known !== undefined) return known;
  const base = bases.get(metric);
  if (base === undefined) throw new Error(`${metric} is not in the registry`);
  const made: Column = {
    ...{ base, definition, metric, derived: 0, tools: new Map() },
    ...{ values: [], results: [], inOrder: [] },
  };
  columns.set(key, made);
  return made;
}

function count(column: Column, { tool, derived }: Contribution, by: 1 | -1): void {
  add(column.tools, tool, by);
  if (derived.includes(column.metric)) column.derived += by;
}
