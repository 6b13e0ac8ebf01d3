import type { Match } from '@inferboard/core/filters/filters';
import type { QualityBound } from '@inferboard/core/filters/quality';
import { type SQL, sql } from 'drizzle-orm';

/** What tells a model, and a quantization, from others. */
const modelOf = (system: string): SQL =>
  sql.raw(`coalesce(${system}.model_id, ${system}.model_family, ${system}.model_key)`);
const quantizationOf = (system: string): SQL =>
  sql.raw(`coalesce(${system}.quantization_id, ${system}.quantization_key)`);

/**
 * Scores by a task, of each model, quantization and way in which it was evaluated the one over the most items; of as many
 * the first that was sent. It depends on no row outside, so that it is read once for a question.
 */
const scores = (task: string, which: SQL): SQL => sql`(
  select distinct on (model, quantization, scenario_id) model, quantization, scenario_id, score
  from (
    select ${modelOf('q')} as model, ${quantizationOf('q')} as quantization, e.scenario_id, f.score, f.first_result_id,
      (f.spreads -> 'score' ->> 0)::int as items
    from scenarios a
    join points e on e.scenario_id = a.id and e.kind = 'quality'
    join systems q on q.id = e.system_id
    join point_statistics f on f.point_id = e.id and f.stands and f.variant = 0 and f.status = 'accepted'
    where regexp_replace(lower(a.quality ->> 'task'), '[-_ ]', '', 'g') = ${task} and f.score is not null and ${which}) found
  order by model, quantization, scenario_id, items desc nulls last, first_result_id)`;

const isOf = (match: Match): SQL =>
  match.by === 'id'
    ? sql`q.quantization_id = ${match.id}`
    : sql`q.quantization_key = ${match.by === 'name' ? match.key : match.family}`;

/**
 * True for systems `s` whose model in its quantization meets a bound in every way in which it was evaluated by the task, and
 * was so at least once.
 */
export function qualityCondition({ task, least }: QualityBound): SQL {
  const own = scores(task, sql`true`);
  const meeting =
    'score' in least
      ? sql`select own.model, own.quantization from ${own} own group by 1, 2 having bool_and(own.score >= ${least.score})`
      : sql`
        select own.model, own.quantization
        from ${own} own join ${scores(task, isOf(least.of))} base using (model, scenario_id)
        group by 1, 2 having bool_and(own.score >= ${least.share} * base.score)`;
  return sql`(${modelOf('s')}, ${quantizationOf('s')}) in (${meeting})`;
}
