/** A direction of the chart as the server drew it: the values at its ends, and where they are drawn. */
export interface Direction {
  domain: readonly [number, number];
  isLog: boolean;
  /** Units of the drawing at the ends of the domain. */
  range: readonly [number, number];
}

/** The value at a place of the drawing. */
export function valueAt({ domain, isLog, range }: Direction, at: number): number {
  const share = (at - range[0]) / (range[1] - range[0]);
  const [low, high] = domain;
  return isLog ? low * (high / low) ** share : low + share * (high - low);
}

/** The values at both ends of a part of the drawing, the smaller first. */
export function partOf(direction: Direction, from: number, to: number): [number, number] {
  const [a, b] = [valueAt(direction, from), valueAt(direction, to)];
  return a < b ? [a, b] : [b, a];
}

/**
 * The domain made smaller around its middle (`factor` below 1), larger, or moved by a share of its length.
 */
export function movedDomain(
  direction: Direction,
  { factor = 1, by = 0 }: { factor?: number; by?: number },
): [number, number] {
  const [start, end] = direction.range;
  const middle = (start + end) / 2 + by * (end - start);
  const half = ((end - start) / 2) * factor;
  return partOf(direction, middle - half, middle + half);
}
