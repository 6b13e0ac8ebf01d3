import { formatWithUnit } from '@inferboard/core/format/figure';
import { type Question, type QuestionFilters, type Subject, subjects } from '@inferboard/core/questions/index';
import { describeFilters } from '@inferboard/core/questions/nearest';
import type { Deps } from '../deps.ts';
import { type Asked, answerBoard } from './answer-board.ts';
import { titleOf } from './sentences.ts';

/** Number of workloads and metrics to try until every side has a value. */
const [workloadsMax, metricsMax] = [6, 3];

const sideName = (side: QuestionFilters) =>
  describeFilters(side)
    .replace(/\b(?:on|for|in|with) (?:(?:model|gpu|quantization|engine) )?/gu, '')
    .replaceAll('"', '');

/** Filters that match any of the sides. */
function joined({ filters, compared }: Question): QuestionFilters {
  const all: QuestionFilters = { ...filters };
  for (const side of compared)
    for (const [name, value] of Object.entries(side)) all[name] = [...new Set([all[name] ?? [], value].flat())];
  return all;
}

/** The subject of a comparison: the sides' common kind, if they have one. */
function subjectOf({ compared, subject }: Question): Subject {
  const names = new Set(compared.flatMap((side) => Object.keys(side)));
  const [name] = names;
  return names.size === 1 ? (subjects.find((each) => each === name) ?? subject) : subject;
}

type Answer = Awaited<ReturnType<typeof answerBoard>>;

/** The best value of each side under the same conditions. */
async function askSides(deps: Deps, asked: Asked, question: Question, rankBy: string, workload: string | null) {
  const { scenario: _, ...common } = question.filters;
  const within = workload === null ? question.filters : common;
  const filters = workload === null ? asked.filters : { ...asked.filters, workload: [workload] };
  return Promise.all(
    question.compared.map((side) =>
      answerBoard(deps, {
        ...asked,
        filters,
        question: {
          ...{ ...question, subject: 'system', limit: 1, saysRank: true, rankBy: rankBy as Question['rankBy'] },
          filters: { ...within, ...side },
        },
      }),
    ),
  );
}

/** The sides at the first workload and metric for which all of them have a value; null if there is none. */
async function askAlike(deps: Deps, asked: Asked, question: Question, joint: Answer) {
  const workloads = [joint.workload?.id ?? null, ...(joint.workload?.others.map(({ id }) => id) ?? [])].slice(
    0,
    workloadsMax,
  );
  const names = question.saysRank
    ? [joint.rank_by]
    : [joint.rank_by, ...joint.interpretation.alternatives.map(({ id }) => id)].slice(0, metricsMax);
  for (const name of names)
    for (const workload of workloads) {
      const sides = await askSides(deps, asked, { ...question, order: joint.order }, name, workload);
      if (sides.every(({ data }) => data.length > 0)) return sides;
    }
  return null;
}

/** States which side is better and by how much, or that the sides have no common workload and metric. */
function says(sides: readonly { name: string; answer: Answer }[], isAlike: boolean): string {
  const parts = sides.map(({ name, answer: { data, unit } }) =>
    data[0] === undefined ? `no stored result for ${name}` : `${name} ${formatWithUnit(data[0].value, unit)}`,
  );
  const [first] = sides;
  const metric = titleOf(first?.answer.rank_by ?? '');
  if (!isAlike) return `Not measured in the same workload, so they cannot be compared: ${parts.join('; ')}.`;
  const place = first?.answer.workload === null || first === undefined ? '' : ` in ${first.answer.workload.id}`;
  const ordered = [...sides].sort((a, b) => (a.answer.data[0]?.value ?? 0) - (b.answer.data[0]?.value ?? 0));
  const [lowest, highest] = [ordered[0], ordered.at(-1)];
  const ratio = (highest?.answer.data[0]?.value ?? 0) / (lowest?.answer.data[0]?.value ?? 1);
  const ahead =
    ratio === 1
      ? 'They are equal'
      : `${highest?.name} has ${Number(ratio.toPrecision(3))} times the value of ${lowest?.name}`;
  return `${metric}${place}: ${parts.join(', ')}. ${ahead}; each at its best stored point.`;
}

/** "A vs B": the best value of each side for the same workload and metric, with the ratio and a link to the comparison page. */
export async function answerComparison(deps: Deps, asked: Asked, question: Question) {
  const subject = subjectOf(question);
  const { asking: _, ...joint } = await answerBoard(deps, {
    ...asked,
    question: { ...question, subject, filters: joined(question) },
  });
  const alike = await askAlike(deps, asked, question, { asking: _, ...joint });
  const answers =
    alike ?? (await Promise.all(question.compared.map((side) => answerBoard(deps, sideAlone(asked, question, side)))));
  const sides = question.compared.map((side, at) => ({ name: sideName(side), side, answer: answers[at] as Answer }));
  const bests = sides.flatMap(({ answer: { data } }) => data.slice(0, 1));
  const [first] = sides;
  const ids = [...new Set(bests.map(({ system }) => system.id))];
  const values = sides.map(({ answer }) => answer.data[0]?.value ?? null);
  const leading = first?.answer ?? joint;
  const isAscending = leading.order === 'asc';
  return {
    ...{ ...joint, rank_by: leading.rank_by, order: leading.order, unit: leading.unit, workload: leading.workload },
    interpretation: { ...joint.interpretation, rank_by: leading.rank_by, order: leading.order },
    says: says(sides, alike !== null),
    data: alike === null ? bests : bests.sort((a, b) => (isAscending ? a.value - b.value : b.value - a.value)),
    comparison: {
      is_alike: alike !== null,
      sides: sides.map(({ name, side, answer }, at) => {
        const [baseline, value] = [values[0] ?? null, values[at] ?? null];
        const ratio = alike === null || baseline === null || value === null || baseline === 0 ? null : value / baseline;
        return {
          name,
          filters: side,
          url: answer.url,
          rank_by: answer.rank_by,
          unit: answer.unit,
          best: answer.data[0] ?? null,
          ratio,
        };
      }),
      page: ids.length < 2 ? null : `${deps.publicUrl}/compare?ids=${ids.slice(0, 6).join(',')}`,
    },
  };
}

const sideAlone = (asked: Asked, question: Question, side: QuestionFilters): Asked => ({
  ...asked,
  question: { ...question, subject: 'system', limit: 1, filters: { ...question.filters, ...side } },
});
