import { drawGamma } from './gamma.ts';
import { createRandom } from './random.ts';

/**
 * How an open loop sends: independent of the answers, at times fixed before the start.
 *
 * `burstiness` is vLLM's: the shape of gamma distributed gaps whose scale is 1 / (rate x burstiness). 1 is a Poisson
 * process, below 1 requests come in clumps, above 1 more evenly, and Infinity is a constant rate without any chance.
 */
export interface Arrivals {
  burstiness: number;
  /** Seed of the gaps; not looked at for a constant rate. */
  seed: number;
}

/** How the rate changes over a ramp: by equal differences or by equal ratios in equal times. */
export const rampCurves = ['linear', 'exponential'] as const;
export type RampCurve = (typeof rampCurves)[number];

export interface Ramp {
  /** Requests per second at the start and at the end. Only a linear ramp may start or end at 0, and not both. */
  fromReqS: number;
  toReqS: number;
  curve: RampCurve;
  /** Seconds from the first rate to the last. */
  durationS: number;
}

/** Requests of one schedule: eight bytes each, and a day at 100 per second. */
export const arrivalsMax = 10_000_000;

const isPositive = (value: number) => value > 0 && value < Number.POSITIVE_INFINITY;

function checkCount(count: number): void {
  if (!Number.isSafeInteger(count) || count < 1 || count > arrivalsMax)
    throw new RangeError(`the number of requests is a whole number from 1 to ${arrivalsMax}`);
}

/**
 * Arrivals of a process whose mean gap is 1, the first at 0 and the last at exactly `count - 1`. Drawn gaps are scaled
 * to that, as vLLM does: their sum alone would be off by a percent at a thousand requests, and every rate with it.
 */
function unitArrivals(count: number, { burstiness, seed }: Arrivals): Float64Array {
  checkCount(count);
  if (!(burstiness > 0)) throw new RangeError('the burstiness must be above 0');
  const times = new Float64Array(count);
  if (burstiness === Number.POSITIVE_INFINITY) return times.map((_, index) => index);
  const random = createRandom(seed);
  let time = 0;
  for (let index = 1; index < count; index++) {
    time += drawGamma(burstiness, random);
    times[index] = time;
  }
  // Nearly all gaps of a tiny shape are 0 in a double: there is nothing to stretch.
  if (count > 1 && !(time > 0)) throw new RangeError(`a burstiness of ${burstiness} leaves no gaps to scale`);
  const scale = (count - 1) / time;
  for (let index = 1; index < count; index++) times[index] = Math.min(count - 1, (times[index] ?? 0) * scale);
  // What rounding makes of the product is not exact.
  if (count > 1) times[count - 1] = count - 1;
  return times;
}

/** The schedule of a process of mean gap 1, in ms, where `secondsAt` returns when so many requests are due. */
function schedule(unit: Float64Array, secondsAt: (requests: number) => number): Float64Array {
  let last = 0;
  return unit.map((requests) => {
    // Of two times a hair apart rounding may turn the order.
    last = Math.max(last, secondsAt(requests) * 1000);
    return last;
  });
}

/**
 * When each of `count` requests is due, in ms since the start: the first at 0 and the last at exactly
 * (count - 1) / reqS seconds, so that the rate over the gaps is the requested one.
 */
export function rateSchedule(reqS: number, count: number, arrivals: Arrivals): Float64Array {
  if (!isPositive(reqS)) throw new RangeError('the rate must be above 0 and finite');
  return schedule(unitArrivals(count, arrivals), (requests) => requests / reqS);
}

/** A constant rate: equal gaps of 1000 / reqS ms. */
export function constantSchedule(reqS: number, count: number): Float64Array {
  return rateSchedule(reqS, count, { burstiness: Number.POSITIVE_INFINITY, seed: 0 });
}

function checkRamp({ fromReqS, toReqS, curve, durationS }: Ramp): void {
  if (!isPositive(durationS)) throw new RangeError('the duration must be above 0 and finite');
  const least = curve === 'linear' ? Math.max(fromReqS, toReqS) : Math.min(fromReqS, toReqS);
  if (!(fromReqS >= 0 && toReqS >= 0 && isPositive(least) && isPositive(Math.max(fromReqS, toReqS))))
    throw new RangeError('the rates of a ramp must be finite and above 0; one end of a linear ramp may be 0');
}

/** ln(toReqS / fromReqS). Of two rates a hair apart the ratio keeps no digits; their difference is exact. */
function logGrowth({ fromReqS, toReqS }: Ramp): number {
  const change = (toReqS - fromReqS) / fromReqS;
  return Math.abs(change) < 0.5 ? Math.log1p(change) : Math.log(toReqS / fromReqS);
}

/** Requests due over a ramp, the whole area under the rate. */
export function rampRequests(ramp: Ramp): number {
  checkRamp(ramp);
  const { fromReqS, toReqS, curve, durationS } = ramp;
  if (curve === 'linear' || fromReqS === toReqS) return ((fromReqS + toReqS) / 2) * durationS;
  return ((toReqS - fromReqS) / logGrowth(ramp)) * durationS;
}

/** Seconds until so many requests are due: the inverse of the area under the rate. */
function rampInverse(ramp: Ramp): (requests: number) => number {
  const { fromReqS, toReqS, curve, durationS } = ramp;
  if (fromReqS === toReqS) return (requests) => requests / fromReqS;
  if (curve === 'linear') {
    const slope = (toReqS - fromReqS) / durationS;
    // The root without cancellation; below 0 it is rounding at the end of a ramp down to 0.
    return (requests) =>
      requests === 0
        ? 0
        : (2 * requests) / (fromReqS + Math.sqrt(Math.max(0, fromReqS * fromReqS + 2 * slope * requests)));
  }
  const growth = logGrowth(ramp) / durationS;
  return (requests) => Math.log1p((requests * growth) / fromReqS) / growth;
}

/**
 * When each request of a ramp is due, in ms since the start: as many as the ramp has, rounded, and one at least. The
 * process of mean gap 1 runs along the area under the rate, so that chance and ramp do not disturb each other.
 */
export function rampSchedule(ramp: Ramp, arrivals: Arrivals): Float64Array {
  const count = Math.max(1, Math.round(rampRequests(ramp)));
  return schedule(unitArrivals(count, arrivals), rampInverse(ramp));
}
