import type { Api, Best, Problem } from '../../../lib/api.ts';
import { type BoardQuery, boardApiQuery, isQuestion, readBoardQuery } from './board-query.ts';
import { type BoardData, boardData, questionData } from './board-view.ts';

/** The API's response for a page's URL. */
export interface BoardReading {
  data: BoardData | null;
  problem: Problem | null;
  /** The same view in parameters; for a question in words, its interpretation. */
  resolved: BoardQuery;
  phrases: Best['interpretation']['phrases'];
  /** Why a question has no answer, with the closest ones; null for boards and questions with an answer. */
  unanswered: Unanswered | null;
  /** Other data of the answer to a question in words; null for boards. */
  questionAnswer: QuestionAnswer | null;
}

/** The answer to a question in addition to its board. */
export interface QuestionAnswer extends Pick<Best, 'says' | 'comparison' | 'fit' | 'capacity'> {
  ignored: Best['interpretation']['ignored'];
}

/** The heading of the board below a list of what fits. Without a named GPU, the board has the GPUs with the stated memory. */
export const measuredHeading = ({ memory_gb, gpu }: NonNullable<QuestionAnswer['fit']>): string =>
  memory_gb === null || gpu !== null ? 'Measured results' : `Measured on GPUs with ${memory_gb} GB of memory`;

export type Unanswered = NonNullable<Best['unanswered']>;

/** A question's parameters from the API, limited to those that its words name. */
function resolve(query: BoardQuery, answer: Best): BoardQuery {
  const named = readBoardQuery(new URL(answer.links.self).searchParams);
  const says = (name: string) => answer.interpretation.phrases.some(({ became }) => became.includes(`${name}=`));
  return { ...named, limit: says('limit') ? named.limit : null, sort: query.sort, x: query.x };
}

const toQuestionAnswer = ({ says, comparison, fit, capacity, interpretation }: Best): QuestionAnswer => ({
  ...{ says, comparison, fit, capacity },
  ignored: interpretation.ignored,
});

/**
 * Sends the query of a page's URL to the API.
 *
 * @param rowsMax maximum number of rows of a board, if lower than the URL's; not used for questions
 */
export async function readBoard(api: Api, query: BoardQuery, rowsMax: number | null = null): Promise<BoardReading> {
  if (!isQuestion(query)) {
    const asked = boardApiQuery(query);
    if (rowsMax !== null) asked.limit = [String(rowsMax)];
    const { data, problem } = await api.getLeaderboard(asked);
    return {
      data: data && boardData(data),
      problem,
      resolved: query,
      phrases: [],
      unanswered: null,
      questionAnswer: null,
    };
  }
  const { data, problem } = await api.getBest(boardApiQuery(query));
  if (data === null)
    return { data: null, problem, resolved: query, phrases: [], unanswered: null, questionAnswer: null };
  return {
    data: questionData(data),
    problem: null,
    resolved: query.asked === null ? query : resolve(query, data),
    phrases: data.interpretation.phrases,
    unanswered: data.unanswered ?? null,
    questionAnswer: query.asked === null ? null : toQuestionAnswer(data),
  };
}
