import { toFilters } from '@inferboard/core/filters/parameters';
import type { Question, QuestionFilters } from '@inferboard/core/questions/index';
import { listLeaderboard } from '@inferboard/db/boards/lists/leaderboard-list';
import { poolFor } from '@inferboard/db/boards/pool';
import { requireMetric } from '../boards/resolve-rank.ts';
import type { Deps } from '../deps.ts';
import { costName, costRate, readPrices } from '../prices/requested-prices.ts';
import { type Asked, type answerBoard, joinFilters, readFilters } from './answer-board.ts';

type Answer = Omit<Awaited<ReturnType<typeof answerBoard>>, 'asking'>;

/** Counts the points of an answer's board, at any price, whose GPU has no price. */
async function countUnpriced(deps: Deps, asked: Asked, question: Question, answer: Answer): Promise<number> {
  const texts = joinFilters(question, asked.filters);
  const { scenario: _, ...others } = texts;
  const within = answer.workload === null ? texts : { ...others, workload: [answer.workload.id] };
  const { gpus: prices } = await readPrices(deps, asked.prices);
  const filters = { ...toFilters(readFilters(within)), prices };
  const rankBy = answer.rank_by === costName ? costRate : requireMetric(answer.rank_by);
  const { excluded } = await listLeaderboard(poolFor(deps.database, { metrics: [rankBy], filters }), {
    ...{ rankBy, order: answer.order, filters, subject: question.subject, definition: asked.definition ?? null },
    ...{ limit: 1, after: null, shown: [], countsAll: asked.countsAll },
  });
  return excluded.unpriced_gpu ?? 0;
}

/**
 * The answer to a question with a limit on the price, with the number of points that were left out because their GPU has no price.
 *
 * @param atAnyPrice the filters without the limit
 */
export async function withUnpriced<A extends Answer>(
  deps: Deps,
  asked: Asked,
  { question, atAnyPrice }: { question: Question; atAnyPrice: QuestionFilters },
  answer: A,
): Promise<A> {
  const count = await countUnpriced(deps, asked, { ...question, filters: atAnyPrice }, answer);
  return count === 0 ? answer : { ...answer, excluded: { ...answer.excluded, unpriced_gpu: count } };
}
