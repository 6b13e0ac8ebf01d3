import type { Transaction } from '../connection/transaction.ts';
import {
  type ClaimKey,
  type ClaimSummary,
  newestGroups,
  newestMost,
  summariseClaim,
} from '../point-statistics/claim-summary.ts';
import { ClaimWindow } from '../point-statistics/claim-window.ts';
import type { Contribution } from '../point-statistics/contribution.ts';
import { mergeClaims } from '../point-statistics/merge.ts';
import { type Addition, claimKey, readAdditions, readMax, type StoredClaim } from '../points/point-statistics-read.ts';
import type { ClaimUpdate } from '../submissions/new-result.ts';

function together(stored: Addition, added: Addition): Addition {
  return {
    // A result with a later id may have been stored first.
    results: [...stored.results, ...added.results].sort((a, b) => (a.id < b.id ? -1 : 1)),
    findings: stored.findings + added.findings,
    warnings: stored.warnings + added.warnings,
  };
}

/** Computes a claim from its complete results. */
export const sumUp = ({ results, findings, warnings }: Addition): ClaimSummary =>
  summariseClaim(results, { findings, warnings });

/** Counts each result as one value, regardless of the repetitions that its tool averaged. */
const oncePerResult = ({ results, ...doubts }: Addition): Addition => ({
  ...doubts,
  results: results.map((result) => ({ ...result, repeats: null })),
});

/** True for a claim with more results than one statement should read. */
export const isFlooded = ({ stored }: Pick<StoredClaim, 'stored'>): boolean => stored > readMax;

/** Computes a claim with very many results in parts, with each result as one value. */
export async function sumUpInParts(tx: Transaction, claim: ClaimKey): Promise<ClaimSummary | null> {
  let summary: ClaimSummary | null = null;
  let after = '';
  let newest: Contribution[] = [];
  for (;;) {
    const part = (await readAdditions(tx, [claim], { after, most: readMax })).get(claimKey(claim));
    if (part === undefined) return summary;
    const once = oncePerResult(part);
    after = once.results.at(-1)?.id ?? after;
    newest = [...newest, ...once.results].slice(-newestMost);
    const sum = sumUp(once);
    summary = summary === null ? sum : mergeClaims(summary, sum, newestGroups(newest));
    if (summary === null) throw new Error('values that count once each do not add up');
  }
}

const nothing: Addition = { results: [], findings: 0, warnings: 0 };

/** Recomputes a claim whose statistics need its single results. */
async function sumUpAgain(tx: Transaction, stored: ClaimSummary, added: Addition): Promise<ClaimSummary> {
  if (!isFlooded({ stored: stored.results })) {
    const all = (await readAdditions(tx, [stored])).get(claimKey(stored)) ?? nothing;
    return sumUp(together(all, added));
  }
  const once = oncePerResult(added);
  const all = await sumUpInParts(tx, stored);
  return all === null ? sumUp(once) : (mergeClaims(all, sumUp(once), newestGroups(once.results)) ?? sumUp(once));
}

/** A claim with added results, and a window of its newest results for the next additions. Null if they must be read. */
export interface UpdatedClaim {
  sum: ClaimSummary;
  window: ClaimWindow | null;
}

/**
 * Adds results to a claim, without regard to other claims at its point. Reads only the newest stored results, which medians and
 * outliers are computed from.
 *
 * @param known the newest stored results, if they were read already
 */
export async function sumUpWithAdditions(
  tx: Transaction,
  { stored, added }: Pick<ClaimUpdate, 'stored' | 'added'>,
  known: { recent: readonly Contribution[]; window: ClaimWindow | null },
): Promise<UpdatedClaim> {
  if (stored === null) return { sum: sumUp(added), window: null };
  if (added.results.length === 0) return { sum: stored, window: known.window };
  const isOnce = isFlooded({ stored: stored.results });
  const once = <T extends readonly Contribution[]>(results: T) =>
    isOnce ? results.map((result) => ({ ...result, repeats: null })) : results;
  const needed = Math.min(stored.results, newestMost);
  const read = known.window?.results ?? known.recent;
  const newest =
    read.length >= needed
      ? read
      : ((await readAdditions(tx, [stored], { newest: newestMost })).get(claimKey(stored))?.results ?? []);
  const before = newest === known.window?.results ? known.window : ClaimWindow.of(once(newest));
  const window = before?.with(once(added.results)) ?? null;
  const doubts = { findings: stored.findings + added.findings, warnings: stored.warnings + added.warnings };
  if (newest.length === stored.results) {
    const isWhole = window !== null && window.results.length === stored.results + added.results.length;
    if (isWhole) return { sum: summariseClaim(window.results, doubts, window.groups()), window };
    const all = together({ ...nothing, results: [...newest] }, added).results;
    return { sum: summariseClaim(all, doubts), window };
  }
  const more = isOnce ? oncePerResult(added) : added;
  const ordered = window?.groups() ?? newestGroups(once(together({ ...nothing, results: [...newest] }, more).results));
  const merged = mergeClaims(stored, sumUp(more), ordered);
  return { sum: merged ?? (await sumUpAgain(tx, stored, added)), window };
}
