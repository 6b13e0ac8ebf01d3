import type { PointTable } from './point-table.ts';
import type { SubjectsOfRows } from './subject.ts';

export type Order = 'asc' | 'desc';

/** True where `a` comes before `b` among equal values: undisputed first, then by system id, point and standing. */
export function comesFirst(table: PointTable, a: number, b: number): boolean {
  const { systems, system, pointId, status, disputed } = table;
  if (disputed !== undefined && disputed[a] !== disputed[b]) return disputed[a] === 0;
  const [first, second] = [system[a] as number, system[b] as number];
  if (first !== second) return (systems[first]?.id ?? '') < (systems[second]?.id ?? '');
  const apart = (pointId[a] as number) - (pointId[b] as number) || (status[a] as number) - (status[b] as number);
  return apart < 0;
}

/** Of each subject the row with the best value, in no order. Rows come in parts. */
export class BestRows {
  readonly #table: PointTable;
  readonly #values: Float64Array;
  readonly #turn: 1 | -1;
  /** One more than the place of a subject's best row in `#best`; 0 for a subject that was not met yet. */
  #places = new Int32Array();
  #best = new Int32Array();
  /** Their values, close together: those of all rows are far apart in memory. */
  #held = new Float64Array();
  #met = 0;

  constructor(table: PointTable, { values, order }: { values: Float64Array; order: Order }) {
    this.#table = table;
    this.#values = values;
    this.#turn = order === 'desc' ? 1 : -1;
  }

  take(rows: Int32Array, { of, count }: SubjectsOfRows): void {
    this.#makeRoom(count);
    const [table, values, turn] = [this.#table, this.#values, this.#turn];
    const [places, best, held] = [this.#places, this.#best, this.#held];
    let met = this.#met;
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] as number;
      const value = values[row] as number;
      const subject = of[at] as number;
      const place = (places[subject] as number) - 1;
      if (place < 0) {
        best[met] = row;
        held[met] = value;
        met += 1;
        places[subject] = met;
        continue;
      }
      const apart = turn * (value - (held[place] as number));
      if (apart > 0 || (apart === 0 && comesFirst(table, row, best[place] as number))) {
        best[place] = row;
        held[place] = value;
      }
    }
    this.#met = met;
  }

  #makeRoom(subjects: number): void {
    if (subjects <= this.#places.length) return;
    const room = Math.max(subjects, 2 * this.#places.length);
    const [places, best, held] = [new Int32Array(room), new Int32Array(room), new Float64Array(room)];
    places.set(this.#places);
    best.set(this.#best);
    held.set(this.#held);
    [this.#places, this.#best, this.#held] = [places, best, held];
  }

  /** The rows so far; they may be replaced by those that come. */
  get rows(): Int32Array {
    return this.#best.subarray(0, this.#met);
  }

  /** Values of `rows`, in their order. */
  get values(): Float64Array {
    return this.#held.subarray(0, this.#met);
  }
}

/** Places among things of some worth. */
export interface Worths {
  /** Those of more come first. */
  worth: Float64Array;
  /** Which of two of the same worth is first. */
  isBefore(a: number, b: number): boolean;
  /** False for what is to be passed over. */
  isAsked(place: number): boolean;
}

/** The first places of an order, as many as asked for, in order, without sorting the others. */
export function firstPlaces({ worth, isBefore, isAsked }: Worths, limit: number): number[] {
  const compare = (a: number, b: number) => {
    const apart = (worth[b] as number) - (worth[a] as number);
    return apart === 0 ? (isBefore(a, b) ? -1 : 1) : apart;
  };
  const kept: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (let place = 0; place < worth.length; place += 1) {
    // One of the same worth may still come before.
    if ((worth[place] as number) < last || !isAsked(place)) continue;
    kept.push(place);
    if (kept.length < 2 * limit) continue;
    kept.sort(compare).length = limit;
    last = worth[kept.at(-1) as number] as number;
  }
  return kept.sort(compare).slice(0, limit);
}
