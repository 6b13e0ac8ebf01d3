import type { Metric } from '../metrics/index.ts';
import type { PointTable } from './point-table.ts';
import { meet, type RowSet } from './row-set.ts';
import { rowsOfFormulas } from './table-sets.ts';

/** Formulas whose values may be ranked together. */
export interface ChosenDefinitions {
  group: string;
  ids: readonly string[];
}

/** The preferred group of definitions among those of which some value is; values of the others are not comparable with it. */
export function chooseDefinitions({ family }: Metric, isPresent: (id: string) => boolean): ChosenDefinitions | null {
  const preferred = family.definitions.find(({ id }) => isPresent(id));
  if (preferred === undefined) return null;
  const ids = family.definitions.filter(({ group }) => group === preferred.group).map(({ id }) => id);
  return { group: preferred.group, ids };
}

/** 1 for each code that takes part; all do where nothing was chosen. */
export function comparableCodes(ids: readonly string[], chosen: ChosenDefinitions | null): Uint8Array {
  return Uint8Array.from(ids, (id) => (chosen === null || chosen.ids.includes(id) ? 1 : 0));
}

/** The preferred formulas of a metric among those of rows. */
export function chooseAmong(table: PointTable, metric: Metric, rows: RowSet): ChosenDefinitions | null {
  const { base } = metric.family;
  const { ids } = table.definitions(base);
  return chooseDefinitions(metric, (id) => {
    const isId = Uint8Array.from(ids, (other) => Number(other === id));
    return isId.includes(1) && meet(rows, rowsOfFormulas(table, base, isId));
  });
}
