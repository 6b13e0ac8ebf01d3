import type { Sample } from '../report/observed.ts';

/** Between two readings at most: what happened in a longer gap is not known. */
const gapMsMax = 2000;

/** Energy over a window, and what it is on average. */
export interface Energy {
  joules: number;
  meanW: number;
}

/**
 * The energy of the GPUs from `fromMs` to `toMs`: power integrated by trapezoids, at the ends between the readings around them.
 * Null where readings do not cover the window.
 */
export function integratePower(samples: readonly Sample[], fromMs: number, toMs: number): Energy | null {
  const power = samples.flatMap(({ unixMs, values }) =>
    values.power_w === undefined ? [] : [{ at: unixMs, watts: values.power_w }],
  );
  let joules = 0;
  let coveredTo = fromMs;
  for (const [place, next] of power.entries()) {
    const last = power[place - 1];
    if (last === undefined || next.at <= coveredTo) continue;
    if (last.at > coveredTo || next.at - last.at > gapMsMax) return null;
    const end = Math.min(next.at, toMs);
    const at = (time: number) => last.watts + ((next.watts - last.watts) * (time - last.at)) / (next.at - last.at);
    joules += (((at(coveredTo) + at(end)) / 2) * (end - coveredTo)) / 1000;
    coveredTo = end;
    if (end === toMs) return toMs > fromMs ? { joules, meanW: (1000 * joules) / (toMs - fromMs) } : null;
  }
  return null;
}
