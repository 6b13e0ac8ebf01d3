import { findEngine, findGpu, findModel, findQuantization } from '@inferboard/core/catalogue/index';
import type { UsedFact } from '@inferboard/core/filters/fact-names';
import { parseWorkload } from '@inferboard/core/workloads/workload-id';
import { type SQL, sql } from 'drizzle-orm';
import { factColumns, sumPrefix } from '../boards/derive.ts';
import type { Database, Transaction } from '../connection/client.ts';
import { value } from '../connection/statement.ts';
import { atOnce } from '../connection/transaction.ts';
import { wordArray } from '../copy/bulk.ts';
import { atOneMoment, preparedForMoment } from './moment.ts';

/** Facts that readers can filter by. */
export type UsageKind = UsedFact | 'scenario';

interface Usage {
  value: string;
  points: number;
}

const totals = preparedForMoment<{ fact: string }, Usage>(sql`
  select name as value, points from board_totals
  where fact = ${value('fact')} and status = 'accepted' and points > 0`);

/** Points of kernels and training runs, which have no workload, by scenario. */
const otherScenarios = preparedForMoment<Record<string, never>, Usage>(sql`
  select sc.name as value, count(*)::int as points
  from board_points b join points p on p.id = b.point_id join scenarios sc on sc.id = p.scenario_id
  where b.status = 'accepted' and b.workload = ''
  group by 1`);

/** One of the spellings of a name that the catalogue does not know. */
const spellings = (key: SQL, name: SQL, isUnknown: SQL) =>
  preparedForMoment<{ keys: string }, { key: string; name: string }>(sql`
    select ${key} as key, min(${name}) as name from systems s
    where ${isUnknown} and ${key} = any(${value('keys')}::text[]) group by 1`);

const spellingsOf: Record<UsedFact, ReturnType<typeof spellings>> = {
  model: spellings(sql`s.model_key`, sql`s.model_name`, sql`s.model_id is null and s.model_family is null`),
  gpu: spellings(sql`s.gpu_key`, sql`s.gpu_name`, sql`s.gpu_id is null and s.gpu_family is null`),
  quantization: spellings(
    factColumns.quantization,
    sql`s.quantization_name`,
    sql`(s.quantization_id is null or cardinality(s.quantization_recipe) > 0)`,
  ),
  engine: spellings(sql`s.engine_key`, sql`s.engine_name`, sql`s.engine_id is null`),
};

const isKnown: Record<UsedFact, (id: string) => boolean> = {
  model: (id) => findModel(id) !== null,
  gpu: (id) => findGpu(id) !== null,
  quantization: (id) => findQuantization(id) !== null,
  engine: (id) => findEngine(id) !== null,
};

async function countScenarios(tx: Transaction): Promise<Usage[]> {
  const [known, others] = await atOnce([totals(tx, { fact: `${sumPrefix}workload` }), otherScenarios(tx, {})]);
  const shapes = known.map(({ value: id, points }) => ({ value: parseWorkload(id).shape, points }));
  return [...Map.groupBy([...shapes, ...others], ({ value: name }) => name)].map(([name, of]) => ({
    value: name,
    points: of.reduce((sum, { points }) => sum + points, 0),
  }));
}

async function countFacts(tx: Transaction, fact: UsedFact): Promise<Usage[]> {
  const counted = await totals(tx, { fact: sumPrefix + fact });
  const unknown = counted.map(({ value: name }) => name).filter((name) => !isKnown[fact](name));
  const found = unknown.length === 0 ? [] : await spellingsOf[fact](tx, { keys: wordArray(unknown) });
  const names = new Map(found.map(({ key, name }) => [key, name]));
  return counted.map(({ value: name, points }) => ({ value: names.get(name) ?? name, points }));
}

const inOrder = (a: Usage, b: Usage) => b.points - a.points || (a.value < b.value ? -1 : Number(a.value > b.value));

/**
 * Values in use with their numbers of ranked points, most used first, for each of the kinds. Each unknown name appears in one of
 * its spellings.
 */
export async function countUsage<Kind extends UsageKind>(
  db: Database['db'],
  kinds: readonly Kind[],
): Promise<Map<Kind, Usage[]>> {
  const counted = await atOneMoment(db, (tx) =>
    atOnce(kinds.map((kind) => (kind === 'scenario' ? countScenarios(tx) : countFacts(tx, kind as UsedFact)))),
  );
  return new Map(kinds.map((kind, place) => [kind, (counted[place] ?? []).sort(inOrder)]));
}
