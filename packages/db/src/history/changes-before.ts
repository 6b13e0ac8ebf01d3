import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { orderVersions } from '@inferboard/core/series/change-versions';
import type { Queryable } from '../connection/transaction.ts';
import { keyOf, type Opening } from './changes-openings.ts';
import { listMeasuredVersions } from './changes-versions.ts';

/**
 * For openings that are the first day of their point: the point of the previous engine version with the same configuration, by
 * the opening result's id. Points without a version or a previous version are omitted.
 */
export async function findVersionsBefore(
  db: Queryable,
  openings: readonly Opening[],
  metric: Metric,
  filters: Filters,
): Promise<Map<string, number>> {
  const firsts = openings.filter(({ before }) => before.length === 0);
  if (firsts.length === 0) return new Map();
  const points = firsts.map(({ pointId, definition }) => ({ pointId, definition }));
  const versions = await listMeasuredVersions(db, { points, metric, filters });
  const versionsOf = Map.groupBy(versions, ({ of, definition }) => keyOf({ pointId: of, definition }));
  return new Map(
    firsts.flatMap((opening) => {
      const ordered = orderVersions(versionsOf.get(keyOf(opening)) ?? []);
      const before = ordered[ordered.findIndex(({ pointId }) => pointId === opening.pointId) - 1];
      return before === undefined ? [] : [[opening.opener.id, before.pointId] as const];
    }),
  );
}
