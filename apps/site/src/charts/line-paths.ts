import { area, curveStepAfter, line } from 'd3-shape';
import type { Axis } from './axis.ts';

/** A position in units of the drawing. */
interface Place {
  x: number;
  y: number;
}

/** A line through all points, in the given order. */
export const joinedPath = (points: readonly Place[]): string =>
  line<Place>(
    ({ x }) => x,
    ({ y }) => y,
  )(points) ?? '';

/** The best of the values so far, in order of level, as steps that end at the end of the axis. */
export function bestPath(
  values: readonly { level: number; value: number }[],
  better: 'higher' | 'lower',
  [x, y]: readonly [Axis, Axis],
): string {
  const sign = better === 'higher' ? 1 : -1;
  const steps: Place[] = [];
  let best = Number.NEGATIVE_INFINITY;
  for (const { level, value } of values) {
    if (sign * value <= best) continue;
    best = sign * value;
    steps.push({ x: x.at(level), y: y.at(value) });
  }
  const last = steps.at(-1);
  const ended = last === undefined ? [] : [...steps, { x: x.at(x.domain[1]), y: last.y }];
  return (
    line<Place>(
      (step) => step.x,
      (step) => step.y,
    ).curve(curveStepAfter)(ended) ?? ''
  );
}

/** The area between two lines, for levels that both have. */
export function bandOf([one, other]: readonly ({ points: readonly Place[] } | undefined)[]): string | null {
  if (one === undefined || other === undefined) return null;
  const pairs = one.points.flatMap(({ x, y }) => {
    const found = other.points.find((point) => point.x === x);
    return found === undefined ? [] : [{ x, low: y, high: found.y }];
  });
  if (pairs.length < 2) return null;
  return area<(typeof pairs)[number]>(
    (pair) => pair.x,
    (pair) => pair.low,
    (pair) => pair.high,
  )(pairs);
}
