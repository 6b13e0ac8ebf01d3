import type { Api } from '../../lib/api.ts';
import { toCsv } from '../../lib/csv.ts';
import type { Drawing } from '../drawing/drawing.ts';
import { keyOf } from '../groups.ts';
import type { ExplorerView } from '../read.ts';

interface Spread {
  n: number | null;
  ci95: readonly [number, number] | null;
}

/** n and the interval of a metric of a point; null for a metric without statistics, such as a cost. */
export type SpreadOf = (key: string, metric: string) => Spread | null;

/** Number of systems that are read at the same time. */
const together = 8;

/** Reads n and the intervals of the drawn points. */
export async function readSpreads(api: Api, { curves }: Drawing): Promise<SpreadOf> {
  const systems = [...new Set(curves.flatMap(({ points }) => points.map(({ system }) => system)))];
  const spreads = new Map<string, Record<string, Spread | null>>();
  for (let at = 0; at < systems.length; at += together) {
    const details = await Promise.all(systems.slice(at, at + together).map((id) => api.getSystem(id)));
    for (const { data } of details)
      for (const { load, workload, statistics } of data?.points ?? [])
        if (data !== null) spreads.set(`${workload?.id} ${keyOf(data.id, load)}`, statistics);
  }
  return (key, metric) => spreads.get(key)?.[metric] ?? null;
}

const heading = [
  ...['curve', 'y_metric', 'y_unit', 'y', 'y_n', 'y_ci95_low', 'y_ci95_high'],
  ...['x_metric', 'x_unit', 'x', 'x_n', 'x_ci95_low', 'x_ci95_high'],
  ...['system_id', 'detail', 'source', 'source_url', 'page'],
];

/**
 * The points of a chart as CSV: one line for each point, with the units, n and intervals of both axes, its publication, and the
 * URL of its system.
 */
export function explorerCsv(
  { x, y, workload }: ExplorerView,
  { curves }: Drawing,
  spreadOf: SpreadOf,
  origin: string,
): string {
  const cells = (key: string, { name, unit }: typeof x, value: number) => {
    const { n = null, ci95 = null } = spreadOf(`${workload} ${key}`, name) ?? {};
    return [name, unit, value, n, ci95?.[0] ?? null, ci95?.[1] ?? null];
  };
  const rows = curves.flatMap(({ name, points }) =>
    points.map((point) => {
      const { sources } = point;
      return [
        ...[name, ...cells(point.key, y, point.y), ...cells(point.key, x, point.x), point.system, point.detail],
        sources.map(({ title, entry }) => [title, entry].filter((part) => part !== null).join(', ')).join('; '),
        sources.flatMap(({ href }) => href ?? []).join(' '),
        origin + point.href,
      ];
    }),
  );
  return toCsv(heading, rows);
}
