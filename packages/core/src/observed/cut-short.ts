/** Why a point ended before its planned requests, as stored in its summary. */
export interface PointCut {
  /** `stopped`: the process that measured it ended, for example on a full disk. The run of a worker continues elsewhere. */
  reason: 'time_limit' | 'failures' | 'canceled' | 'stopped';
  requests_ended: number;
  requests_planned: number;
  /** How the last failed request ended, with the start of the server's message; null if none failed. */
  last_error: string | null;
}

/** The points of a run that ended early. */
export interface CutShort {
  points: number;
  last_error: string | null;
}

type Summary = Record<string, unknown> | null;

/** How a point was cut short; null if it was not. Its time limit is part of the plan, and does not cut it short. */
export function cutOf(summary: Summary): PointCut | null {
  const cut = (summary?.cut ?? null) as PointCut | null; // `summaryOf` of the worker makes it
  return cut === null || cut.reason === 'time_limit' ? null : cut;
}

/** The points that were cut short, by the summaries of all points in measuring order; null if none was. */
export function cutShortOf(summaries: readonly Summary[]): CutShort | null {
  const cuts = summaries.map(cutOf).filter((cut) => cut !== null);
  const last = cuts.findLast(({ last_error }) => last_error !== null);
  return cuts.length === 0 ? null : { points: cuts.length, last_error: last?.last_error ?? null };
}
