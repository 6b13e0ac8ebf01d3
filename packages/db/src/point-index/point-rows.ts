import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric, MetricName } from '@inferboard/core/metrics/index';
import { noRegime, pointCodes, type SystemKeys, type TableNeeds } from '@inferboard/core/ranking/point-table';
import { type SQL, sql } from 'drizzle-orm';
import { bigints, texts } from '../bulk.ts';
import type { Spread } from '../point-statistics/packed.ts';
import { and, behindRow, ofClaim, resultConditions } from '../queries/filter-conditions.ts';
import type { Queryable } from '../transaction.ts';

type Column<T> = readonly T[];
type Numbers = Column<number | null>;

/** Which row of a table. `status` is a code. */
export interface RowKeys {
  pointId: Column<number>;
  status: Column<number>;
  variant: Column<number>;
}

/** What was asked of metrics, column by column. */
export interface ReadMetrics {
  values: ReadonlyMap<MetricName, Numbers>;
  figures: ReadonlyMap<MetricName, Column<Spread | null>>;
  definitions: ReadonlyMap<string, Column<string>>;
}

/** What every row has, column by column. Words as codes of `pointCodes`. */
export interface ReadBase extends RowKeys {
  trust: Column<number>;
  /** 1 where another account contradicts the claim. */
  disputed: Column<number>;
  /** 1 where the point has results in this standing that no row sums up. */
  beside: Column<number>;
  kind: Column<number>;
  loadMode: Column<number>;
  loadLevel: Numbers;
  regime: Column<number>;
  system: Column<string>;
  scenario: Column<number>;
  toolSet: Column<readonly string[]>;
}

/** Rows of the table by point, standing and variant: those of some points, or of a range of them. */
export type Which = { points: readonly number[] } | { after: number; upTo: number };

const whichRows = (which: Which): SQL =>
  'points' in which
    ? sql`t.point_id = any(${bigints(which.points)})`
    : sql`t.point_id > ${which.after} and t.point_id <= ${which.upTo}`;

function codeOf(words: readonly string[], column: SQL): SQL {
  return sql`array_position(${`{${words.join(',')}}`}::text[], ${column}) - 1`;
}

const keyColumns = {
  pointId: sql`t.point_id`,
  status: codeOf(pointCodes.status, sql`t.status`),
  variant: sql`t.variant`,
};

const baseColumns = {
  ...keyColumns,
  trust: codeOf(pointCodes.trust, sql`t.trust`),
  disputed: sql`t.disputed::int`,
  beside: sql`(t.replication is not null or t.status = 'not_repetitions')::int`,
  kind: codeOf(pointCodes.kind, sql`p.kind`),
  loadMode: codeOf(pointCodes.loadMode, sql`p.load_mode`),
  loadLevel: sql`p.load_level`,
  regime: sql`coalesce(${codeOf(pointCodes.regime, sql`p.regime`)}, ${noRegime})`,
  system: sql`p.system_id`,
  scenario: sql`p.scenario_id`,
  toolSet: sql`t.tools`,
};

/**
 * Columns as arrays of one row: as rows of their own they would take the client many times as long to read. All rows
 * are those of `from`, in its order.
 */
async function readArrays(
  db: Queryable,
  columns: ReadonlyMap<string, SQL>,
  from: SQL,
): Promise<Map<string, readonly unknown[]>> {
  const named = [...columns].map(([, column], place) => [column, sql.identifier(`c${place}`)] as const);
  const given = sql.join(
    named.map(([column, name]) => sql`${column} as ${name}`),
    sql`, `,
  );
  const arrays = sql.join(
    named.map(([, name]) => sql`json_agg(q.${name}) as ${name}`),
    sql`, `,
  );
  const [row = {}] = (await db.execute(sql`select ${arrays} from (select ${given} ${from}) q`)) as unknown as Record<
    string,
    unknown[] | null
  >[];
  return new Map([...columns.keys()].map((key, place) => [key, row[`c${place}`] ?? []]));
}

/** Reads what every row has, and of these metrics what a table holds already. */
export async function readRows(
  db: Queryable,
  which: Which,
  needs: TableNeeds,
  part: 'all' | 'metrics',
): Promise<{ base: ReadBase; metrics: ReadMetrics }> {
  const columns = new Map<string, SQL>(Object.entries(part === 'all' ? baseColumns : keyColumns));
  for (const metric of needs.values) columns.set(`value ${metric}`, sql`t.${sql.identifier(metric)}`);
  for (const base of needs.definitions)
    columns.set(`definition ${base}`, sql`coalesce(t.definitions ->> ${base}::text, '')`);
  for (const metric of needs.figures) columns.set(`spread ${metric}`, sql`t.spreads -> ${metric}::text`);
  const points = part === 'all' ? sql`join points p on p.id = t.point_id` : sql``;
  const read = await readArrays(
    db,
    columns,
    sql`from point_statistics t ${points} where t.stands and ${whichRows(which)} order by t.point_id, t.status, t.variant`,
  );
  // Each column has the type that its expression says.
  const column = <T>(name: string) => (read.get(name) ?? []) as readonly T[];
  return {
    base: Object.fromEntries(Object.keys(baseColumns).map((name) => [name, column(name)])) as unknown as ReadBase,
    metrics: {
      values: new Map(needs.values.map((metric) => [metric, column<number | null>(`value ${metric}`)])),
      figures: new Map(needs.figures.map((metric) => [metric, column<Spread | null>(`spread ${metric}`)])),
      definitions: new Map(needs.definitions.map((base) => [base, column<string>(`definition ${base}`)])),
    },
  };
}

/** Rows with a result that was sent as filters ask; where a metric is ranked, one of those behind the row's value of it. */
export async function readSent(db: Queryable, filters: Filters, ranked: Metric | null): Promise<RowKeys | null> {
  const conditions = resultConditions(filters);
  if (conditions.length === 0) return null;
  const read = await readArrays(
    db,
    new Map(Object.entries(keyColumns)),
    sql`from (
      select distinct t.point_id, t.status, t.variant
      from results r
      join submissions sub on sub.id = r.submission_id
      join accounts a on a.id = sub.account_id
      join point_statistics t on t.stands and ${ofClaim}
      where ${and(ranked === null ? conditions : [...conditions, behindRow(ranked)])}) t`,
  );
  return Object.fromEntries(read) as unknown as RowKeys;
}

/** What filters ask of systems, by id: of these, or of all. */
export async function readSystems(db: Queryable, ids: readonly string[] | null): Promise<Map<string, SystemKeys>> {
  const rows = (await db.execute(sql`
    select s.id, s.model_id as "modelId", s.model_family as "modelFamily", s.model_key as "modelKey",
      s.quantization_id as "quantizationId", s.quantization_key as "quantizationKey", s.quantization_recipe as "quantizationRecipe",
      s.gpu_id as "gpuId", s.gpu_family as "gpuFamily", s.gpu_key as "gpuKey", s.gpu_count as "gpuCount",
      s.gpu_power_limit_w as "gpuPowerLimitW", s.engine_id as "engineId", s.engine_key as "engineKey", s.engine_version as "engineVersion"
    from systems s where ${ids === null ? sql`true` : sql`s.id = any(${texts(ids)})`}`)) as unknown as SystemKeys[];
  return new Map(rows.map((row) => [row.id, row]));
}

/** Names of scenarios by id. */
export async function readScenarios(db: Queryable, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = (await db.execute(
    sql`select sc.id::int as id, sc.name from scenarios sc where sc.id = any(${bigints(ids)})`,
  )) as unknown as { id: number; name: string }[];
  return new Map(rows.map(({ id, name }) => [id, name]));
}
