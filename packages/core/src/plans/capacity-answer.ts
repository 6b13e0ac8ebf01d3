/**
 * Why a search ended. `found`: the interval is narrow enough; `highest_holds`: the highest load met the limits;
 * `lowest_fails`: the lowest load missed one; `noise`: repetitions differ too much; `points`: the search used its points,
 * requests, tokens or time.
 */
export const searchEnds = ['found', 'highest_holds', 'lowest_fails', 'noise', 'points'] as const;

/** What a search has found so far. */
export interface CapacityAnswer {
  /** Null while the search continues. */
  end: (typeof searchEnds)[number] | null;
  /** The load at the limit, within the interval; null if no load met the limits. */
  level: number | null;
  /**
   * Concurrency: the highest load that certainly meets the limits, and the lowest that certainly misses one; null if there is
   * none. Rate: the ends of the interval that contains the capacity with a probability of 80 %.
   */
  interval: { meets: number | null; misses: number | null };
  /** What the load above the interval missed: a limit, `failures` or `saturation`; null if none missed anything. */
  bound: string | null;
  /** Completed requests per second at the highest load that met the limits; null if unknown. */
  completed_req_s: number | null;
  /** The lowest load at which throughput is flat and requests queue; null if none was that high. */
  saturated_from: number | null;
  points: number;
  requests: number;
  /** The answer in sentences. */
  text: string;
}

/** The verdict of a measured point on its load. */
export interface PointVerdict {
  /** The worst latency by its limit: 1 is at the limit. Null if the point has no such latency. */
  ratio: number | null;
  /** The limit of the worst latency, `failures` or `saturation`. */
  bound: string;
  completed_req_s: number | null;
  is_saturated: boolean;
  /** False for a short point, which only serves to find the range. */
  is_fine: boolean;
  /** Seconds of sending. */
  sent_s: number;
}
