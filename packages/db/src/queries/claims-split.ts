import { eq, sql } from 'drizzle-orm';
import type { Database } from '../client.ts';
import { settings } from '../schema/index.ts';
import { refreshPointStatistics } from './point-statistics-refresh.ts';
import { findSetting } from './setting.ts';

/** Points whose statistics an upgrade left to us, by their ids. */
const toSplit = 'claims_to_split';

/** Points of one transaction. */
const batchPoints = 200;

/**
 * Computes the claims of points that several accounts measured, of which releases before claims kept one statistic for all.
 * Each transaction does some of them and takes them off the list, so that it can be stopped and goes on.
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
