import { DomainError, type Fault } from '@inferboard/core/errors';
import { boundedMetrics } from '@inferboard/core/filters/bounds';
import type { Filters } from '@inferboard/core/filters/filters';
import { boundShape, filterShape, toFilters } from '@inferboard/core/filters/parameters';
import type { Metric, MetricName } from '@inferboard/core/metrics/index';
import { type Question, type QuestionFilters, type Subject, toParameters } from '@inferboard/core/questions/index';
import type { LeaderboardRow, ShortLeaderboardRow } from '@inferboard/db/boards/lists/leaderboard-entries';
import { listLeaderboard } from '@inferboard/db/boards/lists/leaderboard-list';
import { poolFor } from '@inferboard/db/boards/pool';
import { z } from 'zod';
import {
  otherwise,
  viewDefinitionChoice,
  viewRankChoice,
  viewWorkloadChoice,
  workloadNames,
} from '../boards/choice-views.ts';
import { requireKnownValues } from '../boards/known-values.ts';
import {
  askWithinAccount,
  betterOrder,
  requireMetric,
  resolveRank,
  turned,
  viewComparedAccount,
} from '../boards/resolve-rank.ts';
import type { Deps } from '../deps.ts';
import { toFaults } from '../http/refuse.ts';
import {
  costName,
  costRate,
  costUnit,
  type Pricing,
  readPrices,
  viewCost,
  viewPrices,
} from '../prices/requested-prices.ts';
import { shortChoice, shortEntry } from '../short/short-views.ts';
import { viewEntry } from '../views.ts';

/** A question in words or in parameters. A filter given in both is an error. */
export interface Asked {
  q?: string | undefined;
  /** The parsed question of `q`; unset properties are read from `q`. */
  question?: Question | null;
  subject?: Subject | undefined;
  rankBy?: string | undefined;
  order?: 'asc' | 'desc' | undefined;
  limit?: number | undefined;
  gpuUsdPerHour?: number | undefined;
  /** A formula, or a group of formulas. */
  definition?: string | undefined;
  /** Whether the count of excluded points is exact. */
  countsAll: boolean;
  /** Whether entries have all fields. */
  isFull: boolean;
  /** Filters and bounds as given in the query. */
  filters: Record<string, string[]>;
  /** Prices of GPUs and the tier of the price list, as given in the query. */
  prices: Record<string, string[]>;
}

const limitDefault = 10;

/** Number of requested entries. */
export const limitOf = ({ limit }: Asked, question: Question | null): number =>
  question?.limit ?? limit ?? limitDefault;

const FilterSchema = z.strictObject({ ...filterShape, ...boundShape });

/** The filters of the question and of the query together. */
export function joinFilters(question: Question | null, given: Record<string, string[]>): Record<string, string[]> {
  const asked = Object.entries(question === null ? {} : toParameters(question)).map(
    ([name, values]) => [name, [values].flat()] as const,
  );
  // A scenario and a workload are one filter.
  const isGiven = (name: string) =>
    Object.hasOwn(given, name) || (name === 'scenario' && Object.hasOwn(given, 'workload'));
  const twice = asked.filter(([name]) => isGiven(name));
  if (twice.length > 0) {
    const faults = twice.map(([parameter]): Fault => {
      const message = `${parameter} is given by both the question and the query.`;
      return { code: 'parameter_repeated', parameter, message, hint: 'Give it once.' };
    });
    throw new DomainError('request_invalid', 'The question and the query give the same parameter.', faults);
  }
  return { ...Object.fromEntries(asked), ...given };
}

type ReadFilters = z.output<typeof FilterSchema>;

/**
 * Parses the filters of a query.
 *
 * @throws DomainError `request_invalid` with all errors
 */
export function readFilters(texts: Record<string, string[]>): ReadFilters {
  const once = Object.entries(texts).map(([name, values]) => [name, values.length === 1 ? values[0] : values]);
  const parsed = FilterSchema.safeParse(Object.fromEntries(once));
  if (parsed.success) return parsed.data;
  const faults = toFaults(parsed.error.issues, Object.keys(FilterSchema.shape), false);
  throw new DomainError('request_invalid', 'The question has a condition that no filter can express.', faults);
}

/** The effective filters: those of the question as the grammar names them, those of the query as parsed. */
function interpret(question: Question | null, given: Record<string, string[]>, read: ReadFilters) {
  const beside = Object.entries(read).filter(([name]) => Object.hasOwn(given, name));
  return {
    filters: { ...Object.fromEntries(beside), ...question?.filters } as QuestionFilters,
    phrases: (question?.interpretation ?? []).map(({ phrase, meaning, note }) => ({
      text: phrase,
      became: meaning,
      note: note ?? null,
    })),
    kind: question?.kind ?? ('rank' as const),
    ignored: question?.ignored ?? [],
  };
}

/** What the question ranks by. */
export interface AskedRank {
  /** Null if the response chooses the metric. For cost, the metric that cost is computed from. */
  metric: Metric | null;
  order: 'asc' | 'desc' | null;
  /** Null if the question is not about cost. */
  pricing: Pricing | null;
}

async function toAskedRank(deps: Deps, question: Question | null, asked: Asked): Promise<AskedRank> {
  const name = question === null ? (asked.rankBy ?? null) : question.saysRank ? question.rankBy : null;
  const said = question?.saysRank === true ? question.order : undefined;
  const order = said ?? asked.order ?? null;
  if (name !== costName) return { metric: name === null ? null : requireMetric(name), order, pricing: null };
  const forAll = question?.price ?? asked.gpuUsdPerHour ?? null;
  const pricing = forAll === null ? { byGpu: await readPrices(deps, asked.prices) } : { forAll };
  return { metric: costRate, order: turned(order ?? 'asc'), pricing };
}

/** The metric to rank by, and the prices if the question is about cost. */
interface Ranking {
  metric: Metric;
  pricing: Pricing | null;
}

/** @param shown metrics of a short entry */
function viewBest(
  row: LeaderboardRow | ShortLeaderboardRow,
  { metric, pricing }: Ranking,
  shown: readonly [MetricName, ...MetricName[]],
  base: string,
) {
  const entry = row.isFull ? viewEntry(row, metric.name, base) : shortEntry(row, shown, base, pricing !== null);
  return { ...entry, [costName]: null, ...(pricing !== null && viewCost(pricing, row)) };
}

/**
 * The best values under the constraints, one per subject, for a question in words, in parameters, or both. The response lists the
 * interpretation in `asking`.
 *
 * @throws DomainError `query_not_understood`, `request_invalid` with all errors
 */
export async function answerBoard(deps: Deps, asked: Asked) {
  const question = asked.question ?? null;
  const texts = joinFilters(question, asked.filters);
  const read = readFilters(texts);
  const filters: Filters = toFilters(read);
  // A version without measurements is handled like any other filter without results.
  const { engine_version: version, ...named } = texts;
  const isSaid = question?.filters.engine_version !== undefined || version === undefined;
  await requireKnownValues(deps.database.db, { ...(isSaid ? named : texts), ...asked.prices });
  const ranked = await toAskedRank(deps, question, asked);
  const { metric: rankBy, order: askedOrder, pricing } = ranked;
  const price = pricing !== null && 'forAll' in pricing ? pricing.forAll : null;
  const subject = question?.subject ?? asked.subject ?? 'system';
  const limit = limitOf(asked, question);
  const definition = asked.definition ?? null;
  // A system without output has no cost per token, at any price.
  const bounds =
    price === null || rankBy === null ? [] : [{ metric: rankBy.name, side: 'min' as const, value: Number.MIN_VALUE }];
  const byGpu = pricing !== null && 'byGpu' in pricing ? { prices: pricing.byGpu.gpus } : {};
  const wanted = { ...filters, ...byGpu, bounds: [...filters.bounds, ...bounds] };
  const db = poolFor(deps.database, { metrics: rankBy === null ? [] : [rankBy], filters: wanted });
  const dimensions = [subject];
  const { answer, account } = await askWithinAccount(db, { filters: wanted, dimensions }, async (within) => {
    const resolved = await resolveRank(db, { rankBy, filters: within, dimensions, purpose: 'question' });
    const order = askedOrder ?? betterOrder(resolved.rankBy);
    const board = await listLeaderboard(db, {
      ...resolved,
      order,
      definition,
      limit,
      after: null,
      subject,
      shown: asked.isFull ? null : boundedMetrics(filters),
      countsAll: asked.countsAll,
    });
    return { answer: { resolved, order, board }, isEmpty: board.rows.length === 0 };
  });
  const { resolved, order, board } = answer;
  const { rankBy: metric, choice } = resolved;
  const ranking = { metric, pricing };
  const shown = [metric.name, ...boundedMetrics(filters)] as const;
  const name = pricing === null ? metric.name : costName;
  const words = [
    ...Object.entries(texts).flatMap(([key, values]) => values.map((value): [string, string] => [key, value])),
    ...(definition === null ? [] : [['definition', definition] as [string, string]]),
  ];
  const shownOrder = pricing === null ? order : turned(order);
  const ranks = { subject, rank_by: name, order: shownOrder };
  const own = new URLSearchParams([
    ['subject', subject],
    ...(rankBy === null ? [] : [['rank_by', name] as [string, string]]),
    ...(askedOrder === null ? [] : [['order', shownOrder] as [string, string]]),
    ...words,
    ['limit', String(limit)],
  ]);
  if (price !== null) own.set('gpu_usd_per_hour', String(price));
  const stated = Object.entries(asked.prices).flatMap(([key, values]) =>
    values.map((value): [string, string] => [key, value]),
  );
  for (const [key, value] of price === null ? stated : []) own.append(key, value);
  const base = `${deps.publicUrl}/v1/best`;
  const self = `${base}?${own}`;
  const workload = board.workload && { ...board.workload, ...resolved.workload };
  // The leaderboard of the same subjects. The link names the values that the response chose.
  const boardRank: [string, string][] =
    price === null
      ? [['rank_by', name], ['order', shownOrder], ...stated]
      : // A leaderboard needs a price per GPU. With one price for all GPUs it ranks by the rate instead.
        [
          ['rank_by', metric.name],
          ['order', order],
        ];
  const chosen = new URLSearchParams([
    ...boardRank,
    ...words.filter(([key]) => key !== 'workload' && !workloadNames.some((other) => other === key)),
    ...(workload === null
      ? words.filter(([key]) => key === 'workload')
      : [['workload', workload.id] as [string, string]]),
    ...(account === null ? [] : [['account', account.id] as [string, string]]),
  ]);
  const shorten = asked.isFull ? <T>(one: T) => one : shortChoice;
  const rankChoice = shorten(
    viewRankChoice(choice, otherwise(base, own, 'rank_by', ['order', 'gpu_usd_per_hour']), resolved.workload),
  );
  const interpreted = interpret(question, asked.filters, read);
  const phrases = interpreted.phrases.map((phrase) =>
    question !== null && !question.saysRank && phrase.became.startsWith('rank_by=')
      ? { ...phrase, became: `rank_by=${metric.name}, order=${order}` }
      : phrase,
  );
  return {
    asking: { subject, ranked, name, limit, texts, filters: interpreted.filters },
    q: asked.q ?? null,
    says: null as string | null,
    interpretation: { ...ranks, alternatives: rankChoice.others, limit, ...interpreted, phrases },
    url: self,
    ...ranks,
    unit: pricing === null ? metric.family.unit : costUnit,
    rank_by_choice: rankChoice,
    workload: shorten(viewWorkloadChoice(workload, otherwise(base, own, 'workload', workloadNames), filters)),
    definition: shorten(
      viewDefinitionChoice(board.definition, otherwise(base, own, 'definition'), definition !== null),
    ),
    account: viewComparedAccount(account),
    gpu_usd_per_hour: price,
    ...viewPrices(
      pricing,
      board.rows.map(({ system }) => system),
    ),
    data: board.rows.map((row) => viewBest(row, ranking, shown, deps.publicUrl)),
    excluded: board.excluded,
    excluded_at_least: board.isExcludedAtLeast,
    imported: board.imported,
    imported_at_least: board.isImportedAtLeast,
    next_cursor: null,
    links: {
      self,
      leaderboard: `${deps.publicUrl}/v1/leaderboard?${chosen}`,
      page: `${deps.publicUrl}/?${chosen}`,
    },
  };
}
