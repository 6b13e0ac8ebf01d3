import type { Match } from '@inferboard/core/filters/filters';
import type { QualityBound } from '@inferboard/core/filters/quality';
import { type SQL, sql } from 'drizzle-orm';

/** The identity of a model, and of a quantization. */
export const modelOf = (system: string): SQL =>
  sql.raw(`coalesce(${system}.model_id, ${system}.model_family, ${system}.model_key)`);
export const quantizationOf = (system: string): SQL =>
  sql.raw(`coalesce(${system}.quantization_id, ${system}.quantization_key)`);

/** True for a scenario that evaluates a task, normalized by `taskKey`. */
export const isOfTask = (scenario: string, task: string): SQL =>
  sql`regexp_replace(lower(${sql.raw(scenario)}.quality ->> 'task'), '[-_ ]', '', 'g') = ${task}`;

/**
 * Scores on a task: for each model, quantization and evaluation method, the score over the most items. Ties: the first
 * submitted. The subquery references no outer row, so that it runs once per statement.
 */
export const scores = (task: string, which: SQL): SQL => sql`(
  select distinct on (model, quantization, scenario_id) model, quantization, scenario_id, score
  from (
    select ${modelOf('q')} as model, ${quantizationOf('q')} as quantization, e.scenario_id, f.score, f.first_result_id,
      (f.spreads -> 'score' ->> 0)::int as items
    from scenarios a
    join points e on e.scenario_id = a.id and e.kind = 'quality'
    join systems q on q.id = e.system_id
    join point_statistics f on f.point_id = e.id and f.stands and f.variant = 0 and f.status = 'accepted'
    where ${isOfTask('a', task)} and f.score is not null and ${which}) found
  order by model, quantization, scenario_id, items desc nulls last, first_result_id)`;

const isOf = (match: Match): SQL =>
  match.by === 'id'
    ? sql`q.quantization_id = ${match.id}`
    : sql`q.quantization_key = ${match.by === 'name' ? match.key : match.family}`;

/**
 * True for systems `s` whose model and quantization meet a bound by every method that evaluated them on the task. At least one
 * evaluation must exist.
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
