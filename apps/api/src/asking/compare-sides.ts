import { matchWorkload, noFilters } from '@inferboard/core/filters/filters';
import { filterValuesMax } from '@inferboard/core/filters/parameters';
import { type Question, type QuestionFilters, type Subject, subjects } from '@inferboard/core/questions/index';
import { parseWorkload } from '@inferboard/core/workloads/workload-id';
import { betterOrder, requireMetric } from '../boards/resolve-rank.ts';
import type { Deps } from '../deps.ts';
import { compareSystems } from '../history/compare-systems.ts';
import { type Alike, type Answer, askAlikeSystems } from './alike-systems.ts';
import { type Asked, answerBoard } from './answer-board.ts';
import { explainWorkload, type InWorkload, type NamedSide, sayComparison } from './compare-words.ts';
import { inEnergyUnit } from './energy-unit.ts';
import { sayClosest } from './explain-nothing.ts';
import { namedFacts } from './held-facts.ts';
import { commonLoad, isLoaded, mostAlike } from './same-entries.ts';
import { inRankOrder, settingsOf, sideName } from './side-entries.ts';
import { burstsLast, isBurst, isOfOneUser, speedNames } from './speeds.ts';

/** Number of workloads and metrics to try until every side has a value. */
const [workloadsMax, metricsMax] = [16, 2];

/** Filters that match any of the sides. More values than a filter may have, such as those of "dense vs moe", are no filter. */
function joined({ filters, compared }: Question): QuestionFilters {
  const all: QuestionFilters = { ...filters };
  for (const side of compared)
    for (const [name, value] of Object.entries(side)) all[name] = [...new Set([all[name] ?? [], value].flat())];
  return Object.fromEntries(Object.entries(all).filter(([, value]) => [value].flat().length <= filterValuesMax));
}

/** The subject of a comparison: the sides' common kind, if they have one. */
function subjectOf({ compared, subject }: Question): Subject {
  const names = new Set(compared.flatMap((side) => Object.keys(side)));
  const [name] = names;
  return names.size === 1 ? (subjects.find((each) => each === name) ?? subject) : subject;
}

/** True if neither the question nor the query names a workload, or one of them names this one. A shape alone names all its regimes. */
function isAsked({ filters }: Asked, { scenario }: QuestionFilters, id: string): boolean {
  const names = [scenario ?? [], filters.scenario ?? [], filters.workload ?? []].flat();
  const { shape, regime } = parseWorkload(id);
  return (
    names.length === 0 ||
    names.some((name) => {
      const named = parseWorkload(matchWorkload(String(name)));
      return named.shape === shape && (named.regime === null || named.regime === regime);
    })
  );
}

/** The workloads that results of all sides have, first those that have the most systems. Null is a workload that has no id. */
async function commonWorkloads(deps: Deps, asked: Asked, question: Question): Promise<(string | null)[]> {
  const ofSides = await Promise.all(
    question.compared.map(async (side) => {
      const filters = { ...question.filters, ...side };
      // Only a full response lists all workloads.
      const { workload } = await answerBoard(deps, {
        ...asked,
        isFull: true,
        question: { ...question, limit: 1, filters },
      });
      // The other workloads of a response are not limited to those of the question.
      const others = (workload?.others ?? []).filter(({ id }) => isAsked(asked, question.filters, id));
      return [workload, ...others].map((one) => ({
        id: one?.id ?? null,
        systems: one?.systems ?? 0,
      }));
    }),
  );
  const [first, ...others] = ofSides.map((workloads) => new Map(workloads.map(({ id, systems }) => [id, systems])));
  return [...(first ?? [])]
    .filter(([id]) => others.every((side) => side.has(id)))
    .map(([id, systems]) => ({ id, least: Math.min(systems, ...others.map((side) => side.get(id) ?? 0)) }))
    .sort((a, b) => b.least - a.least)
    .slice(0, workloadsMax)
    .map(({ id }) => id);
}

type Found = Alike & InWorkload;

/** Workloads to search for systems with the same settings after one in which all sides have a value. */
const furtherMax = 4;

/**
 * The sides at the first workload for which systems with the same settings have a value, else at the first with similar loads,
 * else at the first for which all sides have one, by the first metric that has such a workload; null if there is none.
 */
async function askAlike(
  deps: Deps,
  asked: Asked,
  question: Question,
  { joint, workloads }: { joint: Answer; workloads: readonly (string | null)[] },
): Promise<Found | null> {
  const offered = [joint.rank_by, ...joint.interpretation.alternatives.map(({ id }) => id)];
  // Without a metric, tokens that are generated are compared before prompts that are read.
  const free = joint.rank_by === 'prefill_tok_s' ? [...speedNames, joint.rank_by] : offered.slice(0, metricsMax);
  // "2x h100 vs 1x h200" compares what all GPUs of a side do together.
  const counts = question.compared.map(({ gpu_count: count }) => [count ?? []].flat().join());
  const isTotal = counts.every((count) => count !== '') && new Set(counts).size > 1;
  const chosen = isTotal ? [...new Set(['output_tok_s', ...free])] : free;
  const names = question.saysRank ? [joint.rank_by] : chosen;
  const found = await askByMetrics(deps, asked, question, { joint, workloads, names });
  if (found !== null || question.saysRank || asked.rankBy !== undefined) return found;
  const others = (await metricsIn(deps, asked, question, workloads[0])).filter((name) => !names.includes(name));
  return askByMetrics(deps, asked, question, { joint, workloads, names: others.slice(0, metricsMax) });
}

/** The metrics of the first side in a workload, the one that ranks it first. */
async function metricsIn(deps: Deps, asked: Asked, question: Question, workload: string | null | undefined) {
  if (workload == null) return [];
  const { scenario: _, ...filters } = { ...question.filters, ...question.compared[0] };
  const { scenario: __, ...given } = asked.filters;
  const { rank_by: first, interpretation } = await answerBoard(deps, {
    ...asked,
    filters: { ...given, workload: [workload] },
    question: { ...question, limit: 1, filters },
  });
  return [first, ...interpretation.alternatives.map(({ id }) => id)];
}

/** The most comparable sides by the first of the metrics that all sides have in a workload. */
async function askByMetrics(
  deps: Deps,
  asked: Asked,
  question: Question,
  { joint, workloads, names }: { joint: Answer; workloads: readonly (string | null)[]; names: readonly string[] },
): Promise<Found | null> {
  for (const rankBy of names) {
    const order = rankBy === joint.rank_by ? joint.order : (asked.order ?? betterOrder(requireMetric(rankBy)));
    const found: Found[] = [];
    let further = 0;
    for (const workload of burstsLast(workloads, rankBy)) {
      if (found.length > 0) further += 1;
      if (further > furtherMax || (found.length > 0 && isOfOneUser(rankBy) && isBurst(workload))) break;
      const asking = { question: { ...question, order }, rankBy, workload };
      const alike = await askAlikeSystems(deps, asked, asking);
      if (alike !== null) found.push({ ...alike, isFirst: workload === workloads[0] });
      if (alike?.likeness === 'same' && isLoaded(alike)) break;
    }
    const best = mostAlike(found, rankBy);
    if (best !== undefined) return best;
  }
  return null;
}

/** Maximum number of systems that the comparison page shows. */
const pageMost = 6;

/** The page that compares systems point by point, null if they were measured at no common load, and the settings that differ. */
async function readComparison(
  deps: Deps,
  ids: readonly string[],
): Promise<{ page: string | null; settings: string[] }> {
  const shown = ids.slice(0, pageMost);
  if (shown.length < 2) return { page: null, settings: [] };
  const { points, differences } = await compareSystems(deps, shown, { filters: noFilters, isFull: false });
  return {
    page: points.length === 0 ? null : `${deps.publicUrl}/compare?ids=${shown.join(',')}`,
    settings: settingsOf(differences),
  };
}

/**
 * The answers of the sides. `alike` has those that can be compared: all sides, else those with a result, else all but one. It is
 * null if no two can be compared.
 */
async function askComparable(deps: Deps, asked: Asked, question: Question, joint: Answer) {
  const within = async (compared: readonly QuestionFilters[]) => {
    const some = { ...question, compared: [...compared] };
    const workloads = await commonWorkloads(deps, asked, some);
    const alike = await askAlike(deps, asked, some, { joint, workloads });
    return alike === null ? null : { ...alike, compared };
  };
  const all = await within(question.compared);
  if (all !== null) return { alike: all, answers: all.answers };
  const apart = await askApart(deps, asked, question);
  const measured = question.compared.filter((_, at) => (apart[at]?.data.length ?? 0) > 0);
  const fewer = [measured, ...measured.map((left) => measured.filter((side) => side !== left)).reverse()];
  for (const compared of fewer.filter(({ length }) => length >= 2 && length < question.compared.length)) {
    const alike = await within(compared);
    if (alike === null) continue;
    const answers = question.compared.map((side, at) => alike.answers[compared.indexOf(side)] ?? apart[at]);
    return { alike, answers };
  }
  return { alike: null, answers: apart };
}

/** The answer of a side and its better entry as the sentence states them. */
function sayingEnergy({ answer, better }: Pick<NamedSide, 'answer' | 'better'>, question: Question) {
  const data = better === null ? [] : [better];
  const said = inEnergyUnit({ ...answer, data }, question);
  return { answer: inEnergyUnit(answer, question), better: said.data[0] ?? null };
}

/** "A vs B": the best value of each side for the same workload and metric, with the ratio and a link to the comparison page. */
export async function answerComparison(deps: Deps, asked: Asked, question: Question) {
  const ofAny = { ...question, subject: subjectOf(question), filters: joined(question) };
  const { asking: _, ...joint } = await answerBoard(deps, { ...asked, question: ofAny });
  const { alike, answers } = await askComparable(deps, asked, question, { asking: _, ...joint });
  const sides = question.compared.map((side, at) => ({
    ...{ name: sideName(side, question), side, answer: answers[at] as Answer },
    isCompared: alike?.compared.includes(side) ?? false,
    better: alike?.better[alike.compared.indexOf(side)] ?? null,
  }));
  const ranked = alike === null ? sides : sides.filter(({ isCompared }) => isCompared);
  const bests = ranked.flatMap(({ answer: { data } }) => data.slice(0, 1));
  const ids = [...new Set(bests.map(({ system }) => system.id))];
  const isSameLoad = commonLoad(bests, ranked[0]?.answer.rank_by ?? '') !== null;
  const baseline = ranked[0]?.answer.data[0]?.value ?? 0;
  const leading = ranked[0]?.answer ?? joint;
  const named = namedFacts(question.compared);
  const isAscending = leading.order === 'asc';
  const closest = alike === null ? await sayMissing(deps, asked, question, sides) : [];
  const { page, settings } = alike === null ? { page: null, settings: [] } : await readComparison(deps, ids);
  return {
    ...{ ...joint, rank_by: leading.rank_by, order: leading.order, unit: leading.unit },
    workload: alike === null ? leading.workload : explainWorkload(leading.workload, joint.workload, alike),
    interpretation: {
      ...joint.interpretation,
      ...{ rank_by: leading.rank_by, order: leading.order },
      phrases: joint.interpretation.phrases.map((phrase) =>
        !question.saysRank && phrase.became.startsWith('rank_by=')
          ? { ...phrase, became: `rank_by=${leading.rank_by}, order=${leading.order}` }
          : phrase,
      ),
    },
    says: [
      sayComparison(
        sides.map((side) => ({ ...side, ...sayingEnergy(side, question) })),
        alike === null ? null : { ...alike, settings },
        named,
      ),
      ...closest,
    ].join(' '),
    // Values of sides that cannot be compared are not ranked.
    data: alike === null ? [] : inRankOrder(bests, isAscending),
    imported: alike === null ? 0 : bests.filter(({ trust }) => trust === 'imported').length,
    imported_at_least: false,
    comparison: {
      is_alike: alike !== null,
      held: alike?.held ?? null,
      sides: sides.map(({ name, side, answer, isCompared }) => {
        const best = answer.data[0] ?? null;
        const { url, rank_by, unit } = answer;
        const ratio = !isCompared || !isSameLoad || best === null || baseline === 0 ? null : best.value / baseline;
        return { name, filters: side, url, rank_by, unit, best, ratio };
      }),
      page,
    },
  };
}

/** The closest result to the first side that has none, because a comparison without it needs another question. */
async function sayMissing(
  deps: Deps,
  asked: Asked,
  question: Question,
  sides: readonly NamedSide[],
): Promise<string[]> {
  const missing = sides.find(({ answer }) => answer.data.length === 0);
  if (missing === undefined) return [];
  const closest = await sayClosest(deps, sideAlone(asked, question, missing.side), missing.name);
  return closest === null ? [] : [closest];
}

const sideAlone = (asked: Asked, question: Question, side: QuestionFilters): Asked => ({
  ...asked,
  question: { ...question, subject: 'system', limit: 1, filters: { ...question.filters, ...side } },
});

/** The best value of each side alone. Without a requested metric, by a speed that all measured sides have, if there is one. */
async function askApart(deps: Deps, asked: Asked, question: Question): Promise<Answer[]> {
  const ask = (each: Question) =>
    Promise.all(question.compared.map((side) => answerBoard(deps, sideAlone(asked, each, side))));
  const countOf = (answers: readonly Answer[]) => answers.filter(({ data }) => data.length > 0).length;
  const own = await ask(question);
  const metrics = new Set(own.flatMap(({ data, rank_by }) => (data.length > 0 ? [rank_by] : [])));
  const isOneSpeed = metrics.size < 2 && [...metrics].every((name) => speedNames.some((speed) => speed === name));
  if (question.saysRank || asked.rankBy !== undefined || isOneSpeed) return own;
  for (const rankBy of speedNames) {
    const answers = await ask({ ...question, saysRank: true, rankBy, order: 'desc' });
    if (countOf(answers) === countOf(own)) return answers;
  }
  return own;
}
