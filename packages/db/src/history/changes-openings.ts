import { type Day, splitDays } from '@inferboard/core/series/change-figures';
import type { WalkedResult } from './changes-walk.ts';
import type { PointReading } from './history-readings.ts';

/** A day on which a point was measured by one formula. Its changes are dated by its first stored result. */
export interface Opening extends Day<PointReading> {
  opener: PointReading;
  pointId: number;
  definition: string | null;
  /** All readings of the point by this formula, on any day. */
  all: readonly PointReading[];
}

export interface ContestedOpening extends Opening {
  /** Equal for points with the same model, GPU and scenario. */
  contest: string;
}

export const keyOf = ({ pointId, definition }: { pointId: number; definition: string | null }) =>
  `${pointId} ${definition}`;

/**
 * Maximum results to read per point, the newest. Constant across pages, so that all agree on the first result of a day. A day
 * that the limit cuts is not an opening.
 */
export const readingsOfPoint = 500;

/**
 * All days of every point and formula among the readings. The readings contain all results of a point, or its newest
 * `readingsOfPoint`.
 */
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

/** The given results that were the first of their point and formula on their day, in order. */
export function findOpenings(walked: readonly WalkedResult[], readings: readonly PointReading[]): ContestedOpening[] {
  const openings = new Map(listOpenings(readings).map((opening) => [opening.opener.id, opening]));
  return walked.flatMap(({ id, contest }) => {
    const opening = openings.get(id);
    return opening === undefined ? [] : [{ ...opening, contest }];
  });
}
