import { type PlanPoint, pointTitle } from '@inferboard/core/plans/point';
import type { Side } from '../compare-servers/paired.ts';

/** "B, 4096-256, 2 concurrent, repetition 3": a point, with its server if two are measured. The first repetition has no number. */
export const pointName = (point: PlanPoint, side: Side | null = null): string =>
  [...(side === null ? [] : [side.toUpperCase()]), pointTitle(point)].join(', ');

/** Maximum names in a list. A named plan has 180 points. */
const namesMax = 5;

/** "chatbot, burst of 32; rag, single request; 3 more points": names of points in a sentence. */
export function listPoints(names: readonly string[]): string {
  if (names.length <= namesMax + 1) return names.join('; ');
  return [...names.slice(0, namesMax), `${names.length - namesMax} more points`].join('; ');
}
