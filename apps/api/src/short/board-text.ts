import { formatFigure } from '@inferboard/core/format/figure';
import { formatLoad } from '@inferboard/core/subjects/load';
import { type SaidEntry, systemText } from '../asking/sentences.ts';
import { textTable } from './text-table.ts';

/** The fields of an entry that the text uses. Only a full entry has its source. */
interface Entry extends SaidEntry {
  rank: number | null;
  statistics: { n: number | null; ci95: readonly [number, number] | null };
  trust: string;
  source?: { publisher: string | null; title: string | null } | null;
}

interface Board {
  rank_by: string;
  unit: string;
  workload: { id: string } | null;
  definition: { id: string } | null;
  data: readonly Entry[];
}

/** "1,240 ± 12": a value and half its 95 % interval, if it has one. */
function figureText(value: number, unit: string, ci95: readonly [number, number] | null): string {
  const half = ci95 === null ? null : (ci95[1] - ci95[0]) / 2;
  const figure = formatFigure(value, unit, { ci95, sd: half });
  return figure === null ? '' : [figure.number, figure.sd].filter((part) => part !== null).join(' ');
}

/** A time of ten seconds or more is written in seconds. */
const unitText = (value: number, unit: string) => formatFigure(value, unit)?.unit ?? unit;

/**
 * A board as a table of text: rank, figure with half its 95 % interval, unit, n, system, load and source.
 *
 * @param hasIntervals false for costs, whose intervals are those of another unit
 * @param links the page of the board, and the next page of the table
 */
export function textOfBoard(
  { rank_by, unit, workload, definition, data }: Board,
  { hasIntervals, page, next }: { hasIntervals: boolean; page: string; next: string | null },
): string {
  const ranked = [
    `${rank_by}${workload === null ? '' : ` in ${workload.id}`}`,
    ...(definition === null ? [] : [`by the formulas ${definition.id}`]),
  ].join(', ');
  const figures = (entry: Entry) => (hasIntervals ? entry.statistics.ci95 : null);
  const table = textTable(data, [
    { title: 'Rank', isNumber: true, of: ({ rank }) => (rank === null ? '-' : String(rank)) },
    { title: 'Value ± 95 %', isNumber: true, of: (entry) => figureText(entry.value, unit, figures(entry)) },
    { title: 'Unit', of: ({ value }) => unitText(value, unit) },
    { title: 'n', isNumber: true, of: ({ statistics }) => (statistics.n === null ? '?' : String(statistics.n)) },
    { title: 'System', of: ({ system }) => systemText(system) },
    { title: 'Load', of: ({ load }) => formatLoad(load) },
    { title: 'Source', of: ({ source, trust }) => source?.title ?? source?.publisher ?? trust },
  ]);
  return [
    `Ranked by ${ranked}\n\n`,
    data.length === 0 ? 'No stored result matches.\n' : table,
    `\nPage: ${page}\n`,
    ...(next === null ? [] : [`Next: ${next}\n`]),
  ].join('');
}
