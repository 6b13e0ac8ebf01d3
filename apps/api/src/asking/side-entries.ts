import type { Question, QuestionFilters } from '@inferboard/core/questions/index';
import { describeFilters } from '@inferboard/core/questions/nearest';

/** Maximum number of values of a side that its name lists. */
const valuesMax = 2;

/** The name of a side. A side of many values, such as "q4", has the words of the question. */
export function sideName(side: QuestionFilters, { interpretation }: Question): string {
  const facts = Object.entries(side).map(([name, value]) => [name, [value].flat()] as const);
  const meaning = facts.map(([name, values]) => `${name}=${values.join(',')}`).join(', ');
  const asked = interpretation.find((one) => one.meaning === meaning);
  return asked !== undefined && facts.some(([, values]) => values.length > valuesMax) ? asked.phrase : nameOf(side);
}

const nameOf = (side: QuestionFilters) =>
  describeFilters(side)
    .replace(
      /\b(?:on|for|in|with) (?:(?:model|gpu|quantization|engine) )?|(?<=\bor )(?:model|gpu|quantization|engine) /gu,
      '',
    )
    .replaceAll('"', '');

/** The best entries of the sides with their ranks in the comparison: each is first on its own board. */
export function inRankOrder<T extends { value: number }>(bests: readonly T[], isAscending: boolean): T[] {
  const ordered = bests.toSorted((a, b) => (isAscending ? a.value - b.value : b.value - a.value));
  return ordered.map((one) => ({ ...one, rank: ordered.findIndex(({ value }) => value === one.value) + 1 }));
}

/** The settings of the engine that differ between systems, such as "ep_size" or "expert parallelism". */
export const settingsOf = (differences: readonly { field: string }[]): string[] =>
  differences.flatMap(({ field }) => {
    const [of, name = ''] = field.split('.', 2);
    if (of === 'features') return [name];
    return of === 'parallelism' ? [`${name} parallelism`] : [];
  });
