import type { Trend } from '../../../lib/api.ts';
import { toCsv } from '../../../lib/csv.ts';

const heading = [
  ...['series', 'series_title', 'workload', 'metric', 'unit', 'definition', 'day', 'day_is', 'value', 'is_best'],
  ...['n', 'ci95_low', 'ci95_high', 'load_mode', 'load_level', 'system_id', 'system', 'trust'],
  ...['source_title', 'source_entry', 'source_url', 'page'],
];

/** A trend as CSV: one line for each series and day. */
export function trendCsv({ data, metric, unit, workload, definition }: Trend): string {
  const rows = data.flatMap(({ id, title, values }) =>
    values.map(({ system, load, source, ...value }) => [
      ...[id, title, workload?.id, metric, unit, definition?.id, value.day, value.day_is, value.value],
      ...[String(value.is_best), value.n, value.ci95?.[0], value.ci95?.[1], load.mode, load.level],
      ...[system.id, system.label, value.trust, source?.title, source?.entry, source?.url, value.links.page],
    ]),
  );
  return toCsv(heading, rows);
}
