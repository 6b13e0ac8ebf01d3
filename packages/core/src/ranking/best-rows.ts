import type { PointTable } from './point-table.ts';
import { RowList } from './row-list.ts';

export type Order = 'asc' | 'desc';

/** True where `a` comes before `b` among equal values: by system id, then point, then standing. */
export function comesFirst({ systems, system, pointId, status }: PointTable, a: number, b: number): boolean {
  const [first, second] = [system[a] as number, system[b] as number];
  if (first !== second) return (systems[first]?.id ?? '') < (systems[second]?.id ?? '');
  const apart = (pointId[a] as number) - (pointId[b] as number) || (status[a] as number) - (status[b] as number);
  return apart < 0;
}

/**
 * Of each subject the row with the best value, in the order in which the subjects are met. `subjectOf` numbers subjects
 * from 0.
 */
export function bestRows(
  table: PointTable,
  candidates: Int32Array,
  { values, order, subjectOf }: { values: Float64Array; order: Order; subjectOf: (row: number) => number },
): Int32Array {
  const turn = order === 'desc' ? 1 : -1;
  /** One more than the place of a subject's best row among all; 0 for a subject that was not met yet. */
  let places = new Int32Array(1024);
  const best = new RowList();
  for (let at = 0; at < candidates.length; at += 1) {
    const row = candidates[at] as number;
    const subject = subjectOf(row);
    if (subject >= places.length) {
      const larger = new Int32Array(2 * subject);
      larger.set(places);
      places = larger;
    }
    const place = (places[subject] as number) - 1;
    if (place < 0) {
      best.push(row);
      places[subject] = best.length;
      continue;
    }
    const held = best.at(place);
    const apart = turn * ((values[row] as number) - (values[held] as number));
    if (apart > 0 || (apart === 0 && comesFirst(table, row, held))) best.replace(place, row);
  }
  return best.all();
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
