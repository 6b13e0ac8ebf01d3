import type { ResultStatus } from '@inferboard/core/subjects/result';
import { type SQL, sql } from 'drizzle-orm';

/** Identifies the statistics row of a representative claim. */
export interface RowKey {
  pointId: number;
  status: ResultStatus;
  variant: number;
}

/** Keys as the text that `theRows` parses. `revisions`: what the caller knows of each row, as `asked.revision`. */
export const rowKeys = (keys: readonly RowKey[], revisions: readonly (string | null)[] = []): string =>
  JSON.stringify(
    keys.map(({ pointId, status, variant }, place) => [place, pointId, status, variant, revisions[place] ?? null]),
  );

/**
 * Selects rows `t` of representative claims by their keys, with their points `p`. `asked.place` is the index of each key, from 0.
 *
 * @param keys as `rowKeys` writes them
 */
export const theRows = (keys: SQL): SQL => sql`(
    select (k ->> 0)::int as place, (k ->> 1)::bigint as point_id, k ->> 2 as status, (k ->> 3)::smallint as variant,
      k ->> 4 as revision
    from jsonb_array_elements(${keys}::jsonb) k) asked
  join point_statistics t on t.point_id = asked.point_id and t.status = asked.status and t.variant = asked.variant
    and t.stands
  join points p on p.id = t.point_id`;
