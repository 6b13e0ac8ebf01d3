import { stabilityOf } from '@inferboard/core/statistics/stability';
import { coefficientOfVariation, confidenceInterval95 } from '@inferboard/core/statistics/summary';
import type { StoredStatistics } from '../boards/lists/row-types.ts';
import { type ClaimSummary, type DefinitionGroup, type Figure, together, withOrderOf } from './claim-summary.ts';

type Basis = StoredStatistics['basis'];

/** A single mean over an unknown number of repetitions counts as one value among others. */
function asOneValue(statistics: StoredStatistics): StoredStatistics {
  const { mean } = statistics;
  return { ...statistics, n: 1, sd: null, min: mean, max: mean, basis: 'results' };
}

/** The basis of the merged statistics; null if the single results are required. */
function basisOf(stored: Basis, added: Basis, addedHasRepeats: boolean): Basis | null {
  if (stored === 'tool_summary') return null;
  // Among single values, each summary counts as one, whether or not it states its n.
  if (stored === 'results') return added === 'results' || added === 'tool_summary' ? 'results' : null;
  if (added === 'tool_summary' || (added === 'results' && addedHasRepeats)) return null;
  return stored === 'pooled' || added === 'pooled' ? 'pooled' : 'samples';
}

/** Merges two statistics by Chan's formulas, scaled so that no square overflows. Null if the single results are required. */
function mergeStatistics(a: StoredStatistics, added: StoredStatistics, hasRepeats: boolean): StoredStatistics | null {
  const basis = basisOf(a.basis, added.basis, hasRepeats);
  const b = added.basis === 'tool_summary' ? asOneValue(added) : added;
  if (basis === null || a.n === null || b.n === null) return null;
  const n = a.n + b.n;
  const apart = b.mean - a.mean;
  const mean = a.mean + apart * (b.n / n);
  const sd = Math.hypot(
    Math.sqrt((a.n - 1) / (n - 1)) * (a.sd ?? 0),
    Math.sqrt((b.n - 1) / (n - 1)) * (b.sd ?? 0),
    Math.sqrt((a.n / n) * (b.n / (n - 1))) * apart,
  );
  const cv = coefficientOfVariation(mean, sd);
  const ends = (pick: (...values: number[]) => number, x: number | null, y: number | null) =>
    basis === 'pooled' || x === null || y === null ? null : pick(x, y);
  return {
    n,
    results: a.results + b.results,
    mean,
    sd,
    median: null,
    ci95: confidenceInterval95(mean, sd, n),
    cv,
    stability: stabilityOf(cv),
    min: ends(Math.min, a.min, b.min),
    max: ends(Math.max, a.max, b.max),
    outliers: [],
    basis,
  };
}

function mergeFigures(stored: Figure, added: Figure, addedHasRepeats: boolean): Figure | null {
  const statistics = mergeStatistics(stored.statistics, added.statistics, addedHasRepeats);
  if (statistics === null) return null;
  return {
    statistics,
    tools: together([stored.tools, added.tools]),
    isDerived: stored.isDerived || added.isDerived,
  };
}

function mergeGroups(stored: DefinitionGroup, added: DefinitionGroup): DefinitionGroup | null {
  const figures = new Map(stored.figures);
  for (const [metric, more] of added.figures) {
    const known = figures.get(metric);
    const merged = known === undefined ? more : mergeFigures(known, more, added.hasRepeats);
    if (merged === null) return null;
    figures.set(metric, merged);
  }
  return { ...stored, figures, hasRepeats: stored.hasRepeats || added.hasRepeats };
}

/**
 * Adds results to a claim without reading its stored ones: n, mean, sd and extremes cover all values. Null if a summary with
 * unknown n is mixed with values whose n counts; the single results must then be read.
 *
 * @param newest the figures of the newest results of both, for medians and outliers
 */
export function mergeClaims(
  stored: ClaimSummary,
  added: ClaimSummary,
  newest: readonly DefinitionGroup[],
): ClaimSummary | null {
  const groups = [...stored.groups];
  for (const group of added.groups) {
    const place = groups.findIndex(({ base, definition }) => base === group.base && definition === group.definition);
    const known = groups[place];
    const merged = known === undefined ? group : mergeGroups(known, group);
    if (merged === null) return null;
    if (known === undefined) groups.push(merged);
    else groups[place] = merged;
  }
  const merged = {
    ...stored,
    results: stored.results + added.results,
    runs: stored.runs + added.runs,
    findings: stored.findings + added.findings,
    warnings: stored.warnings + added.warnings,
    firstResultId: stored.firstResultId < added.firstResultId ? stored.firstResultId : added.firstResultId,
    groups,
  };
  return withOrderOf(merged, newest);
}
