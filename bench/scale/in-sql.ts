// Boards and frontiers as one statement of SQL each, for whoever has nothing but the database: what the API's ranking in
// memory is measured against. Without what an answer adds: intervals and ranks, counts of what was left out, runs.
import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Filters } from '../../packages/core/src/filters/filters.ts';
import { boundShape, filterShape, toFilters } from '../../packages/core/src/filters/parameters.ts';
import { findMetric, type Metric } from '../../packages/core/src/metrics/index.ts';
import { parseQuestion, type Subject, toParameters } from '../../packages/core/src/questions/index.ts';
import {
  and,
  boundConditions,
  pointConditions,
  statusCondition,
  trustCondition,
} from '../../packages/db/src/queries/filter-conditions.ts';

const FilterSchema = z.object({ ...filterShape, ...boundShape });

const readFilters = (given: Record<string, string | string[]>): Filters => toFilters(FilterSchema.parse(given));

function metricOf(name: string): Metric {
  const metric = findMetric(name);
  if (metric === null) throw new Error(`there is no metric ${name}`);
  return metric;
}

const column = ({ name }: Metric) => sql`t.${sql.identifier(name)}`;

const points = (filters: Filters, needed: readonly Metric[]) => sql`
  from point_statistics t
  join points p on p.id = t.point_id
  join systems s on s.id = p.system_id
  join scenarios sc on sc.id = p.scenario_id
  where ${and([
    statusCondition(filters),
    trustCondition(filters),
    ...needed.map((metric) => sql`${column(metric)} is not null`),
    ...boundConditions(filters.bounds),
    ...pointConditions(filters),
  ])}`;

const subjectColumns: Record<Subject, SQL> = {
  model: sql`coalesce(s.model_id, s.model_family, s.model_key)`,
  gpu: sql`coalesce(s.gpu_id, s.gpu_family, s.gpu_key)`,
  quantization: sql`coalesce(s.quantization_id, s.quantization_key)`,
  engine: sql`coalesce(s.engine_id, s.engine_key)`,
  system: sql`s.id`,
};

interface Board {
  rankBy: Metric;
  order: 'asc' | 'desc';
  filters: Filters;
  subject: Subject;
  limit: number;
}

/** The best point of each subject, the best of those first, with everything that is stored of them. */
function boardStatement({ rankBy, order, filters, subject, limit }: Board): SQL {
  const direction = order === 'desc' ? sql`desc` : sql`asc`;
  return sql`
    select best.value, to_jsonb(s) as system, to_jsonb(sc) as scenario, to_jsonb(t) as point from (
      select * from (
        select distinct on (${subjectColumns[subject]}) ${column(rankBy)} as value, s.id as system_id,
          p.scenario_id, t.point_id, t.status, t.variant
        ${points(filters, [rankBy])}
        order by ${subjectColumns[subject]}, ${column(rankBy)} ${direction}, s.id) one
      order by value ${direction}, system_id limit ${limit}) best
    join point_statistics t on (t.point_id, t.status, t.variant) = (best.point_id, best.status, best.variant)
    join systems s on s.id = best.system_id
    join scenarios sc on sc.id = best.scenario_id
    order by best.value ${direction}, best.system_id`;
}

/** Points by two figures, marked where none is better by both: the frontier and the best of the others. */
function frontierStatement(x: Metric, y: Metric, filters: Filters): SQL {
  const better = ({ family }: Metric) => (family.direction === 'lower' ? sql`asc` : sql`desc`);
  const best = y.family.direction === 'lower' ? sql`min` : sql`max`;
  const beats = y.family.direction === 'lower' ? sql`<` : sql`>`;
  return sql`
    select * from (
      select t.point_id, s.id, ${column(x)} as x, ${column(y)} as y,
        coalesce(${column(y)} ${beats} ${best}(${column(y)}) over (
          order by ${column(x)} ${better(x)} rows between unbounded preceding and 1 preceding), true) as on_frontier
      ${points(filters, [x, y])}) q
    order by on_frontier desc, y ${better(y)} limit 1000`;
}

/** The request as one statement; null for what is no question of ranking. */
export function inSql(path: string): SQL | null {
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  const { rank_by, x, y, q, ...given } = Object.fromEntries(searchParams);
  if (pathname === '/v1/leaderboard') {
    const rankBy = metricOf(rank_by ?? '');
    const order = rankBy.family.direction === 'lower' ? 'asc' : 'desc';
    return boardStatement({ rankBy, order, filters: readFilters(given), subject: 'system', limit: 51 });
  }
  if (pathname === '/v1/best') {
    const question = parseQuestion(q ?? '');
    const { subject, order, limit } = question;
    const filters = readFilters(toParameters(question));
    return boardStatement({ rankBy: metricOf(question.rankBy), order, filters, subject, limit: (limit ?? 10) + 1 });
  }
  if (pathname === '/v1/pareto') return frontierStatement(metricOf(x ?? ''), metricOf(y ?? ''), readFilters(given));
  return null;
}
