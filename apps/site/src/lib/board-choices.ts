import { defaultRank } from '@inferboard/core/questions/index';
import type { Choice, Matrix, WorkloadChoice } from './api.ts';
import { type BoardQuery, boardHref, changed, type Parameter } from './board-query.ts';
import type { BoardData } from './board-view.ts';
import { scenarioTitle } from './catalogue-links.ts';
import { formatPlural } from './format.ts';
import { type MatrixQuery, matrixHref } from './matrix-query.ts';
import { definitionGroupText, metricHeading, metricOf } from './metric-text.ts';
import { rankedMetric } from './ranked-metric.ts';
import { scenarioText } from './words.ts';

/** Parameters that say which workload. */
export const workloadNames: readonly string[] = ['workload', 'scenario', 'regime'];

/** One thing that a board holds to, in words, and the boards that hold to another. */
export interface BoardChoice {
  /** "Workload". */
  what: string;
  chosen: string;
  detail: string | null;
  reason: string;
  others: { label: string; systems: string; href: string }[];
}

const regimeSuffix = /-(steady|burst|offline|unspecified)$/u;
const regimeTitles: Record<string, string> = { unspecified: 'load not stated' };

/** "Chatbot, steady": a workload's id in words. */
export function workloadTitle(id: string): string {
  const [, regime] = regimeSuffix.exec(id) ?? [];
  const shape = scenarioTitle(id.replace(regimeSuffix, ''));
  return regime === undefined ? shape : `${shape}, ${regimeTitles[regime] ?? regime}`;
}

interface Words {
  what: string;
  title(id: string): string;
  detail: string | null;
  href(id: string): string;
}

const toChoice = (choice: Choice, { what, title, detail, href }: Words): BoardChoice => ({
  what,
  chosen: title(choice.id),
  detail,
  reason: choice.reason,
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

const ofWorkload = (workload: NonNullable<WorkloadChoice>, href: Words['href']): BoardChoice =>
  toChoice(workload, {
    what: 'Workload',
    title: workloadTitle,
    // A data set that names the workload need not be said again.
    detail: scenarioText({ ...workload, id: workload.id.replace(regimeSuffix, ''), kernel: null }).detail,
    href,
  });

const ofAccount = ({ name, reason }: NonNullable<BoardData['account']>): BoardChoice => ({
  what: 'Account',
  chosen: name,
  detail: null,
  reason,
  others: [],
});

/** What the cells of a matrix hold to together. */
export function matrixChoices({ workload, account }: Matrix, query: MatrixQuery): BoardChoice[] {
  const href = (id: string) => {
    const kept = query.filters.filter(([name]) => !workloadNames.includes(name));
    return matrixHref({ ...query, filters: [...kept, ['workload', id]] });
  };
  return [workload && ofWorkload(workload, href), account && ofAccount(account)].filter((choice) => choice !== null);
}

/** What a board holds to: its workload, its metric, the formulas of that. `resolved` asks for it in parameters. */
export function toChoices(data: BoardData, resolved: BoardQuery): BoardChoice[] {
  const { workload, definition, rankChoice } = data;
  const metric = rankedMetric(data.rankBy);
  const titleOf = (id: string) => {
    const other = rankedMetric(id);
    return other === null ? id : metricHeading(other);
  };
  // What prices make is ranked by a figure of the results.
  const made = metricOf(data.rankBy) === null && metric !== null ? metric : null;
  const ranked = toChoice(rankChoice, {
    what: 'Metric',
    title: (id) => (made !== null && id === rankChoice.id ? metricHeading(made) : titleOf(id)),
    detail: made === null ? null : `from ${metricOf(defaultRank)?.title ?? defaultRank}`,
    href: (id) => boardHref(changed(resolved, { rankBy: id, order: null, price: null, sort: null })),
  });
  const work = workload && ofWorkload(workload, (id) => replaced(resolved, workloadNames, ['workload', id]));
  const formula =
    definition &&
    toChoice(definition, {
      what: 'Definition',
      title: (id) => (metric === null ? null : definitionGroupText(metric, id)) ?? id,
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

/** Workloads beside the one that is shown. */
const tabsMax = 6;

/** The workload that is shown and those with the most systems beside it, as boards of the same question. */
export function workloadTabs({ workload }: BoardData, resolved: BoardQuery): WorkloadTab[] {
  if (workload === null) return [];
  const { id, systems, others } = workload;
  const href = (one: string) => replaced(resolved, workloadNames, ['workload', one]);
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
