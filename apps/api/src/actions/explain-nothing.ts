import { toFilters } from '@inferboard/core/filters/parameters';
import { type Question, toWords } from '@inferboard/core/questions/index';
import type { Deps } from '../deps.ts';
import { type Asked, answerBoard, readFilters } from './answer-question.ts';
import { findNearest } from './find-nearest.ts';
import { turned } from './settle-board.ts';

/** Other workloads that are looked at for the value closest to a bound. */
const workloadsMax = 5;

/** The answer by a metric in the workload where its best value is, of those that a short answer names. */
async function answerClosest(deps: Deps, asked: Asked) {
  const first = await answerBoard(deps, asked);
  const others = first.workload?.others.slice(0, workloadsMax) ?? [];
  const all = await Promise.all(
    others.map(({ id }) => answerBoard(deps, { ...asked, filters: { ...asked.filters, workload: [id] } })),
  );
  const worth = ({ order, data: [best] }: typeof first) =>
    best === undefined ? Number.NEGATIVE_INFINITY : order === 'asc' ? -best.value : best.value;
  return all.reduce((best, one) => (worth(one) > worth(best) ? one : best), first);
}

/** Why nothing answers, and the closest questions that have answers, each with its best. */
async function explainNothing(deps: Deps, asked: Asked, asking: Awaited<ReturnType<typeof answerBoard>>['asking']) {
  const { subject, ranked, name, limit, texts, filters } = asking;
  const toOwnFilters = (given: Record<string, string[]>) => toFilters(readFilters(given));
  const { metric: rankBy } = ranked;
  const found = await findNearest(deps, { subject, rankBy, filters, texts, toFilters: toOwnFilters });
  const { q: _, ...plain } = asked;
  const nearest = await Promise.all(
    found.nearest.map(async ({ without, leftOut, bounded, isSpoken, ...rest }) => {
      const isRanked = rankBy !== null && !without.includes('rank_by');
      const order =
        isRanked && ranked.order !== null ? { order: ranked.pricing ? turned(ranked.order) : ranked.order } : {};
      const rank = isRanked ? { rankBy: name, ...order } : { rankBy: undefined, order: undefined };
      const less = { ...plain, ...rank, subject, limit, filters: rest.texts };
      const close = bounded === null ? null : await answerClosest(deps, { ...less, rankBy: bounded.name });
      const answer = close === null || close.data.length === 0 ? await answerBoard(deps, less) : close;
      const { rank_by, unit, workload, url, links } = answer;
      const words = { subject, rankBy: rank_by as Question['rankBy'], saysRank: isRanked || answer === close };
      const shown = { order: answer.order, limit: null, price: null };
      const [best] = answer.data;
      if (best === undefined) return [];
      const one = {
        ...{ without, left_out: leftOut },
        q: isSpoken ? toWords({ ...words, ...shown, filters: rest.filters }) : null,
        ...{ rank_by, order: answer.order, unit, workload: workload?.id ?? null, url, page: links.page },
        best,
      };
      return [one];
    }),
  );
  return { missing: found.missing, nearest: nearest.flat() };
}

/**
 * The best of a subject under the constraints, each subject once: a question in words, in parameters, or both. Where nothing
 * answers, why, and what comes closest.
 *
 * @throws DomainError `query_not_understood`, `request_invalid` with every fault
 */
export async function answerQuestion(deps: Deps, asked: Asked) {
  const { asking, ...answer } = await answerBoard(deps, asked);
  if (answer.data.length > 0) return answer;
  return { ...answer, unanswered: await explainNothing(deps, asked, asking) };
}
