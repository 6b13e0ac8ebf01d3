import type { MetricName } from '../metrics/index.ts';
import type { EnergyUnit } from './energy.ts';

/** Subjects that an answer can list. */
export const subjects = ['model', 'gpu', 'quantization', 'engine', 'system'] as const;
export type Subject = (typeof subjects)[number];

/**
 * Kinds of questions: the best entries, one figure, a comparison of two or more entries, what fits into memory, or the
 * number of users.
 */
export const questionKinds = ['rank', 'lookup', 'compare', 'fit', 'capacity'] as const;
export type QuestionKind = (typeof questionKinds)[number];

/** What an answer is ranked by: a metric of the results, or the cost at a price per GPU-hour. */
export type RankName = MetricName | 'usd_per_mtok_output';
export type Order = 'asc' | 'desc';

/** Filters by the name of their query parameter. Filters that allow one value hold a single value. */
export type QuestionFilters = Record<string, string | number | (string | number)[]>;

/** A phrase of the question, as written, and its meaning: "max_itl_ms_mean=20". */
export interface Interpretation {
  phrase: string;
  meaning: string;
  /** A note: a corrected word, or a fact without a filter. */
  note?: string;
}

/** The facts of a question about memory. */
export interface Fit {
  /** Stated memory in GB; null if the GPUs determine it, or if it is the subject of the question. */
  memoryGb: number | null;
  /** Context tokens that must also fit; null if not stated. */
  contextTokens: number | null;
}

/** A question about the leaderboard, with parameters as filters. */
export interface Question {
  kind: QuestionKind;
  subject: Subject;
  rankBy: RankName;
  /** False if the words name no metric. Then `rankBy` is only the first choice. */
  saysRank: boolean;
  order: Order;
  /** The unit of energy per token that the words name; null for all other ranks. `rankBy` is then `tok_per_joule`. */
  energyUnit: EnergyUnit | null;
  filters: QuestionFilters;
  /** Number of requested entries; null if not stated. */
  limit: number | null;
  /** One price for all GPUs, in dollars per GPU-hour; null if not stated. */
  price: number | null;
  /** The filters of each side of a comparison; `filters` apply to all sides. */
  compared: QuestionFilters[];
  /** Null if the question is not about memory. */
  fit: Fit | null;
  /** In the order of the words. */
  interpretation: Interpretation[];
  /** Ignored words: no fact of a result corresponds to them. */
  ignored: string[];
}

/** The first choice for a question with only "best" or no metric. Cost is also derived from it. */
export const defaultRank = 'output_tok_s_per_gpu';

/** Maximum entries of an answer. */
export const limitMax = 100;
