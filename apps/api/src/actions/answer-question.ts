import { DomainError, type Fault } from '@inferboard/core/errors';
import type { Filters } from '@inferboard/core/filters/filters';
import { boundShape, filterShape, toFilters } from '@inferboard/core/filters/parameters';
import { findMetric, type Metric, type MetricName } from '@inferboard/core/metrics/index';
import {
  defaultRank,
  parseQuestion,
  type Question,
  type QuestionFilters,
  type Subject,
  toParameters,
} from '@inferboard/core/questions/index';
import { usdPerMtokOutput } from '@inferboard/core/series/cost';
import type { LeaderboardRow } from '@inferboard/db/queries/leaderboard-entries';
import { listLeaderboard } from '@inferboard/db/queries/leaderboard-list';
import { z } from 'zod';
import { otherwise, viewDefinitionChoice, viewRankChoice, viewWorkloadChoice, workloadNames } from '../choice-views.ts';
import type { Deps } from '../deps.ts';
import { requireKnownValues } from '../known-values.ts';
import { toFaults } from '../refuse.ts';
import { shortChoice, shortEntry } from '../short/short-views.ts';
import { viewEntry } from '../views.ts';
import { askWithinAccount, betterOrder, settleRank, viewComparedAccount } from './settle-board.ts';

/** What is asked, in words or in parameters; where both say something of it, that is refused. */
export interface Asked {
  q?: string | undefined;
  subject?: Subject | undefined;
  rankBy?: string | undefined;
  order?: 'asc' | 'desc' | undefined;
  limit?: number | undefined;
  gpuUsdPerHour?: number | undefined;
  /** A formula, or a group of them. */
  definition?: string | undefined;
  /** Whether points left out are counted to the last. */
  countsAll: boolean;
  /** Whether the entries are answered in full. */
  isFull: boolean;
  /** Filters and bounds as they stand in the query. */
  filters: Record<string, string[]>;
}

const costName = 'usd_per_mtok_output';
const limitDefault = 10;

const FilterSchema = z.strictObject({ ...filterShape, ...boundShape });

/** Filters of the question and of the query together. */
function joinFilters(question: Question | null, given: Record<string, string[]>): Record<string, string[]> {
  const asked = Object.entries(question === null ? {} : toParameters(question)).map(
    ([name, values]) => [name, [values].flat()] as const,
  );
  const twice = asked.filter(([name]) => Object.hasOwn(given, name));
  if (twice.length > 0) {
    const faults = twice.map(([parameter]): Fault => {
      const message = `${parameter} is said by the question and by the query.`;
      return { code: 'parameter_repeated', parameter, message, hint: 'Say it once.' };
    });
    throw new DomainError('request_invalid', 'The question and the query say the same thing twice.', faults);
  }
  return { ...Object.fromEntries(asked), ...given };
}

type ReadFilters = z.output<typeof FilterSchema>;

function readFilters(texts: Record<string, string[]>): ReadFilters {
  const once = Object.entries(texts).map(([name, values]) => [name, values.length === 1 ? values[0] : values]);
  const parsed = FilterSchema.safeParse(Object.fromEntries(once));
  if (parsed.success) return parsed.data;
  const faults = toFaults(parsed.error.issues, Object.keys(FilterSchema.shape), false);
  throw new DomainError('request_invalid', 'The question asks for something that no filter can hold.', faults);
}

/** What was asked for, whichever way: the words' filters as the grammar tells them, those of the query as they were read. */
function interpret(question: Question | null, given: Record<string, string[]>, read: ReadFilters) {
  const beside = Object.entries(read).filter(([name]) => Object.hasOwn(given, name));
  return {
    filters: { ...Object.fromEntries(beside), ...question?.filters } as QuestionFilters,
    phrases: (question?.interpretation ?? []).map(({ phrase, meaning }) => ({ text: phrase, became: meaning })),
  };
}

/** What ranks, as far as the question says it. */
interface AskedRank {
  /** Null where the metric is left to the answer. For cost the one that it follows from. */
  metric: Metric | null;
  order: 'asc' | 'desc' | null;
  /** Dollars per GPU-hour, where it is about cost. */
  price: number | null;
}

function toAskedRank(question: Question | null, asked: Asked): AskedRank {
  const name = question === null ? (asked.rankBy ?? null) : question.saysRank ? question.rankBy : null;
  const said = question?.saysRank === true ? question.order : undefined;
  const order = said ?? asked.order ?? null;
  const price = question?.price ?? asked.gpuUsdPerHour ?? null;
  if (name === null) return { metric: null, order, price: null };
  if (name !== costName) return { metric: requireMetric(name), order, price: null };
  if (price === null)
    throw new DomainError(
      'price_needed',
      'Cost needs a price: add gpu_usd_per_hour=..., dollars for one GPU and hour.',
      [
        {
          code: 'price_needed',
          parameter: 'gpu_usd_per_hour',
          message: 'What one GPU costs an hour is not known here.',
        },
      ],
    );
  // The same price for every GPU: whichever puts out more tokens per GPU is cheaper.
  return { metric: requireMetric(defaultRank), order: order === 'desc' ? 'asc' : 'desc', price };
}

function requireMetric(name: string): Metric {
  const metric = findMetric(name);
  if (metric === null) throw new Error(`${name} is ranked by and is no metric`);
  return metric;
}

/** A metric that ranks, and the price of a GPU-hour where it is about cost. */
interface Ranking {
  metric: Metric;
  price: number | null;
}

/** @param shown metrics of a short entry; null of a whole one */
function viewBest(
  row: LeaderboardRow,
  { metric, price }: Ranking,
  shown: readonly [MetricName, ...MetricName[]] | null,
  base: string,
) {
  const entry = shown === null ? viewEntry(row, metric.name, base) : shortEntry(row, shown, base);
  const cost = price === null ? null : usdPerMtokOutput({ usdPerGpuHour: price, gpuCount: 1, outputTokS: row.value });
  return { ...entry, value: cost ?? entry.value, usd_per_mtok_output: cost };
}

/**
 * The best of a subject under the constraints, each subject once: a question in words, in parameters, or both.
 *
 * @throws DomainError `query_not_understood`, `price_needed`, `request_invalid` with every fault
 */
export async function answerQuestion(deps: Deps, asked: Asked) {
  const { db } = deps.database.reads;
  const question =
    asked.q === undefined ? null : parseQuestion(asked.q, { gpuUsdPerHour: asked.gpuUsdPerHour ?? null });
  const texts = joinFilters(question, asked.filters);
  const read = readFilters(texts);
  const filters: Filters = toFilters(read);
  await requireKnownValues(deps.database.db, texts);
  const { metric: rankBy, order: askedOrder, price } = toAskedRank(question, asked);
  const subject = question?.subject ?? asked.subject ?? 'system';
  const limit = question?.limit ?? asked.limit ?? limitDefault;
  const definition = asked.definition ?? null;
  // What puts out nothing has no cost per token, however little it costs.
  const bounds =
    price === null || rankBy === null ? [] : [{ metric: rankBy.name, side: 'min' as const, value: Number.MIN_VALUE }];
  const wanted = { ...filters, bounds: [...filters.bounds, ...bounds] };
  const dimensions = [subject];
  const { answer, account } = await askWithinAccount(db, { filters: wanted, dimensions }, async (within) => {
    const settled = await settleRank(db, { rankBy, filters: within, dimensions });
    const order = askedOrder ?? betterOrder(settled.rankBy);
    const board = await listLeaderboard(db, {
      ...settled,
      order,
      definition,
      limit,
      after: null,
      subject,
      shown: asked.isFull ? null : filters.bounds.map((bound) => bound.metric),
      countsAll: asked.countsAll,
    });
    return { answer: { settled, order, board }, isEmpty: board.rows.length === 0 };
  });
  const { settled, order, board } = answer;
  const { rankBy: metric, choice } = settled;
  const ranking = { metric, price };
  const shown = asked.isFull ? null : ([metric.name, ...filters.bounds.map((bound) => bound.metric)] as const);
  const name = price === null ? metric.name : costName;
  const words = [
    ...Object.entries(texts).flatMap(([key, values]) => values.map((value): [string, string] => [key, value])),
    ...(definition === null ? [] : [['definition', definition] as [string, string]]),
  ];
  const shownOrder = price === null ? order : order === 'desc' ? 'asc' : 'desc';
  const asking = { subject, rank_by: name, order: shownOrder };
  const own = new URLSearchParams([
    ['subject', subject],
    ...(rankBy === null ? [] : [['rank_by', name] as [string, string]]),
    ...(askedOrder === null ? [] : [['order', shownOrder] as [string, string]]),
    ...words,
    ['limit', String(limit)],
  ]);
  if (price !== null) own.set('gpu_usd_per_hour', String(price));
  const base = `${deps.publicUrl}/v1/best`;
  const self = `${base}?${own}`;
  const workload = board.workload && { ...board.workload, ...settled.workload };
  // The board of the same things: what the answer chose is said there.
  const chosen = new URLSearchParams([
    ['rank_by', metric.name] as [string, string],
    ['order', order],
    ...words.filter(([key]) => key !== 'workload' && !workloadNames.some((other) => other === key)),
    ...(workload === null
      ? words.filter(([key]) => key === 'workload')
      : [['workload', workload.id] as [string, string]]),
    ...(account === null ? [] : [['account', account.id] as [string, string]]),
  ]);
  const told = asked.isFull ? <T>(one: T) => one : shortChoice;
  const rankChoice = told(
    viewRankChoice(
      choice,
      otherwise(base, own, 'rank_by', ['order', 'gpu_usd_per_hour']),
      settled.workload?.systems ?? null,
    ),
  );
  const interpreted = interpret(question, asked.filters, read);
  const phrases = interpreted.phrases.map((phrase) =>
    question !== null && !question.saysRank && phrase.became.startsWith('rank_by=')
      ? { ...phrase, became: `rank_by=${metric.name}, order=${order}` }
      : phrase,
  );
  return {
    q: asked.q ?? null,
    interpretation: { ...asking, alternatives: rankChoice.others, limit, ...interpreted, phrases },
    url: self,
    ...asking,
    unit: price === null ? metric.family.unit : 'USD/Mtok',
    rank_by_choice: rankChoice,
    workload: told(viewWorkloadChoice(workload, otherwise(base, own, 'workload', workloadNames), filters)),
    definition: told(viewDefinitionChoice(board.definition, otherwise(base, own, 'definition'), definition !== null)),
    account: viewComparedAccount(account),
    gpu_usd_per_hour: price,
    data: board.rows.map((row) => viewBest(row, ranking, shown, deps.publicUrl)),
    excluded: board.excluded,
    excluded_at_least: board.isExcludedAtLeast,
    next_cursor: null,
    links: {
      self,
      leaderboard: `${deps.publicUrl}/v1/leaderboard?${chosen}`,
      page: `${deps.publicUrl}/?${chosen}`,
    },
  };
}
