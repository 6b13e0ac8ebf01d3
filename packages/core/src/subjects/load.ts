/**
 * How requests are sent.
 *
 * - `concurrency`: `level` requests kept in flight, closed loop; a single request is level 1
 * - `burst`: `level` requests sent at once (queue depth)
 * - `rate`: `level` requests per second, open loop
 * - `batch`: one static offline batch of `level` sequences
 */
export const loadModes = ['concurrency', 'burst', 'rate', 'batch'] as const;
export type LoadMode = (typeof loadModes)[number];

/** Values of a load filter: the modes, and results whose artifact does not state the load. */
export const loadModesOrUnspecified = [...loadModes, 'unspecified'] as const;

export interface KnownLoad {
  mode: LoadMode;
  /** Requests in flight, requests, requests per second or sequences, depending on the mode. Above 0. */
  level: number;
  /** Burstiness of the arrivals of a `rate`: 1 is Poisson. */
  burstiness?: number | null;
  /** Maximum requests in flight of a `rate`. */
  maxConcurrency?: number | null;
  /** Set if the tool runs the engine in-process and submits all requests at the start, in any mode. */
  regime?: 'offline' | null;
}

/** A load that the artifact does not state, such as a console block without its command. */
export interface UnspecifiedLoad {
  mode: 'unspecified';
  level: null;
  burstiness?: null;
  maxConcurrency?: null;
  regime?: 'offline' | null;
  /** Identifies this run, because an unknown operating point is never shared. Absent if the kind of result has no load. */
  run?: string;
}

export type Load = KnownLoad | UnspecifiedLoad;

export const unspecifiedLoad: UnspecifiedLoad = { mode: 'unspecified', level: null };

/** An offline run without a stated batch. */
export const offlineLoad: UnspecifiedLoad = { mode: 'unspecified', level: null, regime: 'offline' };

/** Identity of a load: all of its facts, including the run of an unstated load. */
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
