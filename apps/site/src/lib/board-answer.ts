import type { Entry } from './api.ts';
import type { BoardData, BoardRow, BoardView } from './board-view.ts';
import { oneOf } from './board-words.ts';
import { formatPercent, formatPlural } from './format.ts';
import { naturalOrder } from './metric-text.ts';

/** The board's first place in a few lines: what is best, how sure that is, where it came from. */
export interface Answer {
  row: BoardRow;
  /** "95 % interval 197.73 to 198.39": or why there is none. */
  interval: string;
  n: string;
  /** How far ahead it is, or who shares the place. */
  standing: string;
  sourceHref: string | null;
}

function intervalText({ figure }: BoardRow): string {
  if (figure.interval !== null) return `95 % interval ${figure.interval}`;
  if (figure.assumed !== null) return `95 % interval ${figure.assumed}`;
  if (figure.n === 'not stated') return 'no interval: the tool does not state the number of runs';
  return figure.n === '1' ? 'no interval: one run' : 'no interval: the tool states no deviation';
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
  if (row === undefined || !isFirstPage || data.order !== naturalOrder(view.metric)) return null;
  return {
    row,
    interval: intervalText(row),
    n: row.figure.n === 'not stated' ? 'n not stated' : `n ${row.figure.n}`,
    standing: standingText(data, oneOf(view.subject)),
    sourceHref: row.runs[0]?.href ?? null,
  };
}
