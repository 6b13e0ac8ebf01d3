import type { Match } from '@inferboard/core/filters/filters';
import type { QualityBound } from '@inferboard/core/filters/quality';
import { type SQL, sql } from 'drizzle-orm';

/** What tells a model, and a quantization, from others. */
const modelOf = (system: string): SQL =>
  sql.raw(`coalesce(${system}.model_id, ${system}.model_family, ${system}.model_key)`);
const quantizationOf = (system: string): SQL =>
  sql.raw(`coalesce(${system}.quantization_id, ${system}.quantization_key)`);

/**
 * Scores of systems `q` by a task, the one over the most items for each way in which it was evaluated; of as many the first
 * that was sent.
 */
const scores = (task: string, which: SQL): SQL => sql`(
  select distinct on (e.scenario_id) e.scenario_id, f.score
  from systems q
  join points e on e.system_id = q.id and e.kind = 'quality'
  join scenarios a on a.id = e.scenario_id
  join point_statistics f on f.point_id = e.id and f.stands and f.variant = 0 and f.status = 'accepted'
  where regexp_replace(lower(a.quality ->> 'task'), '[-_ ]', '', 'g') = ${task} and f.score is not null
    and ${modelOf('q')} = ${modelOf('s')} and ${which}
  order by e.scenario_id, (f.spreads -> 'score' ->> 0)::int desc nulls last, f.first_result_id)`;

const isOf = (match: Match): SQL =>
  match.by === 'id'
    ? sql`q.quantization_id = ${match.id}`
    : sql`q.quantization_key = ${match.by === 'name' ? match.key : match.family}`;

const ofOwn = sql`${quantizationOf('q')} = ${quantizationOf('s')}`;

/**
 * True for systems `s` whose model in its quantization meets a bound in every way in which it was evaluated by the task, and
 * was so at least once.
 */
export function qualityCondition({ task, least }: QualityBound): SQL {
  if ('score' in least)
    return sql`coalesce((select bool_and(own.score >= ${least.score}) from ${scores(task, ofOwn)} own), false)`;
  return sql`coalesce((
    select bool_and(own.score >= ${least.share} * base.score)
    from ${scores(task, ofOwn)} own join ${scores(task, isOf(least.of))} base using (scenario_id)), false)`;
}
