import { matchGpus } from '@inferboard/core/filters/filters';
import { toFilters } from '@inferboard/core/filters/parameters';
import { findMetric } from '@inferboard/core/metrics/index';
import { isSameMatch } from '@inferboard/core/prices/price-list';
import {
  computeFit,
  defaultRank,
  fitRule,
  gpusOfMemory,
  memoryOf,
  type Question,
  toWords,
} from '@inferboard/core/questions/index';
import { preferredRanks } from '@inferboard/core/ranking/default-rank';
import { workloadTitle } from '@inferboard/core/workloads/workload-title';
import { greatestLoad } from '@inferboard/db/boards/lists/greatest-load';
import type { Deps } from '../deps.ts';
import { costName, readPrices } from '../prices/requested-prices.ts';
import { type Asked, answerBoard, joinFilters, limitOf, readFilters } from './answer-board.ts';
import { answerComparison } from './compare-sides.ts';
import { inEnergyUnit } from './energy-unit.ts';
import { answerRanking, answerSpeed } from './explain-nothing.ts';
import { answerLoad, loadToServe, sayMeasured, splitBounds } from './fit-measured.ts';
import { sayFit, viewFit } from './fit-view.ts';
import { readQuestion } from './read-question.ts';
import { sayEntry, sayUnlimited, systemText, titleOf } from './sentences.ts';
import { isLatencyBound, isSpeed } from './speeds.ts';
import { withUnpriced } from './unpriced.ts';

/**
 * Answers how many concurrent users: the highest load at which a stored result meets the other conditions, with the results at
 * that load.
 */
async function answerCapacity(deps: Deps, asked: Asked, question: Question) {
  const { min_load_level: _, max_load_level: __, load_level: ___, ...filters } = question.filters;
  const levelOf = async (given: Question['filters']) => {
    const read = toFilters(readFilters(joinFilters({ ...question, filters: given }, asked.filters)));
    return greatestLoad(deps.database.reads.db, {
      kind: 'serving',
      rankBy: null,
      filters: read,
      subject: question.subject,
    });
  };
  const level = await levelOf(question.filters);
  if (level === null) return answerRanking(deps, { ...asked, question });
  const { others: unbound } = splitBounds(filters);
  const tested = await levelOf(unbound);
  const atLevel = { ...asked, question: { ...question, filters: { ...filters, load_level: [level] } } };
  const answer = await answerRanking(deps, atLevel);
  const [best] = answer.data;
  const system = best === undefined ? '' : `: ${systemText(best.system)}`;
  const count = best?.system.gpu_count ?? 1;
  const each = count > 1 ? `, ${Number((level / count).toPrecision(3))} for each GPU` : '';
  const more =
    tested === null || tested <= level
      ? 'No higher load was measured under these filters.'
      : `Loads up to ${tested} were measured; above ${level} no stored result meets the condition.`;
  // Only a full entry has metrics that the question does not name.
  const { data } = isLatencyBound(filters) ? { data: [] } : await answerBoard(deps, { ...atLevel, isFull: true });
  const waits = data.slice(0, 1).map((entry) => ` ${sayUnlimited({ ...entry.metrics, ...entry.derived })}`);
  return {
    ...answer,
    says: `A stored result meets this with at most ${level} requests at once${each}${system}. ${more}${waits.join('')}`,
    capacity: { load_level: level, measured_to: tested },
  };
}

/** The measured results of a question about memory, and a sentence about them. */
async function answerMeasured(deps: Deps, asked: Asked, question: Question, filters: Question['filters']) {
  const level = loadToServe(filters);
  if (level !== null) return answerLoad(deps, asked, { ...question, filters }, level);
  const answer = await (question.saysRank ? answerBoard : answerSpeed)(deps, {
    ...asked,
    question: { ...question, filters },
  });
  return { answer, says: sayMeasured(question, answer.data) };
}

/** What fits into GPU memory, computed from the catalogue, with the measurements on GPUs of that size. */
async function answerFit(deps: Deps, asked: Asked, question: Question) {
  const computed = computeFit(question);
  const memory = memoryOf(question);
  const same = memory === null || question.filters.gpu !== undefined ? [] : gpusOfMemory(memory).slice(0, 50);
  // Of "24 GB", results on one GPU; a question for a number of GPUs states the load.
  const count: Question['filters'] = loadToServe(question.filters) === null ? { gpu_count: [1] } : {};
  const filters = same.length === 0 ? question.filters : { ...count, ...question.filters, gpu: same };
  const { answer: measured, says } = await answerMeasured(deps, asked, question, filters);
  const { asking: _, ...answer } = measured;
  const isFree = memory !== null && filters.gpu === undefined && filters.model === undefined;
  return {
    ...answer,
    interpretation: { ...answer.interpretation, filters: question.filters },
    // Without a GPU or a model, the list of measurements would cover everything.
    data: isFree ? [] : answer.data.slice(0, limitOf(asked, question)),
    says: [isFree ? null : says, sayFit(question, computed)].filter((text) => text !== null).join(' '),
    fit: { how: fitRule, ...viewFit(computed) },
  };
}

/** The start of a question about the meaning of a metric: "what is itl", "define tpot". */
const asksMeaning = /^\W*(?:what(?:'?s| is| are| does| do)|define|explain|(?:the )?(?:meaning|definition) of)\b/iu;

/** The value that a question looks up, in a sentence. "What is itl" also gets the description of the metric. */
async function answerLookup(deps: Deps, asked: Asked, question: Question) {
  const answer = await answerRanking(deps, { ...asked, question });
  const best = sayBest(answer, question);
  const isMeaning = asksMeaning.test(asked.q ?? '') && Object.keys(question.filters).length === 0;
  const metric = isMeaning ? findMetric(question.rankBy) : null;
  if (metric === null) {
    const more = [...sayEither(question), ...(await sayPrice(deps, asked, question))];
    return {
      ...answer,
      says: best === null ? answer.says : [...saySpeedless(answer, question), best, ...more].join(' '),
    };
  }
  const stored = best === null ? (answer.says ?? []) : `Best: ${best}`;
  return { ...answer, says: [metric.family.description, stored].flat().join(' ') };
}

/** "tokens per second" without a result that has a speed: the answer is another metric. */
const saySpeedless = ({ rank_by: rankBy }: Answer, { saysRank }: Question): string[] =>
  saysRank || isSpeed(rankBy) ? [] : ['No stored result under these filters has a speed in tokens per second.'];

/** "h200 or mi325x cost": states how to get the values of both. */
function sayEither({ interpretation }: Question): string[] {
  const isTwice = (name: string) =>
    new Set(interpretation.flatMap(({ meaning }) => (meaning.startsWith(`${name}=`) ? [meaning] : []))).size > 1;
  const isEither = ['gpu', 'engine', 'quantization', 'model'].some(isTwice);
  return isEither ? ['The question asks for either. To compare them, write "vs".'] : [];
}

/** "how much does an h100 cost" may ask for the price of the GPU. */
async function sayPrice(deps: Deps, asked: Asked, { rankBy, filters }: Question): Promise<string[]> {
  const { gpu, ...others } = filters;
  const [id, ...more] = [gpu ?? []].flat().map(String);
  if (rankBy !== costName || id === undefined || more.length > 0 || Object.keys(others).length > 0) return [];
  const { gpus, list, tier } = await readPrices(deps, asked.prices);
  const price = gpus.find(({ match }) => matchGpus(id).some((one) => isSameMatch(one, match)));
  if (price === undefined) return [];
  return [`The price list has it at $${price.usdPerHour} per GPU-hour (${tier}, ${list.asOf}).`];
}

/** The first entry of an answer in a sentence; null without entries. */
function sayBest(answer: Awaited<ReturnType<typeof answerRanking>>, question: Question): string | null {
  const { rank_by, unit, data } = inEnergyUnit(answer, question);
  const [best] = data;
  return best === undefined ? null : `${sayEntry({ rank_by, unit, best })}.`;
}

/** Subjects whose ranks depend on another fact. */
const plurals: Readonly<Record<string, string>> = {
  ...{ engine: 'engines', gpu: 'GPUs', quantization: 'quantizations', model: 'models' },
};

type Answer = Awaited<ReturnType<typeof answerRanking>>;

/** Number of other workloads to search for several entries. */
const workloadsMax = 5;

/**
 * A question in words for engines, GPUs, quantizations or models with a single entry compares nothing: then the first of the workloads with
 * the most systems in which several have results.
 */
async function findSeveral(deps: Deps, asked: Asked, answer: Answer): Promise<Answer> {
  const { workload, data, subject } = answer;
  const given = { ...asked.question?.filters, ...asked.filters };
  const isNamed = ['workload', 'scenario', 'regime'].some((name) => Object.hasOwn(given, name));
  const plural = plurals[subject];
  if (
    data.length !== 1 ||
    asked.question == null ||
    workload === null ||
    isNamed ||
    plural === undefined ||
    limitOf(asked, asked.question) < 2
  )
    return answer;
  for (const { id } of workload.others.slice(0, workloadsMax)) {
    const other = await answerRanking(deps, { ...asked, filters: { ...asked.filters, workload: [id] } });
    // A latency alone does not order them.
    const isRanked = other.rank_by === answer.rank_by || preferredRanks.some((name) => name === other.rank_by);
    if (other.data.length < 2 || other.workload === null || !isRanked) continue;
    const reason = `Of the workloads with the most systems, the first in which several ${plural} have results.`;
    return { ...other, workload: { ...other.workload, chosen_because: 'comparable', reason } };
  }
  return answer;
}

/** Adds what a ranking does not compare: one entry, or entries with different models or GPUs. */
function noteCompared(answer: Answer, { limit }: { limit: number }) {
  const plural = plurals[answer.subject];
  if (answer.data.length === 0 || plural === undefined) return answer;
  const add = (says: string) => ({ ...answer, says: answer.says === null ? says : `${answer.says} ${says}` });
  const [only, ...others] = answer.data;
  if (only !== undefined && others.length === 0 && limit > 1) {
    const unpriced = answer.excluded.unpriced_gpu ?? 0;
    const has = unpriced === 0 ? 'a result' : 'a result and a price';
    const left = `Results on GPUs without a price are left out (${unpriced}): add prices, such as price[GPU]=2.10.`;
    const says = `Only one of the ${plural} has ${has} here, so nothing is compared: ${systemText(only.system)}.`;
    return add(unpriced === 0 ? says : `${says} ${left}`);
  }
  const [fact, title] = answer.subject === 'model' ? (['gpu', 'GPU'] as const) : (['model', 'model'] as const);
  if (countOf(answer, fact) < 2) return answer;
  return add(
    `The entries have different ${title}s, so the ranks do not compare the ${plural} alone. Name a ${title} to compare them.`,
  );
}

/** Number of different models or GPUs among the entries. */
const countOf = ({ data }: Answer, fact: 'model' | 'gpu'): number =>
  new Set(data.map(({ system }) => system[fact].id ?? system[fact].name)).size;

/** The superlative of a question that names no metric, but has one: "fastest". */
function ownMetricOf(question: Question | null): string | null {
  const phrase = question?.interpretation.find(({ meaning }) => meaning.startsWith('rank_by='))?.phrase ?? '';
  return question?.saysRank === true && /^(?:fastest|quickest|slowest)$/iu.test(phrase) ? phrase : null;
}

/** The best entries; of "fastest" without any filter under steady load, which a user of a server has, if there are such results. */
async function answerServed(deps: Deps, asked: Asked): Promise<Answer> {
  const question = asked.question ?? null;
  const isFree = Object.keys({ ...question?.filters, ...asked.filters }).length === 0;
  if (ownMetricOf(question) === null || !isFree) return answerRanking(deps, asked);
  const served = await answerRanking(deps, { ...asked, filters: { regime: ['steady'] } });
  if (served.data.length === 0 || served.workload === null) return answerRanking(deps, asked);
  const reason = `No other workload under steady load has more systems (${served.workload.systems}).`;
  return { ...served, workload: { ...served.workload, reason } };
}

/** The best entries. A rank by energy per token also has a sentence, because its entries have tokens per joule. */
async function answerRank(deps: Deps, asked: Asked, question: Question | null) {
  const answer = await findSeveral(deps, { ...asked, question }, await answerServed(deps, { ...asked, question }));
  if (question?.energyUnit != null) return { ...answer, says: sayBest(answer, question) ?? answer.says };
  if (asked.rankBy !== undefined || answer.data.length === 0) return answer;
  if (question?.saysRank !== true) return { ...answer, says: sayMetric(answer) };
  const word = ownMetricOf(question);
  return word === null ? answer : { ...answer, says: saySuperlative(word, answer, question) };
}

/** States what "fastest" ranks by, and where: a model is faster for short prompts. Offers the throughput, its other meaning. */
function saySuperlative(word: string, answer: Answer, question: Question): string {
  const { rank_by: rankBy, workload, subject } = answer;
  const place = workload === null ? '' : `, here in "${workloadTitle(workload.id)}"`;
  const says = [`"${word}" ranks by ${titleOf(rankBy)}${place}.`];
  if (subject === 'system' && countOf(answer, 'model') > 1)
    says.push(
      'The entries have different models, so the ranks do not compare GPUs or engines. Name a model to compare its systems.',
    );
  if (rankBy === 'user_tok_s' && question.order === 'desc')
    says.push(`For the throughput, ask "${toWords({ ...question, rankBy: defaultRank })}".`);
  return says.join(' ');
}

/** States the metric of a ranking, such as "best gpu", that names none. */
function sayMetric({ rank_by: rankBy, workload }: Answer): string {
  const place = workload === null ? '' : ` in "${workloadTitle(workload.id)}"`;
  return `No metric is named, so the ranks are by ${titleOf(rankBy)}${place}.`;
}

/** The answer to a question of a kind other than a comparison. */
function answerKind(deps: Deps, asked: Asked, question: Question | null) {
  if (question?.kind === 'fit') return answerFit(deps, asked, question);
  if (question?.kind === 'capacity') return answerCapacity(deps, asked, question);
  if (question?.kind === 'lookup') return answerLookup(deps, asked, question);
  return answerRank(deps, asked, question).then((answer) => noteCompared(answer, { limit: limitOf(asked, question) }));
}

/**
 * Answers a question in words, in parameters, or both.
 *
 * @param today the current day, from which relative dates such as "since march" are resolved
 * @throws DomainError `query_not_understood`, `request_invalid` with all errors
 */
export async function answerQuestion(deps: Deps, asked: Asked, today: string) {
  const question = await readQuestion(deps, asked, today);
  if (question?.kind === 'compare') return answerComparison(deps, asked, question);
  const answer = await answerKind(deps, asked, question);
  if (question?.atAnyPrice === undefined) return answer;
  return withUnpriced(deps, asked, { question, atAnyPrice: question.atAnyPrice }, answer);
}
