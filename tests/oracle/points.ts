import { metricFamilies } from '../../packages/core/src/metrics/index.ts';
import {
  type PointSample,
  type PointStatistics,
  pointStatistics,
} from '../../packages/core/src/statistics/point-statistics.ts';
import type { Row } from './rows.ts';

// Points as plain arrays: what belongs together is put together again for every question, by looking at every row.

/** A metric's name without its statistic, and what the registry says of it. */
export function familyOf(metric: string) {
  const family = metricFamilies.find(({ base, statistics }) =>
    statistics === null ? base === metric : statistics.some((statistic) => `${base}_${statistic}` === metric),
  );
  if (family === undefined) throw new Error(`there is no metric ${metric}`);
  return family;
}

/** Formulas of a base, preferred first, each with the group that it may be ranked in. */
export const definitionsOf = (base: string) => metricFamilies.find((family) => family.base === base)?.definitions ?? [];

export interface Figure extends PointStatistics {
  /** The results behind it, in the order in which they were stored. */
  behind: Row[];
}

/** Figures of a point that go together: each metric by one formula. */
export interface Variant {
  /** Formula by base; null where a base has none recorded. */
  definitions: Record<string, string | null>;
  figures: Record<string, Figure>;
}

/** The results of a point that have one standing. */
export interface Standing {
  point: string;
  status: string;
  /** Any of them, for the facts that all share. */
  first: Row;
  /** All of them, copies too. */
  rows: Row[];
  trust: string;
  /** The first holds each metric by the preferred formula that the point has, the next by the next. */
  variants: Variant[];
}

const trustLevels = ['managed', 'replicated', 'recomputed', 'self_reported'];

function toSample({ values, repeats }: Row, metric: string): PointSample {
  const value = values[metric];
  if (value === undefined) throw new Error(`no ${metric}`);
  if (repeats === null) return { value, repeats: null };
  const sd = repeats.sd as Record<string, number> | null;
  const samples = repeats.samples as Record<string, number[]> | null;
  return { value, repeats: { n: repeats.n, sd: sd?.[metric] ?? null, samples: samples?.[metric] ?? null } };
}

function figureOf(rows: Row[], metric: string): Figure {
  return { ...pointStatistics(rows.map((row) => toSample(row, metric))), behind: rows };
}

/** Values by different formulas are never averaged: every base's formulas in the order of preference, each its own. */
function toVariants(rows: readonly Row[]): Variant[] {
  const variants: Variant[] = [];
  const variantAt = (place: number) => {
    variants[place] ??= { definitions: {}, figures: {} };
    return variants[place];
  };
  variantAt(0);
  for (const { base, definitions } of metricFamilies) {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row.values)))].filter(
      (name) => familyOf(name).base === base,
    );
    const ids = [...definitions.map(({ id }): string | null => id), null];
    let place = 0;
    for (const id of ids) {
      const having = rows.filter((row) => (row.definitions[base] ?? null) === id);
      const measured = names.filter((name) => having.some((row) => row.values[name] !== undefined));
      if (measured.length === 0) continue;
      const variant = variantAt(place);
      place += 1;
      variant.definitions[base] = id;
      for (const name of measured) {
        variant.figures[name] = figureOf(
          having.filter((row) => row.values[name] !== undefined),
          name,
        );
      }
    }
  }
  return variants;
}

/** Every point with its standings. A copy of what is there already counts in no figure. */
export function toStandings(rows: readonly Row[]): Standing[] {
  const inOrder = [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
  const groups = Map.groupBy(inOrder, ({ point, status }) => `${point} ${status}`);
  return [...groups.values()].flatMap((all): Standing[] => {
    const counted = all.filter(({ isCopy }) => !isCopy);
    const [first] = counted;
    if (first === undefined) return [];
    const trust = trustLevels.find((level) => counted.some((row) => row.trust === level)) ?? '';
    return [{ point: first.point, status: first.status, first, rows: all, trust, variants: toVariants(counted) }];
  });
}
