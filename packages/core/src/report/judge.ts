import { limit, listed, type Said, say, silence } from './sentence.ts';
import type { Severity, Threshold, Thresholds } from './thresholds.ts';
import type { Figure } from './types.ts';

/** A figure's judgement by the thresholds. */
export interface Judgement {
  severity: Severity;
  /** "fluid, at 20 ms or less". */
  said: Said;
  /** Limits that rounding in the text must not cross. */
  limits: Threshold[];
}

/** A mean may be on one side of a limit while its interval extends to the other. */
function inconclusive({ ci95 }: Figure, limits: readonly Threshold[], factor = 1): Said {
  const crossed = limits.filter(({ value }) => ci95 !== null && ci95[0] < value * factor && ci95[1] > value * factor);
  return crossed.length === 0 ? silence : say`, but its interval includes ${listed(crossed.map(limit))}`;
}

/** Gaps between tokens: fluid, noticeable or sluggish. */
export function judgeItl(figure: Figure, { itlFluid, itlSluggish }: Thresholds): Judgement {
  const limits = [itlFluid, itlSluggish];
  const doubt = inconclusive(figure, limits);
  if (figure.value <= itlFluid.value) {
    return { severity: 'good', said: say`fluid, at ${limit(itlFluid)} or less${doubt}`, limits };
  }
  if (figure.value <= itlSluggish.value) {
    const said = say`noticeable, above ${limit(itlFluid)} and up to ${limit(itlSluggish)}${doubt}`;
    return { severity: 'notice', said, limits };
  }
  return { severity: 'bad', said: say`sluggish, above ${limit(itlSluggish)}${doubt}`, limits };
}

/** Streaming speed for one user: excellent, fluid, readable or sluggish. */
export function judgeSpeed(figure: Figure, thresholds: Thresholds): Judgement {
  const { speedExcellent, speedFluid, speedSluggish } = thresholds;
  const limits = [speedExcellent, speedFluid, speedSluggish];
  const doubt = inconclusive(figure, limits);
  if (figure.value >= speedExcellent.value) {
    return { severity: 'good', said: say`excellent, at ${limit(speedExcellent)} or more${doubt}`, limits };
  }
  if (figure.value >= speedFluid.value) {
    return { severity: 'good', said: say`fluid, at ${limit(speedFluid)} or more${doubt}`, limits };
  }
  if (figure.value >= speedSluggish.value) {
    return { severity: 'notice', said: say`readable, at ${limit(speedSluggish)} or more${doubt}`, limits };
  }
  return { severity: 'bad', said: say`sluggish, below ${limit(speedSluggish)}${doubt}`, limits };
}

/** Time to first token: within the limit, or above it. */
export function judgeTtft(figure: Figure, { ttft }: Thresholds): Judgement {
  const limits = [ttft];
  const doubt = inconclusive(figure, limits, 1000);
  return figure.value <= ttft.value * 1000
    ? { severity: 'good', said: say`within the limit of ${limit(ttft)}${doubt}`, limits }
    : { severity: 'bad', said: say`over the limit of ${limit(ttft)}${doubt}`, limits };
}

/** Share of a single user's speed that remains for each user. */
export function judgeScaling(figure: Figure, thresholds: Thresholds): Judgement {
  const { scalingWell, scalingPoor, scalingBelievable } = thresholds;
  const limits = [scalingWell, scalingPoor, scalingBelievable];
  if (figure.value > scalingBelievable.value) {
    const said = say`too good: above ${limit(scalingBelievable)}, the single run was slow or the set-ups differ`;
    return { severity: 'notice', said, limits };
  }
  if (figure.value >= scalingWell.value) {
    return { severity: 'good', said: say`good scaling, at ${limit(scalingWell)} or more`, limits };
  }
  if (figure.value >= scalingPoor.value) {
    const said = say`partial scaling, below ${limit(scalingWell)} but not below ${limit(scalingPoor)}`;
    return { severity: 'notice', said, limits };
  }
  return { severity: 'bad', said: say`poor scaling, below ${limit(scalingPoor)}`, limits };
}

const order: readonly Severity[] = ['good', 'info', 'notice', 'bad'];

/**
 * The severity of a sentence that judges the best and the worst value. The worse value counts, but "poor" would contradict a
 * sentence that starts with a good value, so it becomes a notice.
 */
export function severityOfSpan(best: Severity, worst: Severity): Severity {
  const worse = worseOf(best, worst);
  return worse === 'bad' && (best === 'good' || worst === 'good') ? 'notice' : worse;
}

function worseOf(a: Severity, b: Severity): Severity {
  return order.indexOf(a) >= order.indexOf(b) ? a : b;
}
