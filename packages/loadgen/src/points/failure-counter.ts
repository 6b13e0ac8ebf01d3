import type { Side } from '../compare-servers/paired.ts';
import type { LoadRecord } from '../measure/measure-load.ts';

/** Counts the consecutive failures of each server over all points. */
export interface FailureCounter {
  /** Consecutive failures that end the next point of a server; undefined if nothing ends it. */
  left(side: Side): number | undefined;
  add(side: Side, record: Pick<LoadRecord, 'requests'>): void;
}

/**
 * Points can have fewer requests than the limit, so failures at the end of a point count for the next one.
 *
 * @param max undefined: no limit
 * @param isPerPoint a search continues after a point that was ended, so each of its points has the whole limit
 */
export function createFailureCounter(max: number | undefined, isPerPoint: boolean): FailureCounter {
  const inRow = { a: 0, b: 0 };
  return {
    left: (side) => (max === undefined || isPerPoint ? max : Math.max(1, max - inRow[side])),
    add: (side, { requests }) => {
      const ended = requests
        .filter(({ outcome }) => outcome !== 'cancelled' && outcome !== 'dropped')
        .sort((a, b) => a.closed_ms - b.closed_ms);
      const lastOk = ended.findLastIndex(({ outcome }) => outcome === 'ok');
      inRow[side] = lastOk === -1 ? inRow[side] + ended.length : ended.length - 1 - lastOk;
    },
  };
}
