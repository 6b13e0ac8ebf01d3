import type { Sql } from 'postgres';

export interface StoredCount {
  submissions: { status: string; tool: string; count: number }[];
  results: { status: string; count: number }[];
}

/** Counts stored rows. Scans both tables, so do not call it per request. */
export async function countStored(sql: Sql): Promise<StoredCount> {
  const [submissions, results] = await Promise.all([
    sql<StoredCount['submissions']>`select status, tool, count(*)::int as count from submissions group by 1, 2`,
    sql<StoredCount['results']>`select status, count(*)::int as count from results group by 1`,
  ]);
  return { submissions, results };
}
