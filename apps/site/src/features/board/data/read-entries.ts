import { unspecifiedReasons } from '@inferboard/core/ranking/named-facts';
import type { Api, Best, Entry, Leaderboard } from '../../../lib/api.ts';

/** Subjects to compare instead of systems with unspecified facts; the first with entries is used. */
const subjects = ['quantization', 'engine'] as const;

export interface Entries {
  entries: readonly Entry[];
  /** Ranking metric and workload; null without results. */
  rankBy: string | null;
  workload: string | null;
  /** The fact with one entry for each value. */
  subject: 'system' | (typeof subjects)[number];
  /** The only account whose results are compared; null if all systems state their facts. */
  account: Best['account'];
}

const nothing: Entries = { entries: [], rankBy: null, workload: null, subject: 'system', account: null };

/** True if an empty board may leave out systems because of an unspecified fact. Without them, no other subject has entries. */
const mayOmitSystems = ({ workload, excluded, excluded_at_least: isAtLeast }: Leaderboard) =>
  workload !== null || isAtLeast || unspecifiedReasons.some((reason) => (excluded[reason] ?? 0) > 0);

/** The systems of a board, ranked. If systems leave a fact unspecified, returns their quantizations or engines instead. */
export async function readEntries(api: Api, asked: Record<string, string[]>): Promise<Entries> {
  const { data: board } = await api.getLeaderboard(asked);
  if (board !== null && board.data.length > 0) {
    const { data: entries, rank_by: rankBy, workload } = board;
    return { entries, rankBy, workload: workload?.id ?? null, subject: 'system', account: null };
  }
  if (board !== null && !mayOmitSystems(board)) return nothing;
  for (const subject of subjects) {
    const { data: best } = await api.getBest({ ...asked, subject: [subject] });
    if (best === null || best.data.length === 0) continue;
    const { data: entries, rank_by: rankBy, workload, account } = best;
    return { entries, rankBy, workload: workload?.id ?? null, subject, account };
  }
  return nothing;
}
