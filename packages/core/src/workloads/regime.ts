import type { Load } from '../subjects/load.ts';

/**
 * How requests reach the server. Results of different regimes are never ranked together.
 *
 * - `steady`: a closed loop of N requests, or an open loop at a rate
 * - `burst`: N requests at once, so that the queue is part of the measurement
 * - `offline`: one static batch, or every request handed over at the start
 * - `unspecified`: the sender did not state the load
 */
export const regimes = ['steady', 'burst', 'offline', 'unspecified'] as const;
export type Regime = (typeof regimes)[number];

const byMode = {
  concurrency: 'steady',
  rate: 'steady',
  burst: 'burst',
  batch: 'offline',
  unspecified: 'unspecified',
} as const satisfies Record<Load['mode'], Regime>;

/** The regime of a load: the stated one, else the one of its mode. */
export function regimeOf({ mode, regime }: Pick<Load, 'mode' | 'regime'>): Regime {
  return regime ?? byMode[mode];
}
