import type { Result } from '../subjects/result.ts';
import { isOn } from './switches.ts';

/**
 * Share of the prompt tokens that were computed, 0..1: counted from the records if they contain it, else 1. Null if a prefix
 * cache is declared without a count.
 */
export function uncachedShare({ system, records }: Pick<Result, 'system' | 'records'>): number | null {
  let cached = 0;
  let input = 0;
  for (const { cachedTokens, inputTokens } of records?.requests ?? []) {
    if (cachedTokens === null || inputTokens === null) continue;
    cached += cachedTokens;
    input += inputTokens;
  }
  if (input > 0) return 1 - Math.min(cached, input) / input;
  return isOn(system.features.prefix_caching) ? null : 1;
}
