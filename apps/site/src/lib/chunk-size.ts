import { tokensPerChunk } from '@inferboard/core/metrics/chunk-size';
import type { MetricFamily } from '@inferboard/core/metrics/metric';
import { formatCount } from './format.ts';

/**
 * "≈ 20 tokens per chunk", next to a mean ITL that measures gaps between chunks: mean ITL divided by mean TPOT. Null for other
 * metrics and formulas, without a TPOT, and if a chunk is about a token.
 *
 * @param values by metric, in ms
 * @param definitions formulas by metric or family
 */
export function chunkSizeText(
  { name, family }: { name: string; family: Pick<MetricFamily, 'base'> },
  values: Readonly<Record<string, number | null>>,
  definitions: Readonly<Record<string, string>>,
): string | null {
  const { [name]: itl, tpot_ms_mean: tpot } = values;
  const definition = definitions[name] ?? definitions[family.base] ?? null;
  const tokens = name === 'itl_ms_mean' ? tokensPerChunk(itl ?? null, tpot ?? null, definition) : null;
  if (tokens === null) return null;
  return `≈ ${tokens < 10 ? tokens.toPrecision(2) : formatCount(Math.round(tokens))} tokens per chunk`;
}
