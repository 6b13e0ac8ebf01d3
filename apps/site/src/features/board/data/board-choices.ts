import { defaultRank } from '@inferboard/core/questions/index';
import { parseWorkload } from '@inferboard/core/workloads/workload-id';
import { workloadTitle } from '@inferboard/core/workloads/workload-title';
import type { Choice, Matrix, WorkloadChoice } from '../../../lib/api.ts';
import { formatPlural } from '../../../lib/format.ts';
import { definitionGroupText, metricHeading, metricOf } from '../../../lib/metric-text.ts';
import { scenarioText } from '../../../lib/words.ts';
import { type MatrixQuery, matrixHref } from '../../matrix/data/matrix-query.ts';
import { type BoardQuery, boardHref, changed, type Parameter } from './board-query.ts';
import type { BoardData } from './board-view.ts';
import { rankedMetric } from './ranked-metric.ts';

/** Parameters that select the workload. */
export const workloadNames: readonly string[] = ['workload', 'scenario', 'regime'];

/** A fixed property of a board in words, with links to boards with other values. */
export interface BoardChoice {
  /** "Workload". */
  what: string;
  chosen: string;
  detail: string | null;
  reason: string;
  others: { label: string; systems: string; href: string }[];
}

interface Words {
  what: string;
  title(id: string): string;
  detail: string | null;
  /** Whether words of a question can have named the value: the address has no parameter for it. */
  isOfWords?: boolean;
  href(id: string): string;
}

const toChoice = (
  choice: Omit<Choice, 'systems'>,
  { what, title, detail, isOfWords = false, href }: Words,
): BoardChoice => ({
  what,
  chosen: title(choice.id),
  detail,
  reason: choice.chosen_because === 'asked' ? `The ${isOfWords ? 'question' : 'address'} names it.` : choice.reason,
  others: choice.others.map(({ id, systems }) => ({
    label: title(id),
    systems: formatPlural(systems, 'system'),
    href: href(id),
  })),
});

const replaced = (query: BoardQuery, names: readonly string[], parameter: Parameter): string =>
  boardHref(
    changed(query, { filters: [...query.filters.filter(([name]) => !names.includes(name)), parameter], sort: null }),
  );

const ofWorkload = (
  workload: NonNullable<WorkloadChoice>,
  { href, isOfWords = false }: Pick<Words, 'href' | 'isOfWords'>,
): BoardChoice =>
  toChoice(workload, {
    isOfWords,
    what: 'Workload',
    title: workloadTitle,
    // Omit a data set that the name of the workload already states.
    detail: scenarioText({ ...workload, id: parseWorkload(workload.id).shape, kernel: null }).detail,
    href,
  });

const ofAccount = ({ name, reason }: NonNullable<BoardData['account']>): BoardChoice => ({
  what: 'Account',
  chosen: name,
  detail: null,
  reason,
  others: [],
});

const workloadHref = (query: MatrixQuery, id: string): string => {
  const kept = query.filters.filter(([name]) => !workloadNames.includes(name));
  return matrixHref({ ...query, filters: [...kept, ['workload', id]] });
};

/** The common properties of the cells of a matrix. */
export function matrixChoices({ workload, account, metric_choice: metric }: Matrix, query: MatrixQuery): BoardChoice[] {
  const titleOf = (id: string) => {
    const known = metricOf(id);
    return known === null ? id : metricHeading(known);
  };
  const ofMetric =
    query.metric === '' && metric
      ? toChoice(metric, {
          what: 'Metric',
          title: titleOf,
          detail: null,
          href: (id) => matrixHref({ ...query, metric: id }),
        })
      : null;
  return [
    ofMetric,
    workload && ofWorkload(workload, { href: (id) => workloadHref(query, id) }),
    account && ofAccount(account),
  ].filter((choice) => choice !== null);
}

/**
 * The fixed properties of a board: workload, metric and definitions. `query` is the view of the address, and `resolved` the same
 * in parameters.
 */
export function toChoices(data: BoardData, query: BoardQuery, resolved: BoardQuery): BoardChoice[] {
  const { workload, definition, rankChoice } = data;
  const isOfWords = (...names: readonly string[]) =>
    query.asked !== null && !query.asked.some(([name]) => names.includes(name));
  const metric = rankedMetric(data.rankBy);
  const titleOf = (id: string) => {
    const other = rankedMetric(id);
    return other === null ? id : metricHeading(other);
  };
  // A cost is ranked by a metric of the results.
  const made = metricOf(data.rankBy) === null && metric !== null ? metric : null;
  const ranked = toChoice(rankChoice, {
    what: 'Metric',
    title: (id) => (made !== null && id === rankChoice.id ? metricHeading(made) : titleOf(id)),
    isOfWords: isOfWords('rank_by'),
    detail: made === null ? null : `from ${metricOf(defaultRank)?.title ?? defaultRank}`,
    href: (id) => boardHref(changed(resolved, { rankBy: id, order: null, price: null, sort: null })),
  });
  const work =
    workload &&
    ofWorkload(workload, {
      isOfWords: isOfWords(...workloadNames),
      href: (id) => replaced(resolved, workloadNames, ['workload', id]),
    });
  const formula =
    definition &&
    toChoice(definition, {
      what: 'Definition',
      title: (id) => (metric === null ? null : definitionGroupText(metric, id)) ?? id,
      isOfWords: isOfWords('definition'),
      detail: null,
      href: (id) => replaced(resolved, ['definition'], ['definition', id]),
    });
  const account = data.account && ofAccount(data.account);
  return [work, ranked, formula, account].filter((choice) => choice !== null);
}

export interface WorkloadTab {
  label: string;
  systems: number;
  href: string;
  isCurrent: boolean;
}

/** Number of other workloads that are linked. */
const tabsMax = 6;

function toTabs(
  { id, systems, others }: NonNullable<WorkloadChoice>,
  href: (workload: string) => string,
): WorkloadTab[] {
  return [
    { label: workloadTitle(id), systems, href: href(id), isCurrent: true },
    ...others.slice(0, tabsMax).map((other) => ({
      label: workloadTitle(other.id),
      systems: other.systems,
      href: href(other.id),
      isCurrent: false,
    })),
  ].toSorted((a, b) => b.systems - a.systems);
}

/** Links to the same board for its workload and for the workloads with the most systems. */
export const workloadTabs = ({ workload }: BoardData, resolved: BoardQuery): WorkloadTab[] =>
  workload === null ? [] : toTabs(workload, (id) => replaced(resolved, workloadNames, ['workload', id]));

/** Links to the same matrix for its workload and for the workloads with the most systems; none if its cells have several. */
export const matrixTabs = ({ workload }: Matrix, query: MatrixQuery): WorkloadTab[] =>
  workload === null ? [] : toTabs(workload, (id) => workloadHref(query, id));
