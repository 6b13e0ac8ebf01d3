import type { PointTable } from './point-table.ts';

/** How many systems some rows have for each code; `codeOf` gives a number below `codes` for each row. */
export function countSystems(
  table: PointTable,
  rows: Int32Array,
  codeOf: (row: number) => number,
  codes: number,
): Int32Array {
  const ends = new Int32Array(codes);
  const ofRows = new Int32Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) {
    const code = codeOf(rows[at] as number);
    ofRows[at] = code;
    ends[code] = (ends[code] as number) + 1;
  }
  for (let code = 1; code < codes; code += 1) ends[code] = (ends[code] as number) + (ends[code - 1] as number);
  const places = ends.slice();
  const sorted = new Int32Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) {
    const code = ofRows[at] as number;
    const place = (places[code] as number) - 1;
    places[code] = place;
    sorted[place] = table.system[rows[at] as number] as number;
  }
  const counts = new Int32Array(codes);
  /** By system, one more than the last code that it was counted for. */
  const counted = new Int32Array(table.systems.length);
  for (let code = 0, at = 0; code < codes; code += 1) {
    for (; at < (ends[code] as number); at += 1) {
      const system = sorted[at] as number;
      if (counted[system] === code + 1) continue;
      counted[system] = code + 1;
      counts[code] = (counts[code] as number) + 1;
    }
  }
  return counts;
}
