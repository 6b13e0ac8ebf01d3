import { toFilters } from '@inferboard/core/filters/parameters';
import type { Question, QuestionFilters, Subject } from '@inferboard/core/questions/index';
import { listMeasuredLoads } from '@inferboard/db/boards/lists/measured-loads';
import { listSettings } from '@inferboard/db/catalogue/system-settings';
import { countUsage } from '@inferboard/db/service/usage-count';
import { requireMetric } from '../boards/resolve-rank.ts';
import type { Deps } from '../deps.ts';
import { costName, costRate } from '../prices/requested-prices.ts';
import { type Asked, answerBoard, joinFilters, readFilters } from './answer-board.ts';
import { commonValues, factOf, hasFacts, heldSets, keepsFacts, namedFacts } from './held-facts.ts';
import {
  type Chosen,
  type Comparable,
  chooseEntries,
  commonLoad,
  comparedBy,
  hasSimilarLoad,
  isLoaded,
  loadsInCommon,
  mostAlike,
  type SetEntry,
  shareOf,
} from './same-entries.ts';
import { isPerGpu } from './speeds.ts';

/** The response of one side. */
export type Answer = Awaited<ReturnType<typeof answerBoard>>;

/** What the sides are asked: one subject, by one metric, for one workload. */
export interface Asking {
  question: Question;
  rankBy: string;
  /** Null: the workload of the question. */
  workload: string | null;
}

/** The filters of the question and those of the query, with the workload of the comparison. */
function conditionsOf({ filters }: Asked, { question, workload }: Pick<Asking, 'question' | 'workload'>) {
  if (workload === null) return { within: question.filters, given: filters };
  const { scenario: _, ...within } = question.filters;
  const { scenario: __, ...others } = filters;
  return { within, given: { ...others, workload: [workload] } };
}

/** The entries of each side under the same conditions. */
async function askSides(
  deps: Deps,
  asked: Asked,
  { question, rankBy, workload }: Asking,
  { held, subject, limit }: { held: QuestionFilters; subject: Subject; limit: number },
): Promise<Answer[]> {
  const { within, given } = conditionsOf(asked, { question, workload });
  return Promise.all(
    question.compared.map((side) =>
      answerBoard(deps, {
        ...asked,
        filters: given,
        question: {
          ...{ ...question, subject, limit, saysRank: true, rankBy: rankBy as Question['rankBy'] },
          filters: { ...within, ...held, ...side },
        },
      }),
    ),
  );
}

/** Maximum entries of a side in which systems that are alike are looked for. */
const entriesMax = 100;

/** Maximum number of models to try until the sides have a GPU in common. */
const modelsMax = 3;

/** The models that all sides have been measured with, those with the most points first. */
async function commonModels(deps: Deps, asked: Asked, asking: Asking): Promise<QuestionFilters[]> {
  const sides = await askSides(deps, asked, asking, { held: {}, subject: 'model', limit: entriesMax });
  const models = sides.map(({ data }) => data.flatMap((entry) => factOf.model(entry) ?? []).map(String));
  const common = (models[0] ?? []).filter((model) => models.every((others) => others.includes(model)));
  const used = (await countUsage(deps.database.reads.db, ['model'])).get('model') ?? [];
  const points = new Map(used.map(({ value, points: count }) => [value, count]));
  return common
    .toSorted((a, b) => (points.get(b) ?? 0) - (points.get(a) ?? 0))
    .slice(0, modelsMax)
    .map((model) => ({ model: [model] }));
}

/** The same entries with the settings of their systems. */
async function withSettings(deps: Deps, sides: readonly Answer[]): Promise<SetEntry[][]> {
  const ids = new Set(sides.flatMap(({ data }) => data.map(({ system }) => system.id)));
  const settings = new Map((await listSettings(deps.database.reads.db, [...ids])).map((one) => [one.id, one]));
  return sides.map(({ data }) =>
    data.flatMap((entry) => {
      const found = settings.get(entry.system.id);
      const { engine } = entry.system;
      return found === undefined ? [] : [{ ...entry, settings: { ...found, engine: engine.id ?? engine.name } }];
    }),
  );
}

/** The answers of the sides, each with the chosen entry first. */
async function askChosen(deps: Deps, asked: Asked, asking: Asking, held: QuestionFilters, chosen: Chosen) {
  const answers = await askSides(deps, asked, asking, { held, subject: 'system', limit: chosen.depth });
  return answers.map((answer, at) => {
    const own = answer.data.filter(({ system }) => system.id === chosen.ids[at]);
    return { ...answer, data: own.length === 0 ? answer.data.slice(0, 1) : own };
  });
}

/** The loads at which each side has a value. */
function readLoads(deps: Deps, asked: Asked, { question, rankBy, workload }: Asking, held: QuestionFilters) {
  const { within, given } = conditionsOf(asked, { question, workload });
  return Promise.all(
    question.compared.map((side) => {
      const texts = joinFilters({ ...question, filters: { ...within, ...held, ...side } }, given);
      const metric = rankBy === costName ? costRate : requireMetric(rankBy);
      return listMeasuredLoads(deps.database.reads.db, {
        ...{ kind: metric.family.kind, rankBy: metric, filters: toFilters(readFilters(texts)), subject: 'system' },
      });
    }),
  );
}

/** The best entry of each side, which others are a share of. */
type Bests = readonly (SetEntry | undefined)[];

/** The sides at a load that all have. */
interface AtLoad extends Comparable {
  answers: Answer[];
}

/** The best entry of each side at each load that all have. Empty if the question names a load, or if no such load has results. */
async function askAtSameLoad(
  deps: Deps,
  asked: Asked,
  asking: Asking,
  { held, bests, entries }: { held: QuestionFilters; bests: Bests; entries: Chosen['entries'] },
): Promise<AtLoad[]> {
  const { question, rankBy } = asking;
  if (entries.length < question.compared.length) return [];
  if (Object.keys({ ...question.filters, ...asked.filters }).some((name) => name.includes('load_'))) return [];
  const found: AtLoad[] = [];
  const measured = await readLoads(deps, asked, asking, held);
  for (const loads of loadsInCommon(entries, measured, rankBy)) {
    const compared = question.compared.map((side, at) => ({ ...side, ...loads[at] }));
    const atLoad = { ...asking, question: { ...question, compared } };
    const answers = await askSides(deps, asked, atLoad, { held, subject: 'system', limit: 1 });
    const tops = answers.flatMap(({ data }) => data.slice(0, 1));
    const common = tops.length < answers.length ? null : commonLoad(tops, rankBy);
    const share = shareOf(tops, bests);
    if (common === 'per_gpu') found.push({ answers, share, likeness: 'same_load_per_gpu' });
    const isAlike = tops.every((one) => tops.every((other) => hasSimilarLoad(one, other)));
    if (common === 'total' && isAlike) found.push({ answers, share, likeness: 'same_load' });
    if (found.some(isLoaded)) break;
  }
  return found;
}

/** A choice of systems with the values of facts. */
type Choice = Chosen & { common: QuestionFilters };

/** The sides at the loads of systems whose best points have other loads: of the first choice of each likeness. */
async function askAtLoads(
  deps: Deps,
  asked: Asked,
  asking: Asking,
  {
    model,
    choices,
    bestsOf,
  }: { model: QuestionFilters; choices: readonly Choice[]; bestsOf: (facts: QuestionFilters) => Bests },
): Promise<(AtLoad & Pick<Choice, 'common'>)[]> {
  const apart = choices.filter(({ entries }) => commonLoad(entries, asking.rankBy) === null);
  const tried = apart.filter(({ likeness }, at) => apart.findIndex((one) => one.likeness === likeness) === at);
  const found = tried.map(async ({ common, entries }) => {
    const within = { held: { ...model, ...common }, bests: bestsOf(common), entries };
    return (await askAtSameLoad(deps, asked, asking, within)).map((one) => ({ ...one, common }));
  });
  return (await Promise.all(found)).flat();
}

/** The entries of each side that have the facts. More GPUs do not raise a metric of each GPU, so their number may differ. */
const withFacts = (sides: readonly (readonly SetEntry[])[], facts: QuestionFilters, rankBy: string) => {
  const { gpu_count: _, ...others } = facts;
  return sides.map((entries) => entries.filter((entry) => hasFacts(entry, isPerGpu(rankBy) ? others : facts)));
};

/**
 * The best systems of the sides with a model: alike in as many facts as possible, at a common load at which they do well if there
 * is one, and of these with the same settings if there are such. Null if no GPU has results of all sides.
 */
async function askWithModel(deps: Deps, asked: Asked, asking: Asking, model: QuestionFilters): Promise<Alike | null> {
  const { rankBy, question } = asking;
  const named = namedFacts(question.compared);
  const sides = await askSides(deps, asked, asking, { held: model, subject: 'system', limit: entriesMax });
  const entries = await withSettings(deps, sides);
  const bestsOf = (facts: QuestionFilters) => withFacts(entries, facts, rankBy).map(([best]) => best);
  const choices = heldSets(named, rankBy).flatMap((facts) =>
    commonValues(entries, facts).flatMap((common) => {
      const choosing = { compared: comparedBy(question.compared), rankBy, bests: bestsOf(common) };
      return chooseEntries(entries, common, choosing).map((chosen) => ({ common, ...chosen }));
    }),
  );
  const [first] = choices;
  if (first === undefined) return null;
  // The same settings and similar loads matter more than the number of GPUs, but less than the format.
  const kept = choices.filter(({ common }) => keepsFacts(common, first.common, rankBy));
  const best = mostAlike(kept, rankBy) ?? first;
  const atLoads = isLoaded(best) ? [] : await askAtLoads(deps, asked, asking, { model, choices: kept, bestsOf });
  const chosen = mostAlike([best, ...atLoads], rankBy) ?? best;
  const { common, likeness, share } = chosen;
  const held = { ...model, ...common };
  const answers = 'answers' in chosen ? chosen.answers : await askChosen(deps, asked, asking, held, best);
  if (answers.some(({ data }) => data.length === 0)) return null;
  const better = sides.map(({ data }, at) => {
    const top = data.find(({ system }) => system.id === bestsOf(common)[at]?.system.id);
    return top === undefined || top.value === answers[at]?.data[0]?.value ? null : top;
  });
  return { answers, held, likeness, share, better };
}

/** The best systems of the sides that are alike, with a model that all sides have, unless the sides name models. */
export async function askAlikeSystems(deps: Deps, asked: Asked, asking: Asking): Promise<Alike | null> {
  const isOfModels = namedFacts(asking.question.compared).has('model');
  const found: Alike[] = [];
  for (const model of isOfModels ? [{}] : await commonModels(deps, asked, asking)) {
    const alike = await askWithModel(deps, asked, asking, model);
    if (alike?.likeness === 'same' && isLoaded(alike)) return alike;
    if (alike !== null) found.push(alike);
  }
  return mostAlike(found, asking.rankBy) ?? null;
}

/** The answers of the sides, and the facts that they have in common. */
export interface Alike extends Comparable {
  answers: Answer[];
  held: QuestionFilters;
  /** The best entry of each side with these facts; null if it is the compared one. */
  better: (Answer['data'][number] | null)[];
}
