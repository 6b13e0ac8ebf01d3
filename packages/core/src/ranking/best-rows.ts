import type { PointTable } from './point-table.ts';

export type Order = 'asc' | 'desc';

/** True where `a` comes before `b` among equal values: by system id, then point, then standing. */
export function comesFirst({ systems, system, pointId, status }: PointTable, a: number, b: number): boolean {
  const [first, second] = [system[a] as number, system[b] as number];
  if (first !== second) return (systems[first]?.id ?? '') < (systems[second]?.id ?? '');
  const apart = (pointId[a] as number) - (pointId[b] as number) || (status[a] as number) - (status[b] as number);
  return apart < 0;
}

/** In place of a subject that was not met yet. */
const none = -1;

/**
 * Of each subject the row with the best value, in the order in which the subjects are met. `subjectOf` numbers subjects
 * from 0.
 */
export function bestRows(
  table: PointTable,
  candidates: Int32Array,
  { values, order, subjectOf }: { values: Float64Array; order: Order; subjectOf: (row: number) => number },
): Int32Array {
  const places: number[] = [];
  const best: number[] = [];
  for (const row of candidates) {
    const subject = subjectOf(row);
    while (places.length <= subject) places.push(none);
    const place = places[subject] as number;
    if (place === none) {
      places[subject] = best.length;
      best.push(row);
      continue;
    }
    const held = best[place] as number;
    const [value, other] = [values[row] as number, values[held] as number];
    const isBetter = order === 'desc' ? value > other : value < other;
    if (isBetter || (value === other && comesFirst(table, row, held))) best[place] = row;
  }
  return Int32Array.from(best);
}

/** The first rows of an order, as many as asked for, in order, without sorting the others. */
export function firstRows(rows: Int32Array, isBefore: (a: number, b: number) => boolean, limit: number): number[] {
  const compare = (a: number, b: number) => (isBefore(a, b) ? -1 : 1);
  const kept: number[] = [];
  let last: number | null = null;
  for (const row of rows) {
    if (last !== null && !isBefore(row, last)) continue;
    kept.push(row);
    if (kept.length < 2 * limit) continue;
    kept.sort(compare).length = limit;
    last = kept.at(-1) ?? null;
  }
  return kept.sort(compare).slice(0, limit);
}
