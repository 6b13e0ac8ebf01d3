/**
 * How a workload was asked.
 *
 * - `concurrency`: `level` requests kept in flight, closed loop; a single request is level 1
 * - `burst`: `level` requests sent at once (queue depth)
 * - `rate`: `level` requests per second, open loop
 * - `batch`: one static offline batch of `level` sequences
 */
export const loadModes = ['concurrency', 'burst', 'rate', 'batch'] as const;
export type LoadMode = (typeof loadModes)[number];

/** What a filter may ask for: the modes, and results whose artifact does not tell how they were asked. */
export const loadModesOrUnspecified = [...loadModes, 'unspecified'] as const;

export interface KnownLoad {
  mode: LoadMode;
  /** Requests in flight, requests, requests per second or sequences, as the mode says. Above 0. */
  level: number;
  /** Shape of the arrivals of a `rate`: 1 is Poisson. */
  burstiness?: number | null;
  /** A cap on requests in flight beside a `rate`. */
  maxConcurrency?: number | null;
  /** Set where the tool runs the engine itself and hands everything over at the start, whatever the mode. */
  regime?: 'offline' | null;
}

/** An artifact that does not tell, such as a console block without the command above it. */
export interface UnspecifiedLoad {
  mode: 'unspecified';
  level: null;
  burstiness?: null;
  maxConcurrency?: null;
  regime?: 'offline' | null;
  /** What tells this run from others: an unknown operating point is nobody else's. Absent where no load could be stated. */
  run?: string;
}

export type Load = KnownLoad | UnspecifiedLoad;

export const unspecifiedLoad: UnspecifiedLoad = { mode: 'unspecified', level: null };

/** An offline run that does not state its batch. */
export const offlineLoad: UnspecifiedLoad = { mode: 'unspecified', level: null, regime: 'offline' };

/** What tells two loads apart: all of it, and of one that nobody stated the run. */
export function loadKey(load: Load): string {
  const { mode, level, burstiness, maxConcurrency, regime } = load;
  const run = load.mode === 'unspecified' && load.run !== undefined ? [load.run] : [];
  return JSON.stringify([
    ...[mode, level, burstiness ?? null, maxConcurrency ?? null],
    ...(regime == null ? [] : [regime]),
    ...run,
  ]);
}

/** "8 concurrent", "burst of 256", "50 req/s", "batch 32". */
export function formatLoad(load: { mode: Load['mode']; level: number | null }): string {
  if (load.mode === 'unspecified' || load.level === null) return 'load not stated';
  if (load.mode === 'concurrency') return load.level === 1 ? 'single request' : `${load.level} concurrent`;
  if (load.mode === 'burst') return `burst of ${load.level}`;
  if (load.mode === 'rate') return `${load.level} req/s`;
  return `batch ${load.level}`;
}
