import { DomainError, type Fault } from '@inferboard/core/errors';
import type { Filters } from '@inferboard/core/filters/filters';
import { boundShape, filterShape, toFilters } from '@inferboard/core/filters/parameters';
import { findMetric, type Metric } from '@inferboard/core/metrics/index';
import {
  defaultRank,
  parseQuestion,
  type Question,
  type QuestionFilters,
  type Subject,
  toParameters,
} from '@inferboard/core/questions/index';
import { usdPerMtokOutput } from '@inferboard/core/series/cost';
import { type LeaderboardRow, listLeaderboard } from '@inferboard/db/queries/leaderboard-list';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { requireKnownValues } from '../known-values.ts';
import { toFaults } from '../refuse.ts';
import { viewEntry } from '../views.ts';

/** What is asked, in words or in parameters; where both say something of it, that is refused. */
export interface Asked {
  q?: string | undefined;
  subject?: Subject | undefined;
  rankBy?: string | undefined;
  order?: 'asc' | 'desc' | undefined;
  limit?: number | undefined;
  gpuUsdPerHour?: number | undefined;
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

interface Ranking {
  /** What the answer says it is ranked by. */
  name: string;
  /** The metric that ranks; for cost the one that it follows from. */
  metric: Metric;
  order: 'asc' | 'desc';
  /** Dollars per GPU-hour, where it is about cost. */
  price: number | null;
}

function toRanking(question: Question | null, asked: Asked): Ranking {
  const name = question?.rankBy ?? asked.rankBy ?? defaultRank;
  const price = question?.price ?? asked.gpuUsdPerHour ?? null;
  if (name === costName) {
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
    const metric = findMetric(defaultRank);
    if (metric === null) throw new Error(`there is no ${defaultRank}`);
    // The same price for every GPU: whichever puts out more tokens per GPU is cheaper.
    return { name, metric, order: (question?.order ?? asked.order) === 'desc' ? 'asc' : 'desc', price };
  }
  const metric = findMetric(name);
  if (metric === null) throw new Error(`${name} is ranked by and is no metric`);
  const better = metric.family.direction === 'lower' ? 'asc' : 'desc';
  return { name: metric.name, metric, order: question?.order ?? asked.order ?? better, price: null };
}

function viewBest(row: LeaderboardRow, { metric, price }: Ranking, base: string) {
  const entry = viewEntry(row, metric.name, base);
  const cost = price === null ? null : usdPerMtokOutput({ usdPerGpuHour: price, gpuCount: 1, outputTokS: row.value });
  return { ...entry, value: cost ?? entry.value, usd_per_mtok_output: cost };
}

/**
 * The best of a subject under the constraints, each subject once: a question in words, in parameters, or both.
 *
 * @throws DomainError `query_not_understood`, `price_needed`, `request_invalid` with every fault
 */
export async function answerQuestion(deps: Deps, asked: Asked) {
  const { db } = deps.database;
  const question =
    asked.q === undefined ? null : parseQuestion(asked.q, { gpuUsdPerHour: asked.gpuUsdPerHour ?? null });
  const texts = joinFilters(question, asked.filters);
  const read = readFilters(texts);
  const filters: Filters = toFilters(read);
  await requireKnownValues(db, texts);
  const ranking = toRanking(question, asked);
  const subject = question?.subject ?? asked.subject ?? 'system';
  const limit = question?.limit ?? asked.limit ?? limitDefault;
  const { metric, order, price } = ranking;
  // What puts out nothing has no cost per token, however little it costs.
  const bounds = price === null ? [] : [{ metric: metric.name, side: 'min' as const, value: Number.MIN_VALUE }];
  const ranked = { ...filters, bounds: [...filters.bounds, ...bounds] };
  const board = await listLeaderboard(db, { rankBy: metric, order, filters: ranked, limit, after: null, subject });
  const words = Object.entries(texts).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const boardWords = new URLSearchParams([['rank_by', metric.name], ['order', order], ...words]);
  const shownOrder = price === null ? order : order === 'desc' ? 'asc' : 'desc';
  const own = new URLSearchParams([
    ['subject', subject],
    ['rank_by', ranking.name],
    ['order', shownOrder],
    ...words,
    ['limit', String(limit)],
  ]);
  if (price !== null) own.set('gpu_usd_per_hour', String(price));
  const self = `${deps.publicUrl}/v1/best?${own}`;
  const asking = { subject, rank_by: ranking.name, order: shownOrder };
  return {
    q: asked.q ?? null,
    interpretation: { ...asking, limit, ...interpret(question, asked.filters, read) },
    url: self,
    ...asking,
    unit: price === null ? metric.family.unit : 'USD/Mtok',
    definition: board.definitionGroup,
    gpu_usd_per_hour: price,
    data: board.rows.map((row) => viewBest(row, ranking, deps.publicUrl)),
    excluded: board.excluded,
    next_cursor: null,
    links: {
      self,
      leaderboard: `${deps.publicUrl}/v1/leaderboard?${boardWords}`,
      page: `${deps.publicUrl}/?${boardWords}`,
    },
  };
}
