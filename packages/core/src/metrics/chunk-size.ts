/**
 * Tokens per chunk from which the gap between chunks is clearly not the time of a token. Below, the two means differ because of the
 * lengths of the responses.
 */
const tokensLeast = 1.5;

/**
 * Mean tokens per chunk of a stream: mean ITL divided by mean TPOT. Null if the gaps are those of tokens, without a TPOT, and if a
 * chunk is about a token.
 *
 * @param itl mean ITL in ms, by `definition`
 * @param tpot mean TPOT in ms
 */
export function tokensPerChunk(itl: number | null, tpot: number | null, definition: string | null): number | null {
  if (definition !== 'per_chunk' || itl === null || tpot === null || tpot <= 0) return null;
  const tokens = itl / tpot;
  return tokens < tokensLeast ? null : tokens;
}
