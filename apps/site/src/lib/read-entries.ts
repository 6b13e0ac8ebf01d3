import type { Api, Best, Entry } from './api.ts';

/** What systems that leave a fact unspecified are compared by instead, the first that has entries. */
const subjects = ['quantization', 'engine'] as const;

export interface Entries {
  entries: readonly Entry[];
  /** What they are ranked by, and in which workload; null where nothing was found. */
  rankBy: string | null;
  workload: string | null;
  /** What has one entry each. */
  subject: 'system' | (typeof subjects)[number];
  /** The account whose results alone are compared; null where systems name their facts. */
  account: Best['account'];
}

/**
 * The systems of a board, ranked; their quantizations or engines where the systems leave a fact unspecified, which makes
 * no board of systems.
 */
export async function readEntries(api: Api, asked: Record<string, string[]>): Promise<Entries> {
  const { data: board } = await api.getLeaderboard(asked);
  if (board !== null && board.data.length > 0) {
    const { data: entries, rank_by: rankBy, workload } = board;
    return { entries, rankBy, workload: workload?.id ?? null, subject: 'system', account: null };
  }
  for (const subject of subjects) {
    const { data: best } = await api.getBest({ ...asked, subject: [subject] });
    if (best === null || best.data.length === 0) continue;
    const { data: entries, rank_by: rankBy, workload, account } = best;
    return { entries, rankBy, workload: workload?.id ?? null, subject, account };
  }
  return { entries: [], rankBy: null, workload: null, subject: 'system', account: null };
}
