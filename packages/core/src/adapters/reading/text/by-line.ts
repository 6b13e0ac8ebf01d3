/** Number of items, sorted by their first line, that begin before a line. */
export function countBefore(items: readonly { from: number }[], line: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle]?.from ?? 0) < line) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first item that begins on a line, with its neighbours. Uses binary search: an artifact has thousands. */
export function findAt<T extends { from: number }>(
  items: readonly T[],
  line: number,
): { found: T | null; before: T | null; after: T | null } {
  const index = countBefore(items, line);
  const found = items[index]?.from === line ? (items[index] ?? null) : null;
  return { found, before: items[index - 1] ?? null, after: items[index + 1] ?? null };
}

/** Offset of each line in the text of all lines joined with line feeds. */
export function lineStarts(lines: readonly string[]): Uint32Array {
  const starts = new Uint32Array(lines.length);
  let offset = 0;
  for (let index = 0; index < lines.length; index++) {
    starts[index] = offset;
    offset += (lines[index] ?? '').length + 1;
  }
  return starts;
}
