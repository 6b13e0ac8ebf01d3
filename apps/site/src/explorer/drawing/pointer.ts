/** An axis of the server-rendered chart: the values at its ends and their positions. */
export interface Direction {
  domain: readonly [number, number];
  isLog: boolean;
  /** Positions of the domain's ends, in units of the drawing. */
  range: readonly [number, number];
}

/** The value at a position of the drawing. */
export function valueAt({ domain, isLog, range }: Direction, at: number): number {
  const share = (at - range[0]) / (range[1] - range[0]);
  const [low, high] = domain;
  return isLog ? low * (high / low) ** share : low + share * (high - low);
}

/** The values at both ends of a range of the drawing, the smaller first. */
export function partOf(direction: Direction, from: number, to: number): [number, number] {
  const [a, b] = [valueAt(direction, from), valueAt(direction, to)];
  return a < b ? [a, b] : [b, a];
}

/** Scales the domain around its centre (`factor` below 1 zooms in), or moves it by a fraction of its length. */
export function movedDomain(
  direction: Direction,
  { factor = 1, by = 0 }: { factor?: number; by?: number },
): [number, number] {
  const [start, end] = direction.range;
  const middle = (start + end) / 2 + by * (end - start);
  const half = ((end - start) / 2) * factor;
  return partOf(direction, middle - half, middle + half);
}

/** A limit with the precision of a pointer. */
export const roundedLimit = (value: number): number => Number(value.toPrecision(4));
