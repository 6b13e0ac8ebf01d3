import { studentT } from '../statistics/intervals/student-t.ts';
import { itemKey, type PlanPoint } from './point.ts';

/** When a point has been repeated often enough. */
export interface Until {
  /** Half of the 95 % interval of the mean by the mean, of each figure. */
  ci: number;
  /** Repetitions at most. */
  max: number;
}

const repetitionsLeast = 3;
const repetitionsUsual = 10;

/**
 * Reads `ci=2%` or `ci=2%,max=20`.
 *
 * @throws RangeError on anything else
 */
export function readUntil(text: string): Until {
  const match = /^ci=([0-9.]+)\s*%(?:,max=([0-9]+))?$/.exec(text.trim());
  const [ci, max] = [Number(match?.[1]) / 100, Number(match?.[2] ?? repetitionsUsual)];
  if (ci > 0 && max >= repetitionsLeast) return { ci, max };
  throw new RangeError(
    `"${text}" is not a width. Write ci=2% or ci=2%,max=20. max is at least ${repetitionsLeast}; the default is ${repetitionsUsual}.`,
  );
}

/** The figures of a repetition that have to be stable; null if it has no such figure. */
export interface RepetitionFigures {
  'output tok/s': number | null;
  /** Of requests that generate no tokens, in place of a token rate; null of others. */
  'req/s': number | null;
  'mean TTFT': number | null;
  'mean TPOT': number | null;
}

const figureNames = ['output tok/s', 'req/s', 'mean TTFT', 'mean TPOT'] as const satisfies (keyof RepetitionFigures)[];

/** A repetition of a point. Without figures, it failed or ended early. */
export interface Repetition {
  point: PlanPoint;
  figures: RepetitionFigures | null;
}

/** Half of the 95 % interval of the mean, by the mean; null below two values, or if the mean is 0. */
export function relativeWidth(values: readonly number[]): number | null {
  const n = values.length;
  if (n < 2) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (mean === 0) return null;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  return (studentT(0.95, n - 1) * Math.sqrt(variance / n)) / mean;
}

/** How stable the repetitions of a point are. */
export interface Stability {
  repetitions: number;
  /** The figure with the widest interval, and its relative width; null below two repetitions with a figure. */
  widest: { figure: string; width: number } | null;
  isStable: boolean;
}

/** Judges the repetitions of one point. Repetitions without figures are not counted, unless all are. */
export function judgeRepetitions(repetitions: readonly Repetition[], { ci }: Pick<Until, 'ci'>): Stability {
  const measured = repetitions.flatMap(({ figures }) => figures ?? []);
  const widths = figureNames.flatMap((figure) => {
    const width = relativeWidth(measured.map((figures) => figures[figure]).filter((value) => value !== null));
    return width === null ? [] : [{ figure, width }];
  });
  const widest = widths.sort((a, b) => b.width - a.width)[0] ?? null;
  const counted = measured.length === 0 ? repetitions.length : measured.length;
  const isStable = counted >= repetitionsLeast && (widest?.width ?? 0) <= ci;
  return { repetitions: repetitions.length, widest, isStable };
}

/** The repetitions by the key of their item. */
export const groupRepetitions = (measured: readonly Repetition[]): Map<string, Repetition[]> =>
  Map.groupBy(measured, ({ point }) => itemKey(point));

/** The next repetition of the points of a plan, in rounds; null if all are stable or have the maximum. */
export function nextRepetition(
  points: readonly PlanPoint[],
  measured: readonly Repetition[],
  until: Until,
): PlanPoint | null {
  const groups = groupRepetitions(measured);
  const open = points
    .map((point) => ({ point, key: itemKey(point), done: groups.get(itemKey(point)) ?? [] }))
    .filter(({ done }) => done.length < until.max && !judgeRepetitions(done, until).isStable)
    .sort((a, b) => a.done.length - b.done.length)[0];
  if (open === undefined) return null;
  const repetition = open.done.length + 1;
  return { ...open.point, repetition, key: `${open.key}/${repetition}` };
}
