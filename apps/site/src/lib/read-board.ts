import type { Api, Best, Problem } from './api.ts';
import { type BoardQuery, boardApiQuery, isQuestion, readBoardQuery } from './board-query.ts';
import { type BoardData, boardData, questionData } from './board-view.ts';

/** What the API says to a page's address. */
export interface BoardReading {
  data: BoardData | null;
  problem: Problem | null;
  /** The same view asked in parameters; of a question in words what it became. */
  resolved: BoardQuery;
  phrases: Best['interpretation']['phrases'];
  /** Why a question has no answer, and what comes closest; null where it has one, and of boards. */
  unanswered: Unanswered | null;
}

export type Unanswered = NonNullable<Best['unanswered']>;

/** A question's parameters as the API tells them; only what its words name counts as asked. */
function resolve(query: BoardQuery, answer: Best): BoardQuery {
  const told = readBoardQuery(new URL(answer.links.self).searchParams);
  const says = (name: string) => answer.interpretation.phrases.some(({ became }) => became.includes(`${name}=`));
  return { ...told, limit: says('limit') ? told.limit : null, sort: query.sort, x: query.x };
}

/**
 * Asks the API what a page's address asks.
 *
 * @param rowsMax rows of a board that is no question, if the page shows fewer than its address says
 */
export async function readBoard(api: Api, query: BoardQuery, rowsMax: number | null = null): Promise<BoardReading> {
  if (!isQuestion(query)) {
    const asked = boardApiQuery(query);
    if (rowsMax !== null) asked.limit = [String(rowsMax)];
    const { data, problem } = await api.getLeaderboard(asked);
    return { data: data && boardData(data), problem, resolved: query, phrases: [], unanswered: null };
  }
  const { data, problem } = await api.getBest(boardApiQuery(query));
  if (data === null) return { data: null, problem, resolved: query, phrases: [], unanswered: null };
  return {
    data: questionData(data),
    problem: null,
    resolved: query.asked === null ? query : resolve(query, data),
    phrases: data.interpretation.phrases,
    unanswered: data.unanswered ?? null,
  };
}
