import { latencyStatistics } from '../metrics/metric.ts';
import type { Derivation } from './derivation.ts';
import { userSpeed } from './user-speed.ts';

/** Substitutes for unmeasured gaps between tokens: TPOT, else 1000 / per-user speed. */
export const smoothness: Derivation = {
  metric: 'itl_ms_mean',
  derive(subject) {
    const { result } = subject;
    const { tpot_ms_mean, user_tok_s } = result.metrics;
    // A definition applies to the whole family: measured percentiles and a substituted mean cannot share one.
    if (latencyStatistics.some((statistic) => result.metrics[`itl_ms_${statistic}`] !== undefined)) return null;
    if (tpot_ms_mean !== undefined && tpot_ms_mean > 0) {
      return { metric: 'itl_ms_mean', value: tpot_ms_mean, definition: { base: 'itl_ms', id: 'from_tpot' } };
    }
    const speed = user_tok_s ?? userSpeed.derive(subject)?.value;
    if (speed === undefined || speed <= 0) return null;
    return { metric: 'itl_ms_mean', value: 1000 / speed, definition: { base: 'itl_ms', id: 'from_user_tok_s' } };
  },
};
