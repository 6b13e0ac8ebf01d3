import { DomainError, type Fault } from '@inferboard/core/errors';
import { matchGpus } from '@inferboard/core/filters/filters';
import { isSameMatch, nameOfMatch } from '@inferboard/core/prices/price-list';
import { offersFor, parseQuestion, type Question, type QuestionFilters } from '@inferboard/core/questions/index';
import type { Deps } from '../deps.ts';
import { readPrices } from '../prices/requested-prices.ts';
import { type Asked, answerBoard } from './answer-board.ts';
import { withLaterReleases } from './later-releases.ts';

/** Whether the meaning of a question depends on the current day. Responses to such questions are not cached. */
export function isOfToday(q: string | undefined, today: string): boolean {
  if (q === undefined) return false;
  const read = (day: string | null) => {
    try {
      return JSON.stringify(parseQuestion(q, { today: day }).filters);
    } catch (error) {
      if (error instanceof DomainError) return null;
      throw error;
    }
  };
  return read(today) !== read(null);
}

interface ReadQuestion extends Question {
  /** The filters without the limit on the price of a GPU, if the question has one. */
  atAnyPrice?: QuestionFilters;
}

const unmet = (message: string) =>
  new DomainError('query_not_understood', message, [
    { code: 'price_unmet', message, parameter: 'q', hint: 'Raise the limit, or give your own prices with prices=.' },
  ]);

/** Replaces "under $2 an hour" by the GPUs in that range at the current prices. */
async function withPrices(deps: Deps, question: Question, asked: Asked): Promise<ReadQuestion> {
  const { max_gpu_usd_per_hour: most, ...filters } = question.filters;
  if (typeof most !== 'number') return question;
  const { list, tier, gpus } = await readPrices(deps, asked.prices);
  const cheap = gpus.filter(({ usdPerHour }) => usdPerHour <= most);
  const named = [filters.gpu ?? []].flat().map(String);
  const isOf = (one: string, priced: (typeof cheap)[number]) =>
    matchGpus(one).some((match) => isSameMatch(match, priced.match));
  const found =
    named.length === 0
      ? cheap.map(({ match }) => nameOfMatch(match))
      : [
          ...named.filter((one) => cheap.some((priced) => isOf(one, priced) && matchGpus(one).length === 1)),
          ...cheap
            .filter((priced) => named.some((one) => matchGpus(one).length > 1 && isOf(one, priced)))
            .map(({ gpu }) => gpu),
        ];
  const sides = question.compared.map(({ gpu }) => [gpu ?? []].flat().map(String));
  const dear = sides.filter(
    (side) => side.length > 0 && !side.some((one) => cheap.some((priced) => isOf(one, priced))),
  );
  const within = `at most $${most} per hour in the list of ${list.asOf} (${tier}).`;
  if (dear.length > 0)
    throw unmet(`No price of ${dear.map((side) => `"${side.join(' or ')}"`).join(' and ')} is ${within}`);
  if (found.length === 0) throw unmet(`No requested GPU costs ${within}`);
  const note = `at most $${most} per GPU-hour: ${tier} prices of ${list.asOf}, without GPUs that have no price`;
  const interpretation = question.interpretation.map((each) =>
    each.meaning === `max_gpu_usd_per_hour=${most}` ? { ...each, meaning: `gpu=${found.join(',')}`, note } : each,
  );
  return { ...question, filters: { ...filters, gpu: [...new Set(found)] }, interpretation, atAnyPrice: filters };
}

/** The closest question with a result to one that was refused, as an error that offers it; empty if there is none. */
async function offerInstead(deps: Deps, asked: Asked, today: string): Promise<Fault[]> {
  for (const q of offersFor(asked.q ?? '', { today })) {
    try {
      const question = await withPrices(deps, parseQuestion(q, { today }), asked);
      const plain = { ...asked, q, question, filters: {}, isFull: false, countsAll: false };
      const hasFit = question.kind === 'fit';
      const { data } = await answerBoard(deps, plain);
      if (data.length === 0 && !hasFit) continue;
      const message = `Supported question: ${q}`;
      return [{ code: 'question_offered', message, hint: `Ask "${q}".`, parameter: 'q' }];
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
    }
  }
  return [];
}

/**
 * Parses the question in words as of a given day.
 *
 * @throws DomainError `query_not_understood` with an error for each phrase that was not understood, and the closest question that
 *   has a result
 */
export async function readQuestion(deps: Deps, asked: Asked, today: string): Promise<ReadQuestion | null> {
  if (asked.q === undefined) return null;
  try {
    const read = parseQuestion(asked.q, { gpuUsdPerHour: asked.gpuUsdPerHour ?? null, today });
    return await withLaterReleases(deps, asked, await withPrices(deps, read, asked));
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'query_not_understood') throw error;
    const offered = await offerInstead(deps, asked, today);
    throw new DomainError('query_not_understood', error.message, [...error.faults, ...offered]);
  }
}
