import { toFilters } from '@inferboard/core/filters/parameters';
import { type Question, type QuestionFilters, toWords } from '@inferboard/core/questions/index';
import { findNearest } from '../boards/find-nearest.ts';
import { turned } from '../boards/resolve-rank.ts';
import type { Deps } from '../deps.ts';
import { type Asked, answerBoard, readFilters } from './answer-board.ts';
import { sayEntry } from './sentences.ts';
import { isSpeed, speedNames } from './speeds.ts';

const speedReason = 'The first speed that results under these filters have.';

/** The response to a question for a speed without a metric, such as "tokens per second on a 3090": a speed, if a result has one. */
export async function answerSpeed(deps: Deps, asked: Asked) {
  const answer = await answerBoard(deps, asked);
  if (isSpeed(answer.rank_by) || answer.data.length === 0) return answer;
  for (const rankBy of speedNames) {
    const question = asked.question && { ...asked.question, saysRank: true, rankBy };
    const other = await answerBoard(deps, { ...asked, ...(question ? { question } : { rankBy }) });
    if (other.data.length > 0) return asChosen(other);
  }
  return answer;
}

/** The answer by a metric that this service chose: the question does not name it. */
function asChosen(answer: Awaited<ReturnType<typeof answerBoard>>) {
  const { rank_by: rankBy, order, interpretation, rank_by_choice: choice } = answer;
  const phrases = interpretation.phrases.map((phrase) =>
    phrase.became.startsWith('rank_by=') ? { ...phrase, became: `rank_by=${rankBy}, order=${order}` } : phrase,
  );
  return {
    ...answer,
    interpretation: { ...interpretation, phrases },
    rank_by_choice: { ...choice, chosen_because: 'most_systems' as const, reason: speedReason },
  };
}

const asksSpeed = ({ question }: Asked): boolean => question?.kind === 'lookup' && !question.saysRank;

/** Number of other workloads to search for the value closest to a bound. */
const workloadsMax = 5;

/** The response for one metric, in the workload with its best value among those that a short response names. */
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

/** Explains why there is no result, and offers the closest questions that have one, each with its best value. */
async function explainNothing(deps: Deps, asked: Asked, asking: Awaited<ReturnType<typeof answerBoard>>['asking']) {
  const { subject, ranked, name, limit, texts, filters } = asking;
  const toOwnFilters = (given: Record<string, string[]>) => toFilters(readFilters(given));
  const { metric: rankBy } = ranked;
  const found = await findNearest(deps, { subject, rankBy, filters, texts, toFilters: toOwnFilters });
  const { q: _, question: __, ...plain } = asked;
  const nearest = await Promise.all(
    found.nearest.map(async ({ without, leftOut, bounded, isSpoken, ...rest }) => {
      const isRanked = rankBy !== null && !without.includes('rank_by');
      const order =
        isRanked && ranked.order !== null ? { order: ranked.pricing ? turned(ranked.order) : ranked.order } : {};
      // A formula is one of the dropped metric.
      const rank = isRanked
        ? { rankBy: name, ...order }
        : { rankBy: undefined, order: undefined, definition: undefined };
      const less = { ...plain, ...rank, subject, limit, filters: rest.texts };
      const close = bounded === null ? null : await answerClosest(deps, { ...less, rankBy: bounded.name });
      const isOfSpeed = asksSpeed(asked) && !isRanked;
      const other = isOfSpeed ? answerSpeed : answerBoard;
      const answer = close === null || close.data.length === 0 ? await other(deps, less) : close;
      const { rank_by, unit, workload, url, links } = answer;
      const words = {
        kind: 'rank' as const,
        compared: [],
        fit: null,
        subject,
        rankBy: rank_by as Question['rankBy'],
        saysRank: isRanked || isOfSpeed || answer === close,
      };
      const shown = { order: answer.order, energyUnit: null, limit: null, price: null };
      const [best] = answer.data;
      if (best === undefined || (isOfSpeed && !isSpeed(rank_by))) return [];
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

/** The closest result to a question without one, as a sentence about it; null if there is none. */
export async function sayClosest(deps: Deps, asked: Asked, name: string): Promise<string | null> {
  const { asking } = await answerBoard(deps, asked);
  const [closest] = (await explainNothing(deps, asked, asking)).nearest;
  return closest === undefined
    ? null
    : `Closest match for ${name}: ${sayEntry(closest)}, without "${closest.left_out}".`;
}

/** Maximum values of a filter to offer a computation for the first. */
const namedMax = 2;

/** What to ask about a model or a GPU without results. */
function sayComputed({ model, gpu }: QuestionFilters): string[] {
  const [models, gpus] = [[model ?? []].flat(), [gpu ?? []].flat()];
  if (models.length > 0)
    return models.length > namedMax ? [] : [`Its memory can be computed: ask "how much vram for ${models[0]}".`];
  return gpus.length === 0 || gpus.length > namedMax
    ? []
    : [`The models that fit can be computed: ask "what fits on ${gpus[0]}".`];
}

/** Maximum ratio of a load to the one that the question names. */
const loadRatioMax = 2;

/** "100 concurrent users" without results at that load: the best at loads up to twice as high, which also serve the requests. */
async function sayHigherLoad(deps: Deps, asked: Asked): Promise<string[]> {
  const { question } = asked;
  const { load_level: levels, ...others } = question?.filters ?? {};
  const [level, ...more] = [levels ?? []].flat().map(Number);
  if (question == null || level === undefined || level < 2 || more.length > 0) return [];
  const bounds = { min_load_level: level, max_load_level: loadRatioMax * level };
  const answer = await answerBoard(deps, { ...asked, question: { ...question, filters: { ...others, ...bounds } } });
  const { rank_by, unit, data } = answer;
  const [best] = data;
  return best === undefined ? [] : [`At the next higher loads: ${sayEntry({ rank_by, unit, best })}.`];
}

/**
 * The best values under the constraints, one per subject. Without a result, the response has the reason and the closest
 * questions.
 *
 * @throws DomainError `query_not_understood`, `request_invalid` with all errors
 */
export async function answerRanking(deps: Deps, asked: Asked) {
  const { asking, ...answer } = await (asksSpeed(asked) ? answerSpeed : answerBoard)(deps, asked);
  if (answer.data.length > 0) return answer;
  const unanswered = await explainNothing(deps, asked, asking);
  const [closest] = unanswered.nearest;
  const says = ['No stored result matches this question.', ...unanswered.missing.map(({ message }) => message)];
  if (closest !== undefined) says.push(`Closest match: ${sayEntry(closest)}, without "${closest.left_out}".`);
  else says.push(...sayComputed(asking.filters));
  says.push(...(await sayHigherLoad(deps, asked)));
  return { ...answer, says: says.join(' '), unanswered };
}
