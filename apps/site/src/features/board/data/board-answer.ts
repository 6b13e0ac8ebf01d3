import { workloadTitle } from '@inferboard/core/workloads/workload-title';
import type { Entry } from '../../../lib/api.ts';
import { formatDigits, formatPercent, formatPlural, withUnit } from '../../../lib/format.ts';
import { inSentence, naturalOrder } from '../../../lib/metric-text.ts';
import { isTied } from '../../../lib/rank-text.ts';
import { lengthsText, usersText } from '../../../lib/words.ts';
import type { BoardData, BoardRow, BoardView } from './board-view.ts';
import { oneOf } from './board-words.ts';

/** The first row of the board as a sentence: the best value, its workload, its certainty and its source. */
export interface Answer {
  row: BoardRow;
  /** "Fastest per GPU". */
  best: string;
  /** Words between the row's name and the rest of the sentence. */
  joint: 'on' | 'with';
  /** "1,639 tok/s per GPU", "$0.1236 per million output tokens". */
  value: string;
  /** "8k in / 1k out, 64 users". */
  work: string;
  /** "95 % interval 197.73 to 198.39"; null without an interval. */
  interval: string | null;
  n: string;
  /** The lead over the next row, or the rows that share the place. */
  standing: string;
  sourceHref: string | null;
}

function intervalText({ figure }: BoardRow): string | null {
  if (figure.interval !== null) return `95 % interval ${figure.interval}`;
  if (figure.assumed !== null) return `95 % interval ${figure.assumed}`;
  return null;
}

/** Words for the first place of some metrics; others have "highest" or "lowest". */
const bestWords: Record<string, string> = {
  output_tok_s_per_gpu: 'Fastest per GPU',
  output_tok_s: 'Highest throughput',
  user_tok_s: 'Fastest per user',
  decode_tok_s: 'Fastest decode',
  prefill_tok_s: 'Fastest prefill',
  usd_per_mtok_output: 'Cheapest',
  tok_per_joule: 'Most tokens per joule',
};

const bestText = ({ metric, order }: BoardView): string =>
  bestWords[metric.name] ?? `${order === 'asc' ? 'Lowest' : 'Highest'} ${inSentence(metric.title)}`;

/** "1 measurement", "mean of 5 measurements". */
function measurementsText({ figure: { n } }: BoardRow): string {
  if (n === 'not stated') return 'number of runs not stated';
  return n === '1' ? '1 measurement' : `mean of ${formatPlural(Number(n), 'measurement')}`;
}

const hasInterval = ({ statistics }: Entry) => (statistics.ci95 ?? statistics.assumed) !== null;

/** From this ratio of the first value to the second, the lead is a multiple: a larger percentage is hard to read. */
const multipleFrom = 2;

/** "0.85 % ahead of the next", "3.6 times the next", "The next is 3.6 times as high"; null if the next value is zero. */
function leadText(best: Entry, second: Entry): string | null {
  const [a, b] = [Math.abs(best.value), Math.abs(second.value)];
  const [low, high] = [Math.min(a, b), Math.max(a, b)];
  if (low > 0 && high / low >= multipleFrom) {
    const times = `${formatDigits(high / low, 2)} times`;
    return best.value >= second.value ? `${times} the next` : `The next is ${times} as high`;
  }
  const ahead = b === 0 ? null : formatPercent(Math.abs(best.value - second.value) / b);
  return ahead === null ? null : `${ahead} ahead of the next`;
}

/** Whether the lead may be due to chance. A single measurement has no interval, so its uncertainty is unknown. */
function certaintyText(best: Entry, second: Entry): string {
  const both = [best, second];
  if (both.every(hasInterval)) return ', and their 95 % intervals do not overlap';
  const ratio = Math.abs(best.value / second.value);
  if (Math.max(ratio, 1 / ratio) < multipleFrom) return '; without an interval for both, the gap may be due to chance';
  const isSingle = both.every(({ statistics: { n } }) => n === 1);
  return `; ${isSingle ? 'one run each' : 'no interval for both'}, so the uncertainty is unknown`;
}

const loadOf = ({ load, workload }: Entry) => usersText(load, workload?.regime ?? null);

function standingText(data: BoardData, thing: string): string {
  const [best, second] = data.entries;
  if (best === undefined) return '';
  if (best.rank_spread === null) return 'Not ranked: its account is new.';
  const shares = best.rank_spread[1] - best.rank_spread[0];
  if (isTied(best)) {
    const why = hasInterval(best) ? 'the 95 % intervals overlap' : 'the values are equal';
    const others = shares === 0 ? 'others' : formatPlural(shares, 'other');
    return `Tied with ${best.high_at_least && shares > 0 ? 'at least ' : ''}${others}: ${why}.`;
  }
  if (second === undefined) return `No other ${thing} is ranked here.`;
  const lead = leadText(best, second);
  if (lead === null) return '';
  const [own, next] = [loadOf(best), loadOf(second)];
  const loads = own === next ? '' : ` The loads differ: ${own} and ${next}.`;
  return `${lead}${certaintyText(best, second)}.${loads}`;
}

function valueText({ metric }: BoardView, { figure }: BoardRow): string {
  const value = withUnit(figure.value, figure.unit);
  if (metric.name === 'output_tok_s_per_gpu') return `${value} per GPU`;
  return metric.name === 'usd_per_mtok_output' ? `${value} per million output tokens` : value;
}

/** Null if the page does not start with the best row: a later page, or the reverse order. */
export function toAnswer(view: BoardView, data: BoardData, isFirstPage: boolean): Answer | null {
  const best = data.entries[0];
  const row = best === undefined ? undefined : view.rows[view.entries.indexOf(best)];
  if (best === undefined || row === undefined || !isFirstPage || data.order !== naturalOrder(view.metric)) return null;
  return {
    row,
    interval: intervalText(row),
    n: measurementsText(row),
    best: bestText(view),
    joint: view.subject === null || view.subject === 'model' ? 'on' : 'with',
    value: valueText(view, row),
    work: `${lengthsText(best.scenario) ?? (view.workload === null ? row.scenario.title : workloadTitle(view.workload))}, ${usersText(best.load, best.workload?.regime ?? null)}`,
    standing: data.isComparison ? '' : standingText(data, oneOf(view.subject)),
    sourceHref: row.runs[0]?.href ?? null,
  };
}
