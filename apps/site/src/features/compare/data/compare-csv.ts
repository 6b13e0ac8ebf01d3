import type { Comparison } from '../../../lib/api.ts';
import { toCsv } from '../../../lib/csv.ts';

const heading = [
  'scenario',
  'input_tokens',
  'output_tokens',
  'load_mode',
  'load_level',
  'metric',
  'unit',
  'system_id',
  'system',
  'value',
  'n',
  'sd',
  'ci95_low',
  'ci95_high',
  'definition',
  'ratio',
  'ratio_low',
  'ratio_high',
  'significant',
  'better',
];

const said = (value: boolean | null | undefined) => (value == null ? null : String(value));

/** A comparison as CSV: one line for each system and metric at a point. Ratios are over the first system. */
export function compareCsv({ systems, points }: Comparison): string {
  const rows = points.flatMap(({ scenario, load, metrics }) =>
    metrics.flatMap(({ metric, unit, figures }) =>
      figures.flatMap((figure, at) => {
        const system = systems[at];
        if (figure === null || system === undefined) return [];
        const { value, n, sd, ci95, definition, compared } = figure;
        return [
          [
            scenario.id,
            scenario.input_tokens,
            scenario.output_tokens,
            load.mode,
            load.level,
            metric,
            unit,
            system.id,
            system.label,
            value,
            n,
            sd,
            ci95?.[0],
            ci95?.[1],
            definition,
            compared?.ratio,
            compared?.interval?.[0],
            compared?.interval?.[1],
            said(compared?.significant),
            said(compared?.better),
          ],
        ];
      }),
    ),
  );
  return toCsv(heading, rows);
}
