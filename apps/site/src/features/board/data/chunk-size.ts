import type { Entry } from '../../../lib/api.ts';
import { formatCount } from '../../../lib/format.ts';
import { valuesOf } from './board-columns.ts';
import type { Ranked } from './ranked-metric.ts';

/**
 * Tokens per chunk from which the gap between chunks is clearly not the time of a token. Below, the two means differ because of the
 * lengths of the responses.
 */
const tokensLeast = 1.5;

/**
 * "≈ 20 tokens per chunk", next to a mean ITL that measures gaps between chunks: mean ITL divided by mean TPOT. Null for other
 * metrics and formulas, without a TPOT, and if a chunk is about a token.
 */
export function chunkSizeText(
  entry: Pick<Entry, 'metrics' | 'derived' | 'definitions'>,
  metric: Pick<Ranked, 'name' | 'family'>,
): string | null {
  const { [metric.name]: itl, tpot_ms_mean: tpot } = valuesOf(entry);
  const definition = entry.definitions[metric.name] ?? entry.definitions[metric.family.base];
  if (metric.name !== 'itl_ms_mean' || definition !== 'per_chunk' || itl == null || tpot == null || tpot <= 0)
    return null;
  const tokens = itl / tpot;
  if (tokens < tokensLeast) return null;
  return `≈ ${tokens < 10 ? tokens.toPrecision(2) : formatCount(Math.round(tokens))} tokens per chunk`;
}
