import { formatDigits, formatWithUnit } from '@inferboard/core/format/figure';
import { formatLoad } from '@inferboard/core/subjects/load';
import { type SaidEntry, systemText } from '../asking/sentences.ts';
import { textTable } from './text-table.ts';

interface Figure {
  value: number;
  ci95?: readonly [number, number] | null;
  compared?: { ratio?: number | null; significant?: boolean | null } | null;
}

interface Comparison {
  systems: readonly SaidEntry['system'][];
  points: readonly {
    workload: { id: string };
    load: SaidEntry['load'];
    metrics: readonly { metric: string; unit: string; figures: readonly (Figure | null)[] }[];
  }[];
}

/** "A", "B": the name of a system's column. */
const letterOf = (at: number) => String.fromCharCode('A'.charCodeAt(0) + at);

/** "1,180 tok/s (0.95x)"; an asterisk marks a ratio whose 95 % interval excludes 1. */
function figureText(figure: Figure | null | undefined, unit: string): string {
  if (figure === null || figure === undefined) return '-';
  const value = formatWithUnit(figure.value, unit, { ci95: figure.ci95 });
  const ratio = figure.compared?.ratio;
  if (ratio === null || ratio === undefined) return value;
  return `${value} (${formatDigits(ratio, 3)}x${figure.compared?.significant === true ? '*' : ''})`;
}

/** A comparison as text: the systems by letter, then a table for each workload and load. */
export function textOfComparison({ systems, points }: Comparison, page: string): string {
  const tables = points.map(({ workload, load, metrics }) => {
    const table = textTable(metrics, [
      { title: 'Metric', of: ({ metric }) => metric },
      ...systems.map((_, at) => ({
        title: letterOf(at),
        isNumber: true,
        of: ({ figures, unit }: (typeof metrics)[number]) => figureText(figures[at], unit),
      })),
    ]);
    return `${workload.id}, ${formatLoad(load)}\n${table}\n`;
  });
  return [
    ...systems.map((system, at) => `${letterOf(at)}: ${systemText(system)}\n`),
    '\n',
    ...(tables.length === 0 ? ['No two of them were measured at the same workload and load.\n\n'] : tables),
    ...(tables.some((text) => text.includes('x*)')) ? ['* The 95 % interval of the ratio excludes 1.\n'] : []),
    `Page: ${page}\n`,
  ].join('');
}
