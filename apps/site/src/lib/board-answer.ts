import type { Entry } from './api.ts';
import { workloadTitle } from './board-choices.ts';
import type { BoardData, BoardRow, BoardView } from './board-view.ts';
import { oneOf } from './board-words.ts';
import { formatPercent, formatPlural } from './format.ts';
import { inSentence, naturalOrder } from './metric-text.ts';
import { lengthsText, usersText } from './words.ts';

/** The board's first place in one sentence: what is best, at which work, how sure that is, where it came from. */
export interface Answer {
  row: BoardRow;
  /** "Fastest per GPU". */
  best: string;
  /** What stands between the row's name and the rest of it. */
  joint: 'on' | 'with';
  /** "tok/s per GPU". */
  unit: string;
  /** "8k in / 1k out, 64 users". */
  work: string;
  /** "95 % interval 197.73 to 198.39"; null where there is none. */
  interval: string | null;
  n: string;
  /** How far ahead it is, or who shares the place. */
  standing: string;
  sourceHref: string | null;
}

function intervalText({ figure }: BoardRow): string | null {
  if (figure.interval !== null) return `95 % interval ${figure.interval}`;
  if (figure.assumed !== null) return `95 % interval ${figure.assumed}`;
  return null;
}

/** What the first place of some boards is called; of others it has the highest or lowest value. */
const bestWords: Record<string, string> = {
  output_tok_s_per_gpu: 'Fastest per GPU',
  output_tok_s: 'Highest throughput',
  user_tok_s: 'Fastest for each user',
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
  if (shares > 0) {
    const why = hasInterval(best) ? 'the 95 % intervals overlap' : 'the values are equal';
    return `Shares its place with ${formatPlural(shares, 'other')}: ${why}.`;
  }
  if (second === undefined) return `No other ${thing} is ranked here.`;
  const ahead = second.value === 0 ? null : formatPercent(Math.abs(best.value - second.value) / Math.abs(second.value));
  if (ahead === null) return '';
  // A single figure has no interval: whether the lead is more than chance, nobody knows.
  const isSure = [best, second].every(hasInterval);
  return `${ahead} ahead of the next${isSure ? ', and their 95 % intervals do not overlap' : '; without intervals on both, the gap may be chance'}.`;
}

/** Null where the page does not begin with the best: another page of it, or the board from its other end. */
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
