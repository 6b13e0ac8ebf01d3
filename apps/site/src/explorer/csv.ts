import { toCsv } from '../lib/catalogue-index.ts';
import type { Drawing } from './drawing.ts';
import type { ExplorerView } from './read.ts';

/** The points of a chart as CSV: one line each, with the units of both axes and the page of its system. */
export function explorerCsv({ x, y }: ExplorerView, { curves }: Drawing, origin: string): string {
  const rows = curves.flatMap(({ name, points }) =>
    points.map((point) => [
      ...[name, y.name, y.unit, point.y, x.name, x.unit, point.x],
      ...[point.system, point.detail, origin + point.href],
    ]),
  );
  const heading = ['curve', 'y_metric', 'y_unit', 'y', 'x_metric', 'x_unit', 'x', 'system_id', 'detail', 'page'];
  return toCsv(heading, rows);
}
