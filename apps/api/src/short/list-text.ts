import { formatWithUnit } from '@inferboard/core/format/figure';
import { findMetric } from '@inferboard/core/metrics/index';
import { formatLoad } from '@inferboard/core/subjects/load';
import { type SaidEntry, systemText } from '../asking/sentences.ts';
import { headlineMetrics } from '../submissions/submission-views.ts';
import { textTable } from './text-table.ts';

type System = SaidEntry['system'];

interface Result {
  id: string | null;
  system: System;
  scenario: { id: string };
  load: SaidEntry['load'];
  metrics: Record<string, number | null>;
  derived: Record<string, number | null>;
  findings: readonly unknown[];
  trust: string;
  submission_id: string | null;
}

interface ListedSystem extends System {
  id: string;
  point_count: number;
}

/** Maximum number of figures in a row, so that a table stays readable. */
const figuresMax = 3;

/**
 * The address of the next page as text.
 *
 * @param asked URL of this page
 * @param cursor cursor of the next page; null on the last one
 */
export function nextText(base: string, asked: string, cursor: string | null): string {
  if (cursor === null) return '';
  const { pathname, searchParams } = new URL(asked);
  searchParams.set('cursor', cursor);
  return `Next: ${base}${pathname}?${searchParams}\n`;
}

const nothing = 'No stored result matches.\n';

/** The figures of a result: the metrics of the query, then the headline metrics. */
function figuresOf({ metrics, derived }: Result, bounded: readonly string[]): string {
  const values: Record<string, number | null | undefined> = { ...derived, ...metrics };
  return [...new Set([...bounded, ...headlineMetrics])]
    .flatMap((name) => {
      const [metric, value] = [findMetric(name), values[name]];
      return metric === null || value == null ? [] : [`${name} ${formatWithUnit(value, metric.family.unit)}`];
    })
    .slice(0, figuresMax)
    .join(', ');
}

/**
 * A page of results as a table of text, newest first.
 *
 * @param bounded the metrics that the query names
 */
export function textOfResults(data: readonly Result[], bounded: readonly string[], next: string): string {
  if (data.length === 0) return nothing;
  const table = textTable(data, [
    { title: 'System', of: ({ system }) => systemText(system) },
    { title: 'Scenario', of: ({ scenario }) => scenario.id },
    { title: 'Load', of: ({ load }) => formatLoad(load) },
    { title: 'Figures', of: (result) => figuresOf(result, bounded) },
    { title: 'Findings', isNumber: true, of: ({ findings }) => String(findings.length) },
    { title: 'Trust', of: ({ trust }) => trust },
    { title: 'Submission', of: ({ submission_id: id }) => id ?? '' },
  ]);
  return `${table}${next === '' ? '' : `\n${next}`}`;
}

/** A page of systems as a table of text, by label. */
export function textOfSystems(data: readonly ListedSystem[], base: string, next: string): string {
  if (data.length === 0) return nothing;
  const table = textTable(data, [
    { title: 'System', of: systemText },
    { title: 'Points', isNumber: true, of: ({ point_count: points }) => String(points) },
    { title: 'Page', of: ({ id }) => `${base}/systems/${id}` },
  ]);
  return `${table}${next === '' ? '' : `\n${next}`}`;
}
