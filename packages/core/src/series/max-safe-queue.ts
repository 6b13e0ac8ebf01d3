/** Mean TTFT measured at a number of requests in flight or queued at once. */
export interface QueuePoint {
  depth: number;
  ttftS: number;
}

export interface MaxSafeQueue {
  /** The depth, or the largest measured one if all are within the limit; null if the first exceeds it. */
  answer: number | null;
  bound: 'estimate' | 'at_least' | 'below';
  /** The TTFT statistic of each `QueuePoint`. */
  statistic: 'mean';
  /** "131", ">= 256" or "< 1". */
  text: string;
  /** Points by depth with non-decreasing TTFT, as used for the interpolation. */
  cleaned: QueuePoint[];
  /** The measured points below and above an estimate. */
  between: [QueuePoint, QueuePoint] | null;
}

/** Rounding may make an integer slightly too small; figures have far fewer digits than this. */
const roundingShare = 1e-9;

/** One point per depth, sorted. Of several, the slowest, because the limit must hold for each. */
function byDepth(points: readonly QueuePoint[]): QueuePoint[] {
  const slowest = new Map<number, QueuePoint>();
  for (const point of points) {
    if (!Number.isFinite(point.depth) || !Number.isFinite(point.ttftS)) {
      throw new RangeError('depth and TTFT must be finite');
    }
    const other = slowest.get(point.depth);
    if (other === undefined || point.ttftS > other.ttftS) slowest.set(point.depth, point);
  }
  return [...slowest.values()].sort((a, b) => a.depth - b.depth);
}

/** A longer queue is never faster: a TTFT below that of a shorter queue is noise, so the running maximum replaces it. */
function withRunningMaximum(points: readonly QueuePoint[]): QueuePoint[] {
  let ttftS = Number.NEGATIVE_INFINITY;
  return points.map((point) => {
    ttftS = Math.max(ttftS, point.ttftS);
    return { depth: point.depth, ttftS };
  });
}

/**
 * Returns the largest queue depth whose TTFT stays within `limitS` seconds. After the running maximum, finds the first
 * neighbors t_a <= limit < t_b and interpolates linearly: floor(q_a + (limit - t_a) (q_b - q_a) / (t_b - t_a)), an estimate.
 * It never extrapolates. If all points are within the limit, the result is "at least" the deepest; if none is, it is "below"
 * the shallowest. The same applies to a single point. Null without points; throws RangeError for figures that are not
 * finite.
 */
export function maxSafeQueue(points: readonly QueuePoint[], limitS: number): MaxSafeQueue | null {
  if (!Number.isFinite(limitS)) throw new RangeError('the limit must be finite');
  const measured = byDepth(points);
  const cleaned = withRunningMaximum(measured);
  const [first] = cleaned;
  const last = cleaned.at(-1);
  if (first === undefined || last === undefined) return null;
  const common = { statistic: 'mean', cleaned, between: null } as const;
  if (first.ttftS > limitS) return { ...common, answer: null, bound: 'below', text: `< ${first.depth}` };
  const over = cleaned.findIndex(({ ttftS }) => ttftS > limitS);
  const [a, b] = [cleaned[over - 1], cleaned[over]];
  const [from, to] = [measured[over - 1], measured[over]];
  if (a === undefined || b === undefined || from === undefined || to === undefined) {
    return { ...common, answer: last.depth, bound: 'at_least', text: `>= ${last.depth}` };
  }
  const depth = a.depth + ((limitS - a.ttftS) / (b.ttftS - a.ttftS)) * (b.depth - a.depth);
  const answer = Math.floor(depth * (1 + roundingShare));
  return { ...common, answer, bound: 'estimate', text: String(answer), between: [from, to] };
}
