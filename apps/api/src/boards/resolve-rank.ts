import type { Filters } from '@inferboard/core/filters/filters';
import { findMetric, type Metric } from '@inferboard/core/metrics/index';
import type { Choice } from '@inferboard/core/ranking/choice';
import { preferredRanks } from '@inferboard/core/ranking/default-rank';
import { comparesWithinAccount } from '@inferboard/core/ranking/named-facts';
import type { Dimension } from '@inferboard/core/ranking/subject';
import { findAccountOf } from '@inferboard/db/accounts/account-of-points';
import { findBoardDefault } from '@inferboard/db/boards/lists/default-rank';
import type { Deps } from '../deps.ts';

type Db = Deps['database']['db'];
type Purpose = Parameters<typeof findBoardDefault>[1]['purpose'];

/** The metric, order and workload of a board. */
export interface ResolvedRank {
  rankBy: Metric;
  choice: Choice;
  /** Filters, with the chosen workload. */
  filters: Filters;
  /** The default workload; null if the request names the metric, because the ranking then chooses the workload. */
  workload: Choice | null;
}

/** The order that lists better values first. */
export const betterOrder = ({ family }: Metric) =>
  family.direction === 'lower' ? ('asc' as const) : ('desc' as const);

/** The reverse order: cost falls as tokens per GPU rise. */
export const turned = (order: 'asc' | 'desc') => (order === 'desc' ? ('asc' as const) : ('desc' as const));

/** Choices of an earlier page. Later pages use them even if new results have arrived. */
export interface Pinned {
  rankBy: Metric;
  workload: string | null;
}

/** Restores a choice of an earlier page. */
function repin(choice: Choice | null, id: string): Choice {
  if (choice === null || choice.id === id) return choice ?? { id, because: 'most_systems', systems: 0, others: [] };
  const all = [{ id: choice.id, systems: choice.systems }, ...choice.others];
  return {
    id,
    because: 'most_systems',
    systems: all.find((one) => one.id === id)?.systems ?? 0,
    others: all.filter((one) => one.id !== id),
  };
}

/** A metric by a name that was already validated. */
export function requireMetric(name: string): Metric {
  const metric = findMetric(name);
  if (metric === null) throw new Error(`there is no metric ${name}`);
  return metric;
}

const said = (metric: Metric): Choice => ({ id: metric.name, because: 'asked', systems: 0, others: [] });

/** The requested metric, or else one that enough systems under the filters have, with its workload; see `findBoardDefault`. */
export async function resolveRank(
  db: Db,
  asked: { rankBy: Metric | null; filters: Filters; dimensions: readonly Dimension[]; purpose?: Purpose },
  pinned: Pinned | null = null,
): Promise<ResolvedRank> {
  const { rankBy, filters, dimensions, purpose = 'board' } = asked;
  const pin = (id: string | undefined | null) => (id == null ? filters : { ...filters, workload: [id] });
  if (rankBy !== null) return { rankBy, choice: said(rankBy), filters: pin(pinned?.workload), workload: null };
  const found = await findBoardDefault(db, { filters, dimensions, purpose });
  const choice = repin(found.rank, pinned?.rankBy.name ?? found.rank?.id ?? preferredRanks[0]);
  const id = pinned?.workload ?? found.workload?.id ?? null;
  const workload = id === null ? null : repin(found.workload, id);
  return { rankBy: requireMetric(choice.id), choice, filters: pin(id), workload };
}

/** The account to which the comparison is limited. */
export interface ComparedAccount {
  id: string;
  name: string;
}

/**
 * Runs the query. If it has no result because systems leave a fact unspecified, runs it once more within one account, the one
 * with the most systems. There, subjects such as quantizations can still be compared.
 */
export async function askWithinAccount<T>(
  db: Db,
  { filters, dimensions }: { filters: Filters; dimensions: readonly Dimension[] },
  ask: (filters: Filters) => Promise<{ answer: T; isEmpty: boolean }>,
): Promise<{ answer: T; account: ComparedAccount | null }> {
  const { answer, isEmpty } = await ask(filters);
  if (!isEmpty || filters.account !== undefined || !comparesWithinAccount(dimensions)) return { answer, account: null };
  const account = await findAccountOf(db, filters);
  if (account === null) return { answer, account: null };
  const again = await ask({ ...filters, account: [account.id] });
  return again.isEmpty ? { answer, account: null } : { answer: again.answer, account };
}

export const viewComparedAccount = (account: ComparedAccount | null) =>
  account && {
    id: account.id,
    name: account.name,
    reason: 'Its systems leave a fact unspecified, so they are compared only with each other.',
  };
