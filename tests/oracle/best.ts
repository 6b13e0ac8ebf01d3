import { ask, compareKeys, isNear } from './ask.ts';
import { type Board, type BoardQuestion, type Entry, toBoard } from './board.ts';
import { type Filters, meetsBounds, meetsFacts, meetsOrigin, toQuery } from './filters.ts';
import type { World } from './lists.ts';
import { makeDefinition, makeFilters, servingMetrics, spoken } from './questions.ts';
import type { Random } from './random.ts';
import { type BestView, betterFirst, compareBoard, compareEntries, subjects } from './rankings.ts';

/** The account with the most systems among the filtered points. */
export function accountOf({ rows }: World, filters: Filters): { id: string; name: string } | null {
  const { workload, regime, scenario, ...others } = filters;
  const asked = rows.filter(
    (row) =>
      row.status === 'accepted' &&
      !row.isCopy &&
      meetsFacts(filters, row) &&
      meetsOrigin(others, row) &&
      meetsBounds(filters, (metric) => row.values[metric]),
  );
  const accounts = [...Map.groupBy(asked, ({ account }) => account.id)].map(([id, of]) => ({
    id,
    name: of[0]?.account.name ?? '',
    systems: new Set(of.map(({ systemId }) => systemId)).size,
  }));
  return accounts.sort((a, b) => b.systems - a.systems || (a.id < b.id ? -1 : 1))[0] ?? null;
}

const ofSystems = ['system', 'model', 'model_family', 'gpu', 'gpu_count'];

/** The board. If systems leave a fact unspecified and no other result matches, the board of a single account. */
export function withinAccount(
  world: World,
  question: Omit<BoardQuestion, 'account'>,
): { board: Board; account: { id: string; name: string } | null } {
  const { filters, dimensions } = question;
  const board = toBoard(world.standings, question);
  const canCompare = filters.account === undefined && !dimensions.some((one) => ofSystems.includes(one));
  const account = board.entries.size > 0 || !canCompare ? null : accountOf(world, filters);
  if (account === null) return { board, account: null };
  const own = { ...filters, account: [{ said: account.id, name: account.name }] };
  const again = toBoard(world.standings, { ...question, filters: own });
  return again.entries.size === 0 ? { board, account: null } : { board: again, account };
}

/** The best entries of a subject, queried in parameters, sometimes by cost per million tokens. */
export async function checkBest(world: World, random: Random): Promise<string[]> {
  const { app, rows } = world;
  const filters = makeFilters(random, rows);
  const subject = random.pick(Object.keys(subjects));
  const { of, in: keyOf } = subjects[subject] ?? { of: () => '', in: () => '' };
  const price = random.chance(0.15) ? random.pick([2.49, 0.5]) : null;
  const metric = price === null ? random.pick(servingMetrics) : 'output_tok_s_per_gpu';
  const order = price === null ? random.pick([undefined, 'asc', 'desc'] as const) : undefined;
  const limit = random.pick([undefined, 1, 3, 200]);
  const definition = makeDefinition(random, metric);
  const query: [string, string][] = [
    ['subject', subject],
    ['rank_by', price === null ? spoken(random, metric) : 'usd_per_mtok_output'],
    ...(definition === null ? [] : ([['definition', definition]] as [string, string][])),
    ...(order === undefined ? [] : ([['order', order]] as [string, string][])),
    ...(price === null ? [] : ([['gpu_usd_per_hour', String(price)]] as [string, string][])),
    ...toQuery(filters),
  ];
  const askUpTo = (most: number | undefined) =>
    ask<BestView>(app, '/v1/best', most === undefined ? query : [...query, ['limit', String(most)]]);
  const view = await askUpTo(limit);
  const { data: all } = limit === 200 ? view : await askUpTo(200);
  const rankOrder = order ?? betterFirst(metric);
  // Without output tokens, there is no cost per token.
  const least = price === null ? [] : [{ metric, side: 'min' as const, value: Number.MIN_VALUE }];
  const costing = { ...filters, bounds: [...filters.bounds, ...least] };
  const { board, account } = withinAccount(world, {
    rankBy: metric,
    order: rankOrder,
    filters: costing,
    definition,
    dimensions: [subject],
    subjectOf: of,
  });
  const costOf = (tokS: number) => (price === null ? tokS : (price / (tokS * 3600)) * 1e6);
  const data = view.data.map((entry) => ({ ...entry, value: entry.statistics.mean ?? entry.value }));
  const differences = compareBoard('best', { ...view, order: rankOrder, data }, board);
  if ((view.account?.id ?? null) !== (account?.id ?? null))
    differences.push(`best: of account ${view.account?.name}, not ${account?.name}`);
  // A disputed entry sorts by the worse end of its interval, so it follows its equals.
  const standsAt = ({ value, equals: [one] }: Entry) =>
    one?.standing.isDisputed === true ? one.interval[rankOrder === 'desc' ? 0 : 1] : value;
  const first = [...board.entries]
    .map(([key, entry]) => ({ key, value: standsAt(entry) }))
    .sort((a, b) => (rankOrder === 'desc' ? b.value - a.value : a.value - b.value));
  const size = Math.min(limit ?? 10, first.length);
  if (view.data.length !== size) differences.push(`best: ${view.data.length} entries, not ${size}`);
  // Among entries that are equal up to summation order, either can be the last on the page.
  const worst = first[size - 1]?.value;
  const found = view.data.map(({ system }) => keyOf(system));
  const sure = first.slice(0, size).filter(({ value }) => !isNear(value, worst));
  const fits = first.filter(({ value }) => isNear(value, worst)).map(({ key }) => key);
  differences.push(
    ...compareKeys(
      'best',
      found.filter((key) => !fits.includes(key)),
      sure.map(({ key }) => key),
    ),
  );
  for (const entry of view.data) {
    const cost = costOf(entry.statistics.mean ?? entry.value);
    if (!isNear(entry.value, cost)) differences.push(`best: ${entry.value}, not ${cost}`);
  }
  return [...differences, ...compareEntries(data, board, all, ({ system }) => keyOf(system), rankOrder)];
}
