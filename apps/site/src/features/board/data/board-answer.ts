import type { Entry } from '../../../lib/api.ts';
import { formatPercent, formatPlural } from '../../../lib/format.ts';
import { inSentence, naturalOrder } from '../../../lib/metric-text.ts';
import { isTied } from '../../../lib/rank-text.ts';
import { lengthsText, usersText } from '../../../lib/words.ts';
import { workloadTitle } from './board-choices.ts';
import type { BoardData, BoardRow, BoardView } from './board-view.ts';
import { oneOf } from './board-words.ts';

/** The first row of the board as a sentence: the best value, its workload, its certainty and its source. */
export interface Answer {
  row: BoardRow;
  /** "Fastest per GPU". */
  best: string;
  /** Words between the row's name and the rest of the sentence. */
  joint: 'on' | 'with';
  /** "tok/s per GPU". */
  unit: string;
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
  const ahead = second.value === 0 ? null : formatPercent(Math.abs(best.value - second.value) / Math.abs(second.value));
  if (ahead === null) return '';
  // A single measurement has no interval, so the significance of the lead is unknown.
  const isSure = [best, second].every(hasInterval);
  return `${ahead} ahead of the next${isSure ? ', and their 95 % intervals do not overlap' : '; without an interval for both, the gap may be due to chance'}.`;
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
    unit: view.metric.name === 'output_tok_s_per_gpu' ? `${row.figure.unit} per GPU` : row.figure.unit,
    work: `${lengthsText(best.scenario) ?? (view.workload === null ? row.scenario.title : workloadTitle(view.workload))}, ${usersText(best.load, best.workload?.regime ?? null)}`,
    standing: standingText(data, oneOf(view.subject)),
    sourceHref: row.runs[0]?.href ?? null,
  };
}
