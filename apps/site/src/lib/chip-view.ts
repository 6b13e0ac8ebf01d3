import type { Best } from './api.ts';
import { formatUsd } from './board-prices.ts';
import { type BoardQuery, boardHref, changed, type Parameter, valuesOf, without } from './board-query.ts';
import { oneOf } from './board-words.ts';
import { factSelects } from './filter-view.ts';
import { formatPercent } from './format.ts';
import { metricHeading, metricOf, naturalOrder } from './metric-text.ts';
import { rankedMetric } from './ranked-metric.ts';

/** Something that a board was asked, with the view without it. */
export interface Chip {
  /** The words of the question that said it; null where a parameter did. */
  phrase: string | null;
  label: string;
  /** Null where there is nothing to take away: something has to rank. */
  href: string | null;
}

const percentText = (share = '') => (share.endsWith('%') ? share.replace('%', ' %') : formatPercent(Number(share)));

/** "TTFT at most 200 ms", "GPU: h100". */
function filterLabel([name, value]: Parameter): string {
  const bound = /^(min|max)_(.+)$/.exec(name);
  const metric = bound === null ? null : metricOf(bound[2] ?? '');
  if (bound !== null && metric !== null) {
    return `${metric.title} ${bound[1] === 'min' ? 'at least' : 'at most'} ${value} ${metric.family.unit}`.trimEnd();
  }
  if (name === 'prices') return `Prices per GPU-hour: ${value}`;
  const [, gpu] = /^price\[(.+)\]$/s.exec(name) ?? [];
  if (gpu !== undefined) return `${gpu}: ${formatUsd(Number(value))} per GPU-hour`;
  const parts = value.split(':');
  if (name === 'min_quality') return `${parts[0]} score at least ${percentText(parts.at(-1))}`;
  if (name === 'quality_within')
    return `${parts[0]} score within ${percentText(parts.at(-1))} of ${parts.length === 3 ? parts[1] : 'bf16'}`;
  const fact = factSelects.find(({ parameter }) => parameter === name);
  return `${fact?.label ?? name.replaceAll('_', ' ')}: ${value}`;
}

const priceLabel = (price: string) => `A GPU-hour costs ${formatUsd(Number(price))}`;

/** Chips of a board that is asked for in parameters: one a filter. */
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

/** "max_itl_ms_mean=20, gpu=h100,h200" as parameters, each value one. */
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

/** What a view is without one thing that was said of it; null where that changes nothing. */
function withoutSaid(query: BoardQuery, [name, value]: Parameter): BoardQuery | null {
  if (name === 'subject') return query.subject === null ? null : changed(query, { subject: null });
  if (name === 'limit') return query.limit === null ? null : changed(query, { limit: null });
  if (name === 'rank_by' || name === 'gpu_usd_per_hour') {
    if (query.rankBy === null) return null;
    // One price for all is of use to a ranking by cost only.
    return changed(query, { rankBy: null, order: null, price: null });
  }
  const values = valuesOf(query, name);
  // Names may hold commas; then the filter goes as a whole.
  const gone = values.includes(value) ? [value] : values;
  return gone.length === 0 ? null : gone.reduce((rest, one) => without(rest, [name, one]), query);
}

/** The view without what one phrase said. `query` asks in parameters what the question asked in words. */
function withoutPhrase(query: BoardQuery, said: readonly Parameter[]): string | null {
  const plain = changed(query, {});
  const rest = said.reduce((view, parameter) => withoutSaid(view, parameter) ?? view, plain);
  return rest === plain ? null : boardHref(rest);
}

/** Chips of a question in words: each phrase, what it became, and the view without it. */
export function questionChips(phrases: Best['interpretation']['phrases'], query: BoardQuery): Chip[] {
  return phrases.map(({ text, became }) => {
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
    return { phrase: text, label: labels.join(', '), href: withoutPhrase(query, said) };
  });
}
