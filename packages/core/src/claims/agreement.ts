import { type Figure, independentOf, repeatsSd } from './figures.ts';

/** A figure that two runs both state. */
export interface Pair extends Figure {
  /** Of the row that both belong to. */
  key: string;
  /** What the other run states. */
  other: number;
  /** Logarithm of the other over this one. */
  apart: number;
  /** How much of that the digits of the coarser one explain. */
  slack: number;
}

/** How well figures agree, and how likely honest runs would agree so well. */
export interface Agreement {
  /** The other run's times over this one's; its rates are multiplied by it, or divided by it where `isOpposite`. */
  factor: number;
  isOpposite: boolean;
  agreeing: readonly Pair[];
  of: number;
  chance: number;
}

/** What honest runs scatter by, as a share. Each side of a comparison does; taking one for both errs on the lenient side. */
const noise = 0.005;
/** Rounding is never less than this: figures that were multiplied end in digits of arithmetic. */
const slackLeast = 1e-6;
/** How far figures of a copy may be from the common factor; for each, less evidence is enough the nearer they are. */
const tolerances = [0, 0.0002, 0.0005, 0.001, 0.002];
/** Chance that two honest deviations are equal to the last of two digits or more. */
const chanceOfSd = 0.1;
/** How far the common factor may be from 1, as a logarithm. */
const factorMost = -Math.log(0.9);

const figuresByMetric = new WeakMap<readonly Figure[], ReadonlyMap<string, Figure>>();

/** Figures by their names: one run is compared with many. */
function byMetric(figures: readonly Figure[]): ReadonlyMap<string, Figure> {
  const known = figuresByMetric.get(figures) ?? new Map(figures.map((figure) => [figure.metric, figure]));
  figuresByMetric.set(figures, known);
  return known;
}

const apartOf = (a: Figure, b: Figure) => Math.log(b.value / a.value);
/** How far below a figure, as a logarithm, another may be that is rounded to it: that is farther than above it. */
const roundingOf = ({ value, halfUnit }: Figure) => -Math.log1p(-halfUnit / value);
const slackOf = (a: Figure, b: Figure) => Math.max(roundingOf(a), roundingOf(b), slackLeast);

/** The figures that both state, whether they follow from each other or not. */
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

/** True where all figures that both state, but for those of some metrics, are the same numbers. */
export function areEqual(a: readonly Figure[], b: readonly Figure[], isLeftOut: (metric: string) => boolean): boolean {
  const others = byMetric(b);
  return a.every((figure) => {
    const other = others.get(figure.metric);
    if (other === undefined || isLeftOut(figure.metric)) return true;
    return isEqual({ apart: apartOf(figure, other), slack: slackOf(figure, other) });
  });
}

/** Those of the pairs of one row that do not follow from others and have so many digits. */
export function independentPairs(pairs: readonly Pair[], digitsLeast: number): Pair[] {
  return independentOf(pairs.filter(({ digits }) => digits >= digitsLeast));
}

/** At most the chance that the noise of two honest runs stays within `width` either way: width times twice the density at 0. */
export const chanceWithin = (width: number): number => Math.min(1, (width * Math.sqrt(2 / Math.PI)) / noise);

/** True where both are the same number to the digits of the coarser one. */
export const isEqual = ({ apart, slack }: Pick<Pair, 'apart' | 'slack'>): boolean =>
  Math.abs(apart) <= slack * (1 + 1e-6);

/** True of a deviation among repetitions. */
export const isSd = ({ metric }: Pair): boolean => metric.endsWith(repeatsSd);

/** Chance that honest runs have equal figures, and deviations of two digits or more that are equal too. */
export function chanceOfEqual(figures: readonly Pair[], sds: readonly Pair[]): number {
  const chance = figures.reduce((product, { slack }) => product * chanceWithin(slack), 1);
  return chance * chanceOfSd ** sds.filter(({ digits }) => digits > 1).length;
}

/** ln of the number of ways to choose m of k. */
function logChoose(k: number, m: number): number {
  let sum = 0;
  for (let i = 1; i <= Math.min(m, k - m); i++) sum += Math.log((k - i + 1) / i);
  return sum;
}

/** The logarithm of a factor that the most figures agree on: where the most of their ranges overlap. */
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
    // The middle of what they share, which ends where the next range does.
    found = (at + (ends[place + 1]?.[0] ?? at)) / 2;
  }
  return found;
}

/**
 * How likely honest runs agree as well as this in `agreeing` of the pairs. For a given factor it is the product p of the
 * chances of each figure, times the number of ways to choose them. Where the factor is free, one figure sets it and
 * the others have to follow: the sum over the figures of p without its own, an upper bound for the range of k normals.
 */
function agreementAt(pairs: readonly Pair[], log: number | null, tolerance: number, isOpposite: boolean): Agreement {
  const signed = ({ apart, sense }: Pair) => (isOpposite && sense === 'rate' ? -apart : apart);
  const ranges = pairs.map((pair) => {
    const width = pair.slack + tolerance;
    return [signed(pair) - width, signed(pair) + width] as const;
  });
  const at = log ?? commonFactor(ranges);
  // The last bits of a double.
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

/** How the pairs agree at each tolerance: at a factor of 1, or at any common one where `isScaled`. */
export function agreementsOf(pairs: readonly Pair[], isScaled: boolean): Agreement[] {
  const isMixed = new Set(pairs.map(({ sense }) => sense)).size > 1;
  const senses = isScaled && isMixed ? [false, true] : [false];
  return tolerances.flatMap((tolerance) =>
    senses.map((isOpposite) => agreementAt(pairs, isScaled ? null : 0, tolerance, isOpposite)),
  );
}

/** How the pairs agree after one common factor, to the digits of the coarser of each. */
export const agreeTogether = (pairs: readonly Pair[]): Agreement => agreementAt(pairs, null, 0, false);
