import { type SQL, sql } from 'drizzle-orm';

/**
 * Requests of the stored points of a run: those that ended of a partial point, and the planned ones of a point without figures,
 * each turn of a conversation counted. `runs.requests_done` also counts the requests of the current point, which are lost if the
 * point is not stored.
 *
 * @param runId the column with the id of the run
 */
export const measuredRequests = (runId: SQL): SQL => sql`coalesce((
  select sum(case when jsonb_typeof(p.summary -> 'metrics') = 'object'
    then least((p.summary #>> '{requests,total}')::int, (p.summary #>> '{requests,ok}')::int + (p.summary #>> '{requests,failed}')::int)
    else (p.point ->> 'requests')::int * coalesce((p.point #>> '{scenario,prompts,conversation,turns}')::int, 1) end)
  from run_points p where p.run_id = ${runId} and p.measured_at is not null), 0)::int`;
