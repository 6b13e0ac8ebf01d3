import { type Day, splitDays } from '@inferboard/core/series/change-figures';
import type { WalkedResult } from './changes-walk.ts';
import type { PointReading } from './history-readings.ts';

/** A day on which a point was measured by one formula. What changed on it stands where its first result was stored. */
export interface Opening extends Day<PointReading> {
  opener: PointReading;
  pointId: number;
  definition: string | null;
  /** All readings of the point by this formula, of whatever day. */
  all: readonly PointReading[];
}

export interface ContestedOpening extends Opening {
  /** The same for points of one model, GPU and scenario. */
  contest: string;
}

export const keyOf = ({ pointId, definition }: { pointId: number; definition: string | null }) =>
  `${pointId} ${definition}`;

/**
 * Results of one point that are read at most, the newest. The same on every page, so that all agree on what opened a day:
 * of a point that has more, the day that is cut opens nothing.
 */
export const readingsOfPoint = 500;

/** Every day of every point and formula among the readings; those of a point are all, or the newest `readingsOfPoint`. */
export function listOpenings(readings: readonly PointReading[]): Opening[] {
  const oldestOfCut = new Map(
    [...Map.groupBy(readings, ({ pointId }) => pointId)].flatMap(([id, of]) =>
      of.length < readingsOfPoint ? [] : [[id, of.map((reading) => reading.id).sort()[0]] as const],
    ),
  );
  return [...Map.groupBy(readings, keyOf).values()].flatMap((all) =>
    splitDays(all).flatMap((day) => {
      const [opener] = day.readings;
      if (opener === undefined) return [];
      const oldest = oldestOfCut.get(opener.pointId);
      if (oldest !== undefined && (day.before.length === 0 || opener.id === oldest)) return [];
      return [{ ...day, opener, pointId: opener.pointId, definition: opener.definition, all }];
    }),
  );
}

/** Those of the results that were the first of their point and formula on their day, in the order given. */
export function findOpenings(walked: readonly WalkedResult[], readings: readonly PointReading[]): ContestedOpening[] {
  const openings = new Map(listOpenings(readings).map((opening) => [opening.opener.id, opening]));
  return walked.flatMap(({ id, contest }) => {
    const opening = openings.get(id);
    return opening === undefined ? [] : [{ ...opening, contest }];
  });
}
