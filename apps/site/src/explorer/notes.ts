import type { Frontier } from '../features/submission/data/full-responses.ts';
import { formatPlural } from '../lib/format.ts';
import type { Drawing } from './drawing/drawing.ts';
import { factText, type Measured } from './groups.ts';
import type { ExplorerState } from './state.ts';

/** Note on the date filters: what they include, and which date they apply to. */
export function datesNote({ filters }: ExplorerState): string[] {
  const words = { since: 'from', until: 'before' };
  const parts = filters.flatMap(([name, value]) =>
    name === 'since' || name === 'until' ? [`${words[name]} ${value}`] : [],
  );
  if (parts.length === 0) return [];
  return [
    `Results measured ${parts.join(' and ')}. The date is the one that the tool states. Without one, it is the date of the published source, or else the day the result was stored.`,
  ];
}

/** Note on an axis of scores: the evaluation, and whose the scores are. */
export function scoreNote({ evaluation }: Frontier['x']): string[] {
  if (evaluation == null) return [];
  const { task, metric, variant, few_shot: shots } = evaluation;
  const how = [metric, variant, shots === null ? null : `${shots} shot`].filter((part) => part !== null).join(', ');
  return [
    `Scores are from one evaluation, ${task} (${how}), of the same model in the same quantization. Its engine and GPU may differ from those of the speed results.`,
  ];
}

/** Note on points that are not drawn. */
export function leftOutNote({ leftOut }: Drawing, excluded: Frontier['excluded']): string[] {
  const count = leftOut + (excluded.beyond_limit ?? 0);
  return count === 0
    ? []
    : [`The chart omits ${formatPlural(count, 'more point')} that others beat. Zoom in or add a filter.`];
}

/** Facts of systems, in words. */
const otherFacts: readonly [name: string, textOf: (point: Measured) => string | number][] = [
  ['model', factText.model],
  ['GPU', factText.gpu],
  ['quantization', factText.quantization],
  ['engine', factText.engine],
  ['number of GPUs', ({ system }) => system.gpu_count ?? 'unspecified'],
];

/** Note on the facts that systems of one group differ in. */
export function differencesNote(points: readonly Measured[], { by }: ExplorerState): string[] {
  const groups = [...Map.groupBy(points, factText[by]).values()];
  const differing = otherFacts.filter(([, textOf]) => groups.some((of) => new Set(of.map(textOf)).size > 1));
  if (differing.length === 0) return [];
  return [`Systems of one group differ in ${new Intl.ListFormat('en-GB').format(differing.map(([name]) => name))}.`];
}
