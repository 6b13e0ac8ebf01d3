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
  titleInWords,
} from '@inferboard/core/questions/nearest';
import { answerExists } from '@inferboard/db/submissions/answer-exists';
import type { Deps } from '../deps.ts';

/** A question without a result. */
export interface Unanswered {
  subject: Subject;
  /** Null where the question names no metric. */
  rankBy: Metric | null;
  /** Filters as text, by parameter name, as the question gives them. */
  filters: QuestionFilters;
  texts: Record<string, string[]>;
  toFilters: (texts: Record<string, string[]>) => Filters;
}

/** A set of conditions that no result meets. */
export interface Missing {
  parameters: string[];
  message: string;
}

/** The same question with fewer filters, which has a result. */
export interface NearestQuestion {
  /** Dropped parameters, including `rank_by`. */
  without: string[];
  /** The dropped parameters in words: "at concurrency 64". */
  leftOut: string;
  texts: Record<string, string[]>;
  filters: QuestionFilters;
  /** Whether all remaining filters can be written in words. */
  isSpoken: boolean;
  /** The metric of a dropped bound. The response uses it to show how close the best value comes. */
  bounded: Metric | null;
}

/** Maximum number of questions to offer, and of points to search. */
const offeredMax = 3;
const lookedMax = 24;
/** Searches beyond `lookedMax` with few conditions, and then without the model, if nothing was found. */
const moreLooks = 4;
/** Subsets of more conditions than this are too many to check. */
const partsMax = 10;

const omit = <T>(of: Record<string, T>, names: readonly string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(of).filter(([name]) => !names.includes(name)));
const isWithin = (some: readonly string[], all: readonly string[]) => some.every((name) => all.includes(name));

function toNearest({ filters, texts, rankBy }: Unanswered, without: string[]): NearestQuestion {
  const left = Object.fromEntries(Object.entries(filters).filter(([name]) => without.includes(name)));
  const rank = without.includes('rank_by') ? [`by ${(rankBy && titleInWords(rankBy.name)) ?? 'cost'}`] : [];
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
 * Finds why a question has no result, and the closest questions that have one: with the same model if there are any,
 * then with the fewest conditions dropped, and first those that change the question least.
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
  const search = async (sets: readonly Part[][], most: number) => {
    for (const left of sets) {
      if (nearest.length === offeredMax || looked >= most) break;
      if (left.length > (fewest ?? left.length)) continue;
      const kept = names.filter((name) => !left.some((part) => part.includes(name)));
      if (isCovered(left) || isKnown(kept) || isWithin(kept, rankPart) || !(await isThere(kept))) continue;
      fewest = Math.min(fewest ?? left.length, left.length);
      nearest.push(toNearest(asked, [...new Set(left.flat())]));
    }
  };
  const { kept, dropped } = partsAway(parts);
  await search(kept, lookedMax);
  // Many conditions have more sets than can be searched. The last ones keep the model and little else.
  if (nearest.length === 0) await search(kept.toReversed(), looked + moreLooks);
  await search(dropped, nearest.length === 0 ? looked + moreLooks : lookedMax);
  return { missing: missing.map((parameters) => describe(asked, parameters)), nearest };
}

function describe({ filters: all, rankBy }: Unanswered, parameters: string[]): Missing {
  const filters = Object.fromEntries(Object.entries(all).filter(([name]) => parameters.includes(name)));
  const ranked = isWithin(rankPart, parameters) ? (rankBy?.name ?? null) : null;
  return { parameters, message: describeMissing(filters, ranked, rankBy?.family.kind) };
}

/** Whether one of the conditions depends on another, such as the GPU count on the GPU. */
const isCovered = (parts: readonly Part[]) =>
  parts.some((part) => parts.some((other) => other !== part && isWithin(part, other)));

const isModel = (part: Part) => part.includes('model') || part.includes('model_family');

/**
 * Sets of conditions to drop, the smallest first: those that keep the model, and the others, because figures of another model
 * rarely help. Never all conditions: the ranked metric alone is not close to a question.
 */
function partsAway(parts: readonly Part[]): { kept: Part[][]; dropped: Part[][] } {
  const sets = parts.slice(1).flatMap((_, at) => setsOf(parts, at + 1));
  const { kept = [], dropped = [] } = Object.groupBy(sets, (set) => (set.some(isModel) ? 'dropped' : 'kept'));
  return { kept, dropped };
}
