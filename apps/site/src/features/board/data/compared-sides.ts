import type { Best } from '../../../lib/api.ts';
import { formatWithUnit } from '../../../lib/format.ts';
import { hardwareText, loadText, quantizationText, systemTitle } from '../../../lib/words.ts';
import { rankedMetric } from './ranked-metric.ts';

type Comparison = NonNullable<Best['comparison']>;

/** A side of a comparison in words. */
export interface ComparedSide {
  name: string;
  /** Null if the side has no result. */
  best: { value: string; metric: string; system: string; href: string; where: string } | null;
  /** Null if the side is not compared. */
  ratio: string | null;
}

function bestOf({ best, unit, rank_by: rankBy }: Comparison['sides'][number]): ComparedSide['best'] {
  if (best === null) return null;
  const { value, system, scenario, load } = best;
  const name = [systemTitle(system), quantizationText(system)].filter((part) => part !== null).join(' ');
  return {
    ...{ value: formatWithUnit(value, unit), metric: rankedMetric(rankBy)?.title ?? rankBy },
    ...{ system: `${name}, ${hardwareText(system)}`, href: `/systems/${system.id}` },
    where: [scenario?.id, loadText(load)].filter((part) => part !== undefined).join(', '),
  };
}

/** The sides of a comparison. */
export const comparedSides = ({ sides }: Comparison): ComparedSide[] =>
  sides.map((side) => ({
    ...{ name: side.name, best: bestOf(side) },
    ratio: side.ratio === null ? null : String(Number(side.ratio.toPrecision(3))),
  }));
