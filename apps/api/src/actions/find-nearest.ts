import type { Filters } from '@inferboard/core/filters/filters';
import { findMetric, type Metric } from '@inferboard/core/metrics/index';
import type { QuestionFilters, Subject } from '@inferboard/core/questions/index';
import {
  canSay,
  describeFilters,
  describeMissing,
  type Part,
  partsOf,
  rankPart,
  setsOf,
} from '@inferboard/core/questions/nearest';
import { answerExists } from '@inferboard/db/queries/answer-exists';
import type { Deps } from '../deps.ts';

/** A question that has no answer. */
export interface Unanswered {
  subject: Subject;
  /** Null where the question names no metric. */
  rankBy: Metric | null;
  /** As the question says them, by the name of their parameter, and as text. */
  filters: QuestionFilters;
  texts: Record<string, string[]>;
  toFilters: (texts: Record<string, string[]>) => Filters;
}

/** A set of parts of the question that no result meets. */
export interface Missing {
  parameters: string[];
  message: string;
}

/** The same question with fewer filters, which has an answer. */
export interface NearestQuestion {
  /** Parameters that are left out, `rank_by` among them. */
  without: string[];
  /** The same in words: "at concurrency 64". */
  leftOut: string;
  texts: Record<string, string[]>;
  filters: QuestionFilters;
  /** Whether words can say all filters that are left. */
  isSpoken: boolean;
  /** The metric of a bound that is left out: by it the answer shows how close the best comes. */
  bounded: Metric | null;
}

/** Questions that are offered at most, and points that are looked for at most. */
const offeredMax = 3;
const lookedMax = 24;
/** The sets of more parts than this are too many to look at. */
const partsMax = 10;

const omit = <T>(of: Record<string, T>, names: readonly string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(of).filter(([name]) => !names.includes(name)));
const isWithin = (some: readonly string[], all: readonly string[]) => some.every((name) => all.includes(name));

function toNearest({ filters, texts, rankBy }: Unanswered, without: string[]): NearestQuestion {
  const left = Object.fromEntries(Object.entries(filters).filter(([name]) => without.includes(name)));
  const rank = without.includes('rank_by') ? [`by ${rankBy?.title ?? 'cost'}`] : [];
  const bounds = without.map((name) => findMetric(name.replace(/^(?:min|max)_/u, ''))).filter((one) => one !== null);
  const kept = omit(filters, without);
  return {
    without,
    leftOut: [describeFilters(left), ...rank].filter((words) => words !== '').join(' '),
    texts: omit(texts, without),
    filters: kept,
    isSpoken: canSay(kept),
    bounded: bounds.length === 1 && rankBy === null ? (bounds[0] ?? null) : null,
  };
}

/**
 * Why a question has no answer, and the closest ones that have: with as few parts left out as possible, those first that
 * change the question least.
 */
export async function findNearest(
  { database }: Pick<Deps, 'database'>,
  asked: Unanswered,
): Promise<{ missing: Missing[]; nearest: NearestQuestion[] }> {
  const parts = partsOf(asked.filters, asked.rankBy !== null);
  const names = [...new Set(parts.flat())];
  if (parts.length > partsMax) return { missing: [describe(asked, names)], nearest: [] };
  let looked = 0;
  const isThere = (kept: readonly string[]) => {
    looked++;
    const filters = asked.toFilters(
      omit(
        asked.texts,
        names.filter((name) => !kept.includes(name)),
      ),
    );
    const rankBy = isWithin(rankPart, kept) ? asked.rankBy : null;
    const kind = asked.rankBy?.family.kind ?? 'serving';
    return answerExists(database.reads.db, { kind, rankBy, filters, subject: asked.subject });
  };
  const missing: string[][] = [];
  const isKnown = (kept: readonly string[]) => missing.some((some) => isWithin(some, kept));
  for (const set of [...setsOf(parts, 1), ...setsOf(parts, 2)].map((each) => [...new Set(each.flat())]))
    if (!isKnown(set) && looked < lookedMax / 2 && !(await isThere(set))) missing.push(set);
  if (missing.length === 0) missing.push(names);

  const nearest: NearestQuestion[] = [];
  let fewest: number | null = null;
  for (const left of partsAway(parts)) {
    if (nearest.length === offeredMax || looked >= lookedMax || left.length > (fewest ?? left.length)) break;
    const kept = names.filter((name) => !left.some((part) => part.includes(name)));
    if (isCovered(left) || isKnown(kept) || !(await isThere(kept))) continue;
    fewest = left.length;
    nearest.push(toNearest(asked, [...new Set(left.flat())]));
  }
  return { missing: missing.map((parameters) => describe(asked, parameters)), nearest };
}

function describe({ filters: all, rankBy }: Unanswered, parameters: string[]): Missing {
  const filters = Object.fromEntries(Object.entries(all).filter(([name]) => parameters.includes(name)));
  const ranked = isWithin(rankPart, parameters) ? (rankBy?.name ?? null) : null;
  return { parameters, message: describeMissing(filters, ranked) };
}

/** Whether one of the parts is inside another: the count of GPUs beside the GPU. */
const isCovered = (parts: readonly Part[]) =>
  parts.some((part) => parts.some((other) => other !== part && isWithin(part, other)));

/** Sets of parts that can be left out, the smallest first; not all parts. */
const partsAway = (parts: readonly Part[]) => parts.slice(1).flatMap((_, at) => setsOf(parts, at + 1));
