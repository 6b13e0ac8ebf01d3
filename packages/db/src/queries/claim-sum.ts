import {
  type ClaimKey,
  type ClaimSummary,
  type Contribution,
  newestMost,
  summariseClaim,
} from '../point-statistics/claim-summary.ts';
import { mergeClaims } from '../point-statistics/merge.ts';
import type { Transaction } from '../transaction.ts';
import type { GrowingClaim } from './new-result.ts';
import { type Addition, claimKey, readAdditions, readMax, type StoredClaim } from './point-statistics-read.ts';

function together(stored: Addition, added: Addition): Addition {
  return {
    // A later id may have been stored first.
    results: [...stored.results, ...added.results].sort((a, b) => (a.id < b.id ? -1 : 1)),
    findings: stored.findings + added.findings,
    warnings: stored.warnings + added.warnings,
  };
}

/** A claim that is all of these results. */
export const sumUp = ({ results, findings, warnings }: Addition): ClaimSummary =>
  summariseClaim(results, { findings, warnings });

/** Every result as one value, whatever its tool averaged. */
const oncePerResult = ({ results, ...doubts }: Addition): Addition => ({
  ...doubts,
  results: results.map((result) => ({ ...result, repeats: null })),
});

/** True of a claim that has more results than a statement should read. */
export const isFlooded = ({ stored }: Pick<StoredClaim, 'stored'>): boolean => stored > readMax;

/** Sums up a flooded claim: part by part, each result as one value. */
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
    summary = summary === null ? sum : mergeClaims(summary, sum, newest);
    if (summary === null) throw new Error('values that count once each do not add up');
  }
}

const nothing: Addition = { results: [], findings: 0, warnings: 0 };

/** The claim with what is added where only its single results tell. */
async function sumUpAgain(tx: Transaction, stored: ClaimSummary, added: Addition): Promise<ClaimSummary> {
  if (!isFlooded({ stored: stored.results })) {
    const all = (await readAdditions(tx, [stored])).get(claimKey(stored)) ?? nothing;
    return sumUp(together(all, added));
  }
  const once = oncePerResult(added);
  const all = await sumUpInParts(tx, stored);
  return all === null ? sumUp(once) : (mergeClaims(all, sumUp(once), once.results) ?? sumUp(once));
}

/**
 * A claim with what is added to it, as if there were no other at its point. Its stored results are not read, but for the
 * newest, which its medians and outliers are of.
 *
 * @param recent of its stored results the newest that were read already, in the order of their ids
 */
export async function sumUpGrown(
  tx: Transaction,
  { stored, added }: Pick<GrowingClaim, 'stored' | 'added'>,
  recent: readonly Contribution[],
): Promise<ClaimSummary> {
  if (stored === null) return sumUp(added);
  if (added.results.length === 0) return stored;
  const isEnough = recent.length >= Math.min(stored.results, newestMost);
  const newest = isEnough
    ? recent
    : ((await readAdditions(tx, [stored], { newest: newestMost })).get(claimKey(stored))?.results ?? []);
  if (newest.length === stored.results) {
    return sumUp(together({ results: [...newest], findings: stored.findings, warnings: stored.warnings }, added));
  }
  const isOnce = isFlooded({ stored: stored.results });
  const more = isOnce ? oncePerResult(added) : added;
  const last = together({ ...nothing, results: [...newest] }, more);
  const merged = mergeClaims(stored, sumUp(more), (isOnce ? oncePerResult(last) : last).results);
  return merged ?? sumUpAgain(tx, stored, added);
}
