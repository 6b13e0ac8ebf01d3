import type { Derivation } from './derivation.ts';

/**
 * The speed for one user. With TPOT: 1000 / mean tpot (ms). For a static batch or a known number of concurrently decoding
 * users: decode_tok_s / level.
 */
export const userSpeed: Derivation = {
  metric: 'user_tok_s',
  derive({ result: { metrics, definitions, load } }) {
    const { tpot_ms_mean, decode_tok_s } = metrics;
    const withoutFirst = (definitions.tpot_ms ?? 'without_first_token') === 'without_first_token';
    if (tpot_ms_mean !== undefined && tpot_ms_mean > 0 && withoutFirst) {
      return { metric: 'user_tok_s', value: 1000 / tpot_ms_mean, definition: { base: 'user_tok_s', id: 'client' } };
    }
    if (decode_tok_s === undefined || load.mode === 'rate' || load.mode === 'unspecified') return null;
    const id = definitions.decode_tok_s ?? 'client';
    return { metric: 'user_tok_s', value: decode_tok_s / load.level, definition: { base: 'user_tok_s', id } };
  },
};
