import type { Filters } from '@inferboard/core/filters/filters';
import { type SQL, sql } from 'drizzle-orm';
import { isOfTask, modelOf, quantizationOf, scores } from '../../catalogue/quality-condition.ts';
import { executeOften } from '../../connection/statement.ts';
import type { Queryable } from '../../connection/transaction.ts';
import { and, pointConditions } from './filter-conditions.ts';
import type { ScenarioRow } from './row-types.ts';

/** An axis of scores by a task, which systems have by their model and quantization. */
export interface ScoreAxis {
  axis: 'x' | 'y';
  /** Normalized by `taskKey`. */
  task: string;
}

/** The evaluation method of a score axis: only scores by one method are compared. */
export type Evaluation = Pick<ScenarioRow, 'name' | 'quality'> & { id: number };

/** Finds the method by which most models and quantizations under the filters were evaluated; null if none was. */
export async function findEvaluation(
  db: Queryable,
  { task }: ScoreAxis,
  { model, modelFamily, quantization }: Filters,
): Promise<Evaluation | null> {
  const named: Filters = {
    include: [],
    bounds: [],
    ...(model && { model }),
    ...(modelFamily && { modelFamily }),
    ...(quantization && { quantization }),
  };
  const [found] = await executeOften<Evaluation>(
    db,
    sql`
    select sc.id::float8 as id, sc.name, sc.quality
    from scenarios sc
    join points p on p.scenario_id = sc.id and p.kind = 'quality'
    join systems s on s.id = p.system_id
    join point_statistics t on t.point_id = p.id and t.stands and t.variant = 0 and t.status = 'accepted'
    where ${isOfTask('sc', task)} and t.score is not null and ${and(pointConditions(named))}
    group by sc.id
    order by count(distinct (${modelOf('s')}, ${quantizationOf('s')})) desc, sc.id limit 1`,
  );
  return found ?? null;
}

/** Joins the score `own` of the system of rows `r`; its value is null for systems that were not evaluated. */
export const joinScore = ({ task }: ScoreAxis, { id }: Evaluation): SQL => sql`
  join systems sq on sq.id = r.system_id
  left join ${scores(task, sql`e.scenario_id = ${id}`)} own on own.model = ${modelOf('sq')} and own.quantization = ${quantizationOf('sq')}`;
