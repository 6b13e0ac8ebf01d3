import { type SQL, sql } from 'drizzle-orm';
import { datedText, textOf } from '../boards/lists/measured-time.ts';
import type { Queryable } from '../connection/transaction.ts';
import { texts } from '../copy/bulk.ts';

/** When the first stored result of a point was measured: its date, else the time of storing. @param point id of the point */
export const firstMeasuredAt = (point: SQL): SQL => sql`(
  select coalesce(${datedText(sql`r`)}, ${textOf(sql`r.created_at`)}) from results r
  where r.point_id = ${point} and r.status = 'accepted' order by r.id limit 1)`;

/** When each system was first measured, by the first stored result of each of its points. Omits systems without results. */
export async function listFirstMeasured(db: Queryable, systemIds: readonly string[]): Promise<Map<string, string>> {
  const rows = (await db.execute(sql`
    select p.system_id as id, min(${firstMeasuredAt(sql`p.id`)}) as at from points p
    where p.system_id = any(${texts(systemIds)}) group by 1`)) as unknown as { id: string; at: string | null }[];
  return new Map(
    rows.flatMap(({ id, at }) => (at === null || Number.isNaN(Date.parse(at)) ? [] : [[id, at] as const])),
  );
}
