import { eq, sql } from 'drizzle-orm';
import type { Database } from '../connection/client.ts';
import { refreshPointStatistics } from '../points/point-statistics-refresh.ts';
import { settings } from '../schema/index.ts';
import { findSetting } from '../service/setting.ts';

/** Settings key for the ids of points whose statistics an upgrade left to convert. */
const toSplit = 'claims_to_split';

/** Points of one transaction. */
const batchPoints = 200;

/**
 * Computes the claims of points that several accounts measured. Releases before claims kept one statistic for all accounts.
 * Each transaction converts some points and removes them from the list, so that the work can be interrupted and resumed.
 */
export async function splitClaims(db: Database['db']): Promise<void> {
  for (;;) {
    const left = ((await findSetting(db, toSplit)) ?? []) as number[];
    if (left.length === 0) return;
    const [now, later] = [left.slice(0, batchPoints), left.slice(batchPoints)];
    await db.transaction(async (tx) => {
      await refreshPointStatistics(tx, now);
      const isThis = eq(settings.key, toSplit);
      if (later.length === 0) await tx.delete(settings).where(isThis);
      else await tx.update(settings).set({ value: later, updatedAt: sql`now()` }).where(isThis);
    });
  }
}
