import { itemKey, type PlanPoint } from '@inferboard/core/plans/point';
import { studentT } from '@inferboard/core/statistics/intervals/student-t';
import { formatLoad } from '@inferboard/core/subjects/load';
import type { LoadSummary } from '../measure/records/summarise-load.ts';
import type { MeasuredPoint } from '../points/measure-point.ts';
import { type PointSource, requestsSoFar } from './point-source.ts';

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

const figures: Record<string, (summary: LoadSummary) => number | null> = {
  'output tok/s': ({ throughput }) => throughput?.output_tok_s ?? null,
  'mean TTFT': ({ latencies }) => latencies.ttft_from_sent?.mean ?? null,
  'mean TPOT': ({ latencies }) => latencies.tpot_per_token?.mean ?? null,
};

/** Half of the 95 % interval of the mean, by the mean; null below two values. */
export function relativeWidth(values: readonly number[]): number | null {
  const n = values.length;
  if (n < 2) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  return (studentT(0.95, n - 1) * Math.sqrt(variance / n)) / mean;
}

/** The figure whose interval is widest. */
function widestOf(repetitions: readonly MeasuredPoint[]): { figure: string; width: number } | null {
  const widths = Object.entries(figures).flatMap(([figure, of]) => {
    const width = relativeWidth(repetitions.map(({ summary }) => of(summary)).filter((value) => value !== null));
    return width === null ? [] : [{ figure, width }];
  });
  return widths.sort((a, b) => b.width - a.width)[0] ?? null;
}

/** Each point of a plan, repeated in rounds until its figures are stable. `points` are those of one round. */
export function repeatedPoints(points: readonly PlanPoint[], { ci, max }: Until): PointSource {
  const keys = points.map(itemKey);
  const repetitionsOf = (key: string, measured: readonly MeasuredPoint[]) =>
    measured.filter(({ point }) => itemKey(point) === key);
  const isStable = (repetitions: readonly MeasuredPoint[]) =>
    repetitions.length >= repetitionsLeast && (widestOf(repetitions)?.width ?? 0) <= ci;
  return {
    next: (measured) => {
      const open = points
        .map((point, at) => ({ point, key: keys[at] ?? '', done: repetitionsOf(keys[at] ?? '', measured) }))
        .filter(({ done }) => done.length < max && !isStable(done))
        .sort((a, b) => a.done.length - b.done.length)[0];
      if (open === undefined) return null;
      const repetition = open.done.length + 1;
      return { ...open.point, repetition, key: `${open.key}/${repetition}` };
    },
    requests: requestsSoFar,
    conclude: (measured) => {
      const judged = points.map((point, at) => {
        const done = repetitionsOf(keys[at] ?? '', measured);
        const widest = widestOf(done);
        const width = widest === null ? '' : `: ±${(100 * widest.width).toFixed(1)} % at 95 % (${widest.figure})`;
        const stable = isStable(done);
        const goal = stable ? '' : `, wider than the ±${Number((100 * ci).toPrecision(3))} % of --until`;
        const line = `${point.scenario.id}, ${formatLoad(point.load)}: ${done.length} repetitions${width}${goal}.`;
        return { line: stable ? line : `! ${line}`, stable };
      });
      return { lines: judged.map(({ line }) => line), isReached: judged.every(({ stable }) => stable) };
    },
    toleratesFailures: false,
  };
}
