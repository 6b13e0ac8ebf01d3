import type { MetricName } from '../metrics/index.ts';

/** What an answer lists. */
export const subjects = ['model', 'gpu', 'quantization', 'engine', 'system'] as const;
export type Subject = (typeof subjects)[number];

/** What an answer is ranked by: a metric of the results, or their cost at a price per GPU-hour. */
export type RankName = MetricName | 'usd_per_mtok_output';
export type Order = 'asc' | 'desc';

/** Read filters by the name of their query parameter; those that may be given once hold one value. */
export type QuestionFilters = Record<string, string | number | (string | number)[]>;

/** A phrase of the question, as written, and what it became: "max_itl_ms_mean=20". */
export interface Interpretation {
  phrase: string;
  meaning: string;
}

/** A question over the leaderboard, in the words of its parameters. */
export interface Question {
  subject: Subject;
  rankBy: RankName;
  /** False where the words name no metric: then `rankBy` is only what is tried first. */
  saysRank: boolean;
  order: Order;
  filters: QuestionFilters;
  /** Entries asked for; null where the question names no number. */
  limit: number | null;
  /** One price for all GPUs, in dollars per GPU-hour; null where the question states none. */
  price: number | null;
  /** In the order of the words. */
  interpretation: Interpretation[];
}

/** What is tried first where a question says only "best", or nothing; cost follows from it too. */
export const defaultRank = 'output_tok_s_per_gpu';

/** Entries a question may ask for. */
export const limitMax = 100;
