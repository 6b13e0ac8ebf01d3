/** The rank of a board entry: a number, a range of ranks, or null without a rank. */
interface Ranked {
  rank: number | null;
  rank_spread: [number, number] | null;
  high_at_least?: boolean | undefined;
}

/** "7", "2–9", or "2–150+" if the last rank may be further behind. */
export function rankText({ rank, rank_spread, high_at_least = false }: Ranked): string | null {
  if (rank_spread === null) return null;
  const [first, last] = rank_spread;
  const end = high_at_least ? '+' : '';
  return first === last ? `${rank ?? first}${end}` : `${first}–${last}${end}`;
}

/** Whether the intervals of other entries overlap this one's. */
export const isTied = ({ rank_spread, high_at_least = false }: Omit<Ranked, 'rank'>): boolean =>
  rank_spread !== null && (high_at_least || rank_spread[0] !== rank_spread[1]);
