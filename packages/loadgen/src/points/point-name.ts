import { type PlanPoint, scenarioTitle } from '@inferboard/core/plans/point';
import { formatLoad } from '@inferboard/core/subjects/load';
import type { Side } from '../compare-servers/paired.ts';

/** "B, 4096-256, 2 concurrent, repetition 3": a point, with its server if two are measured. The first repetition has no number. */
export function pointName({ scenario, load, repetition }: PlanPoint, side: Side | null = null): string {
  const parts = [scenarioTitle(scenario), formatLoad(load), ...(repetition > 1 ? [`repetition ${repetition}`] : [])];
  return [...(side === null ? [] : [side.toUpperCase()]), ...parts].join(', ');
}
