import type { History } from '../../../lib/api.ts';
import { toCsv } from '../../../lib/csv.ts';

const heading = [
  'scenario',
  'input_tokens',
  'output_tokens',
  'load_mode',
  'load_level',
  'metric',
  'unit',
  'definition',
  'system_id',
  'engine_version',
  'month',
  'at',
  'at_is',
  'value',
  'n',
  'sd',
  'ci95_low',
  'ci95_high',
  'results',
  'trust',
  'submission_id',
  'result_id',
];

/** A history as CSV: one line for each value of each series. */
export function historyCsv({ data, metric, unit }: History): string {
  const rows = data.flatMap(({ scenario, load, definition, values }) =>
    values.map((value) => [
      ...[scenario.id, scenario.input_tokens, scenario.output_tokens, load.mode, load.level, metric, unit, definition],
      ...[value.system_id, value.engine_version, value.month, value.at, value.at_is, value.mean, value.n, value.sd],
      ...[value.ci95?.[0], value.ci95?.[1], value.results, value.trust, value.submission_id, value.result_id],
    ]),
  );
  return toCsv(heading, rows);
}
