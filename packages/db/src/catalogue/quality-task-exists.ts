import { sql } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';

/** Whether an evaluation on a task exists. @param task as `taskKey` writes it */
export async function qualityTaskExists(db: Queryable, task: string): Promise<boolean> {
  const [found] = (await db.execute(sql`
    select exists (
      select 1 from scenarios
      where quality is not null and regexp_replace(lower(quality ->> 'task'), '[-_ ]', '', 'g') = ${task}) as "isThere"`)) as unknown as {
    isThere: boolean;
  }[];
  return found?.isThere ?? false;
}
