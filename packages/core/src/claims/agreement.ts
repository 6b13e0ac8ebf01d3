import { type Figure, independentOf, repeatsSd } from './figures.ts';

/** A figure that both runs state. */
export interface Pair extends Figure {
  /** Key of the row of both figures. */
  key: string;
  /** The other run's value. */
  other: number;
  /** ln(other / value). */
  apart: number;
  /** The part of `apart` that the digits of the coarser figure explain. */
  slack: number;
}

/** How well figures agree, and the probability that honest runs agree this well. */
export interface Agreement {
  /** The other run's times divided by this one's. Its rates are multiplied by it, or divided by it if `isOpposite`. */
  factor: number;
  isOpposite: boolean;
  agreeing: readonly Pair[];
  of: number;
  chance: number;
}

/** Relative scatter of honest runs. Both sides of a comparison scatter; using it for only one side is lenient. */
const noise = 0.005;
/** Minimum rounding: the last digits of multiplied figures are arithmetic noise. */
const slackLeast = 1e-6;
/** Maximum distances of a copy's figures from the common factor. A smaller distance requires fewer figures. */
const tolerances = [0, 0.0002, 0.0005, 0.001, 0.002];
/** Probability that two honest deviations of at least two digits are equal. */
const chanceOfSd = 0.1;
/** Maximum distance of the common factor from 1, as a logarithm. */
const factorMost = -Math.log(0.9);

const figuresByMetric = new WeakMap<readonly Figure[], ReadonlyMap<string, Figure>>();

/** Indexes figures by metric, because one run is compared with many. */
function byMetric(figures: readonly Figure[]): ReadonlyMap<string, Figure> {
  const known = figuresByMetric.get(figures) ?? new Map(figures.map((figure) => [figure.metric, figure]));
  figuresByMetric.set(figures, known);
  return known;
}

const apartOf = (a: Figure, b: Figure) => Math.log(b.value / a.value);
/** Maximum logarithmic distance below a figure of a value that rounds to it. It is larger than the distance above. */
const roundingOf = ({ value, halfUnit }: Figure) => -Math.log1p(-halfUnit / value);
const slackOf = (a: Figure, b: Figure) => Math.max(roundingOf(a), roundingOf(b), slackLeast);

/** Pairs the figures that both runs state, including dependent ones. */
export function pairFigures(key: string, a: readonly Figure[], b: readonly Figure[]): Pair[] {
  const others = byMetric(b);
  return a.flatMap((figure) => {
    const other = others.get(figure.metric);
    if (other === undefined) return [];
    const digits = Math.min(figure.digits, other.digits);
    const [apart, slack] = [apartOf(figure, other), slackOf(figure, other)];
    return [{ ...figure, key, digits, other: other.value, apart, slack }];
  });
}

/**
 * False if two figures certainly differ. Much faster than logarithms: an upload to a busy point is compared with a thousand
 * results. For one digit or more, a rounding is at most twice the half unit, relative to the value.
 */
function mayBeEqual(a: Figure, b: Figure): boolean {
  const rounding = Math.max(a.halfUnit / a.value, b.halfUnit / b.value, slackLeast);
  return Math.abs(b.value - a.value) <= 2.5 * rounding * Math.max(a.value, b.value);
}

/** True if all common figures are equal, except those of the given metrics. */
export function areEqual(a: readonly Figure[], b: readonly Figure[], isLeftOut: (metric: string) => boolean): boolean {
  const others = byMetric(b);
  return a.every((figure) => {
    const other = others.get(figure.metric);
    if (other === undefined || isLeftOut(figure.metric)) return true;
    return mayBeEqual(figure, other) && isEqual({ apart: apartOf(figure, other), slack: slackOf(figure, other) });
  });
}

/** Pairs of one row that are independent and have enough digits. */
export function independentPairs(pairs: readonly Pair[], digitsLeast: number): Pair[] {
  return independentOf(pairs.filter(({ digits }) => digits >= digitsLeast));
}

/**
 * Upper bound of the probability that the noise of two honest runs stays within `width` either way: width times twice the
 * density at 0.
 */
export const chanceWithin = (width: number): number => Math.min(1, (width * Math.sqrt(2 / Math.PI)) / noise);

/** True if both are equal to the digits of the coarser one. */
export const isEqual = ({ apart, slack }: Pick<Pair, 'apart' | 'slack'>): boolean =>
  Math.abs(apart) <= slack * (1 + 1e-6);

/** True for a deviation among repetitions. */
export const isSd = ({ metric }: Pair): boolean => metric.endsWith(repeatsSd);

/** Probability that honest runs have equal figures and also equal deviations of at least two digits. */
export function chanceOfEqual(figures: readonly Pair[], sds: readonly Pair[]): number {
  const chance = figures.reduce((product, { slack }) => product * chanceWithin(slack), 1);
  return chance * chanceOfSd ** sds.filter(({ digits }) => digits > 1).length;
}

/** ln of the binomial coefficient "k choose m". */
function logChoose(k: number, m: number): number {
  let sum = 0;
  for (let i = 1; i <= Math.min(m, k - m); i++) sum += Math.log((k - i + 1) / i);
  return sum;
}

/** Returns the logarithm of the factor that fits the most figures, at the maximum overlap of their ranges. */
function commonFactor(ranges: readonly (readonly [low: number, high: number])[]): number {
  const ends = ranges
    .map(([low, high]) => [Math.max(low, -factorMost), Math.min(high, factorMost)] as const)
    .filter(([low, high]) => low <= high)
    .flatMap(([low, high]): [at: number, step: number][] => [
      [low, 1],
      [high, -1],
    ])
    .sort(([a, up], [b, down]) => a - b || down - up);
  let count = 0;
  let most = 0;
  let found = 0;
  for (const [place, [at, step]] of ends.entries()) {
    count += step;
    if (count <= most) continue;
    most = count;
    // The middle of the overlap, which ends at the end of the next range.
    found = (at + (ends[place + 1]?.[0] ?? at)) / 2;
  }
  return found;
}

/**
 * Probability that honest runs agree as well as this in `agreeing` of the pairs. For a given factor it is the product p of
 * the chances of each figure, times the number of ways to choose them. With a free factor, one figure sets it and the others
 * must follow. The chance is then the sum over the figures of p without that figure, an upper bound for the range of k
 * normals.
 */
function agreementAt(pairs: readonly Pair[], log: number | null, tolerance: number, isOpposite: boolean): Agreement {
  const signed = ({ apart, sense }: Pair) => (isOpposite && sense === 'rate' ? -apart : apart);
  const ranges = pairs.map((pair) => {
    const width = pair.slack + tolerance;
    return [signed(pair) - width, signed(pair) + width] as const;
  });
  const at = log ?? commonFactor(ranges);
  // Floating-point error.
  const agreeing = pairs.filter((_, i) => {
    const [low, high] = ranges[i] ?? [1, 0];
    return low - 1e-12 <= at && at <= high + 1e-12;
  });
  const each = agreeing.map(({ slack }) => chanceWithin(slack + tolerance));
  const product = each.reduce((sum, chance) => sum + Math.log(chance), 0);
  const free = log === null ? Math.log(each.reduce((sum, chance) => sum + 1 / chance, 0)) : 0;
  const chance = Math.min(1, Math.exp(logChoose(pairs.length, agreeing.length) + product + free));
  return { factor: Math.exp(at), isOpposite, agreeing, of: pairs.length, chance };
}

/** Agreement of the pairs at each tolerance: with a factor of 1, or with any common factor if `isScaled`. */
export function agreementsOf(pairs: readonly Pair[], isScaled: boolean): Agreement[] {
  const isMixed = new Set(pairs.map(({ sense }) => sense)).size > 1;
  const senses = isScaled && isMixed ? [false, true] : [false];
  return tolerances.flatMap((tolerance) =>
    senses.map((isOpposite) => agreementAt(pairs, isScaled ? null : 0, tolerance, isOpposite)),
  );
}

/** Agreement of the pairs after one common factor, to the digits of the coarser figure of each. */
export const agreeTogether = (pairs: readonly Pair[]): Agreement => agreementAt(pairs, null, 0, false);
