import type { Api, Entry } from './api.ts';

/**
 * The systems of a board, ranked; their quantizations where the systems leave a fact unspecified, which makes no board of
 * systems.
 */
export async function readEntries(api: Api, asked: Record<string, string[]>): Promise<readonly Entry[]> {
  const { data } = await api.getLeaderboard(asked);
  if (data !== null && data.data.length > 0) return data.data;
  const { data: best } = await api.getBest({ ...asked, subject: ['quantization'] });
  return best?.data ?? [];
}
