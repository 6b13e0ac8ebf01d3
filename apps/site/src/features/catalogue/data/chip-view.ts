import { workloadTitle } from '@inferboard/core/workloads/workload-title';
import type { Best } from '../../../lib/api.ts';
import { factSelects } from '../../../lib/filter-view.ts';
import { formatPercent } from '../../../lib/format.ts';
import { metricHeading, metricOf, naturalOrder } from '../../../lib/metric-text.ts';
import { formatUsd } from '../../board/data/board-prices.ts';
import {
  type BoardQuery,
  boardHref,
  changed,
  type Parameter,
  valuesOf,
  without,
} from '../../board/data/board-query.ts';
import { oneOf } from '../../board/data/board-words.ts';
import { rankedMetric } from '../../board/data/ranked-metric.ts';
import { factName } from './fact-name.ts';

/** One part of a board's query, with a link to the view without it. */
export interface Chip {
  /** The words of the question for this part; null for a parameter. */
  phrase: string | null;
  label: string;
  /** Null if it cannot be removed: a ranking metric is required. */
  href: string | null;
}

const percentText = (share = '') => (share.endsWith('%') ? share.replace('%', ' %') : formatPercent(Number(share)));

/** Labels for the kinds of questions. */
const kindLabels: Readonly<Record<string, string>> = {
  compare: 'Compare side by side',
  fit: 'What fits in memory',
  capacity: 'How many at once',
};

/** "GPU" within a sentence, "model". */
const factLabel = (name: string) => (name === 'gpu' ? 'GPU' : name.replaceAll('_', ' '));

/** "TTFT at most 200 ms", "GPU: H100 SXM5 80GB". */
function filterLabel([name, value]: Parameter): string {
  const bound = /^(min|max)_(.+)$/.exec(name);
  const metric = bound === null ? null : metricOf(bound[2] ?? '');
  if (bound !== null && metric !== null) {
    return `${metric.title} ${bound[1] === 'min' ? 'at least' : 'at most'} ${value} ${metric.family.unit}`.trimEnd();
  }
  if (name === 'kind') return kindLabels[value] ?? value;
  if (name === 'memory_gb') return `${value} GB of memory`;
  if (name === 'min_context') return `At least ${value} tokens of context`;
  if (name.startsWith('not_')) return `Not ${factLabel(name.slice(4))}: ${factName(name.slice(4), value)}`;
  if (name === 'workload') return `Workload: ${workloadTitle(value)}`;
  if (name === 'prices') return `Prices per GPU-hour: ${value}`;
  const [, gpu] = /^price\[(.+)\]$/s.exec(name) ?? [];
  if (gpu !== undefined) return `${gpu}: ${formatUsd(Number(value))} per GPU-hour`;
  const parts = value.split(':');
  if (name === 'min_quality') return `${parts[0]} score at least ${percentText(parts.at(-1))}`;
  if (name === 'quality_within')
    return `${parts[0]} score within ${percentText(parts.at(-1))} of ${parts.length === 3 ? parts[1] : 'bf16'}`;
  const fact = factSelects.find(({ parameter }) => parameter === name);
  return `${fact?.label ?? name.replaceAll('_', ' ')}: ${factName(name, value)}`;
}

const priceLabel = (price: string) => `A GPU-hour costs ${formatUsd(Number(price))}`;

/** Chips of a board in parameters: one for each filter. */
export function filterChips(query: BoardQuery): Chip[] {
  const own: Chip[] = [];
  if (query.subject !== null) {
    own.push({
      phrase: null,
      label: `One entry per ${oneOf(query.subject)}`,
      href: boardHref(changed(query, { subject: null })),
    });
  }
  if (query.price !== null) {
    const label = priceLabel(query.price);
    const rankBy = metricOf(query.rankBy ?? '') === null ? null : query.rankBy;
    own.push({ phrase: null, label, href: boardHref(changed(query, { price: null, rankBy })) });
  }
  const filters = query.filters.map((filter) => ({
    phrase: null,
    label: filterLabel(filter),
    href: boardHref(without(query, filter)),
  }));
  return [...own, ...filters];
}

/** Splits "max_itl_ms_mean=20, gpu=h100,h200" into parameters with one value each. */
function readMeaning(meaning: string): Parameter[] {
  return meaning.split(', ').flatMap((part) => {
    const at = part.indexOf('=');
    return at < 1
      ? []
      : part
          .slice(at + 1)
          .split(',')
          .map((value): Parameter => [part.slice(0, at), value]);
  });
}

function rankText(rankBy: string, order: string | undefined): string {
  const metric = rankedMetric(rankBy);
  const name = metric === null ? rankBy : metricHeading(metric);
  const isWorstFirst = metric !== null && order !== undefined && order !== naturalOrder(metric);
  return `Ranked by ${name}${isWorstFirst ? ', worst first' : ''}`;
}

/** The view without one part; null if the part has no effect. */
function withoutSaid(query: BoardQuery, [name, value]: Parameter): BoardQuery | null {
  if (name === 'subject') return query.subject === null ? null : changed(query, { subject: null });
  if (name === 'limit') return query.limit === null ? null : changed(query, { limit: null });
  if (name === 'rank_by' || name === 'gpu_usd_per_hour') {
    if (query.rankBy === null) return null;
    // A single price for all GPUs affects only a ranking by cost.
    return changed(query, { rankBy: null, order: null, price: null });
  }
  const values = valuesOf(query, name);
  // Names can contain commas; the filter is then removed as a whole.
  const gone = values.includes(value) ? [value] : values;
  return gone.length === 0 ? null : gone.reduce((rest, one) => without(rest, [name, one]), query);
}

/** The view without the part of one phrase. `query` is the question in words, converted to parameters. */
function withoutPhrase(query: BoardQuery, said: readonly Parameter[]): string | null {
  const plain = changed(query, {});
  const rest = said.reduce((view, parameter) => withoutSaid(view, parameter) ?? view, plain);
  return rest === plain ? null : boardHref(rest);
}

/** Chips of a question in words: each phrase, its meaning and the view without it. */
export function questionChips(phrases: Best['interpretation']['phrases'], query: BoardQuery): Chip[] {
  return phrases.map(({ text, became, note }) => {
    const said = readMeaning(became);
    const find = (wanted: string) => said.find(([name]) => name === wanted)?.[1];
    const rankBy = find('rank_by');
    const labels = [
      ...(rankBy === undefined ? [] : [rankText(rankBy, find('order'))]),
      ...said.flatMap(([name, value]) => {
        if (name === 'rank_by' || name === 'order') return [];
        if (name === 'subject') return [`One entry per ${oneOf(value)}`];
        if (name === 'limit') return [`The first ${value}`];
        if (name === 'gpu_usd_per_hour') return [priceLabel(value)];
        return [filterLabel([name, value])];
      }),
    ];
    return {
      phrase: text,
      label: `${labels.join(', ')}${note === null ? '' : ` (${note})`}`,
      href: withoutPhrase(query, said),
    };
  });
}
