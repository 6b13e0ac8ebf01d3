import type { System } from '../../../lib/api.ts';
import { formatRatio } from '../../../lib/format.ts';
import { hardwareText, quantizationText, systemTitle } from '../../../lib/words.ts';
import type { QuantizationVariants } from '../../catalogue/data/catalogue-speedups.ts';
import { distinctNames } from '../../compare/data/compare-names.ts';

export interface SpeedupText {
  text: string;
  interval: string | null;
  verdict: 'faster' | 'slower' | 'same' | 'unknown';
}

/** A system over the tables, which are the columns. */
export interface OverviewRow {
  title: string;
  quantization: string | null;
  hardware: string;
  /** The facts that distinguish it from rows with the same names. */
  detail: string | null;
  /** `baseline`: the system is the baseline of its group and was measured at this scenario and load. */
  cells: (SpeedupText | 'baseline' | null)[];
}

/** "1.451×" with its interval, to the same precision. */
export function speedupText(value: number, interval: readonly [number, number] | null): SpeedupText {
  const verdict = interval === null ? 'unknown' : interval[0] > 1 ? 'faster' : interval[1] < 1 ? 'slower' : 'same';
  const formatted = formatRatio(value, interval);
  return { text: formatted.text ?? '', interval: formatted.interval, verdict };
}

/** Identifies a point of offline batches. */
export const pointKey = (scenario: string, level: number | null, system: string) =>
  JSON.stringify([scenario, level, system]);

/** The facts that distinguish systems with the same names. */
function detailsOf(systems: readonly System[]): Map<string, string> {
  const named = (system: System) =>
    JSON.stringify([systemTitle(system), quantizationText(system), hardwareText(system)]);
  return new Map(
    [...Map.groupBy(systems, named).values()].flatMap((same) => {
      const names = same.length === 1 ? [] : distinctNames(same);
      return names.map((name, at) => [same[at]?.id ?? '', name] as const);
    }),
  );
}

/**
 * The systems of each group over some scenarios, the baseline first.
 *
 * @param points keys of the measured points
 */
export function overviewOf(
  kin: readonly QuantizationVariants[],
  columns: readonly { scenario: string; level: number | null }[],
  points: ReadonlySet<string>,
  speedups: ReadonlyMap<string, SpeedupText>,
): OverviewRow[] {
  const details = detailsOf(kin.flatMap(({ baseline, others }) => [baseline, ...others]));
  const toRow = (system: System, cells: OverviewRow['cells']): OverviewRow => ({
    ...{ title: systemTitle(system), quantization: quantizationText(system), hardware: hardwareText(system) },
    ...{ detail: details.get(system.id) ?? null, cells },
  });
  return kin.flatMap(({ baseline, others }) => {
    const speedupAt = ({ scenario, level }: (typeof columns)[number], { id }: System) =>
      speedups.get(pointKey(scenario, level, id)) ?? null;
    // A board has a limited number of rows, so the baseline of a speedup may be on none.
    const isMeasured = (column: (typeof columns)[number]) =>
      points.has(pointKey(column.scenario, column.level, baseline.id)) ||
      others.some((other) => speedupAt(column, other) !== null);
    return [
      toRow(
        baseline,
        columns.map((column) => (isMeasured(column) ? 'baseline' : null)),
      ),
      ...others.map((other) =>
        toRow(
          other,
          columns.map((column) => speedupAt(column, other)),
        ),
      ),
    ];
  });
}
