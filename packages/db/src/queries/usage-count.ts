import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../client.ts';

/** One fact of a system: the catalogue's word for it, what tells those apart that the catalogue does not know, and its name. */
interface Fact {
  known: SQL;
  otherwise: SQL;
  name: SQL;
}

const facts = {
  model: { known: sql`s.model_id`, otherwise: sql`s.model_key`, name: sql`s.model_name` },
  gpu: { known: sql`coalesce(s.gpu_id, s.gpu_family)`, otherwise: sql`s.gpu_key`, name: sql`s.gpu_name` },
  quantization: {
    known: sql`case when cardinality(s.quantization_recipe) = 0 then s.quantization_id end`,
    otherwise: sql`concat(s.quantization_key, ' ', s.quantization_recipe::text)`,
    name: sql`s.quantization_name`,
  },
  engine: { known: sql`s.engine_id`, otherwise: sql`s.engine_key`, name: sql`s.engine_name` },
} satisfies Record<string, Fact>;

/** Kinds of facts whose values a reader may filter by. */
export type UsageKind = keyof typeof facts | 'scenario';

const ofScenarios = sql`
  select sc.name as value, count(*)::int as points
  from board_points b join points p on p.id = b.point_id join scenarios sc on sc.id = p.scenario_id
  where b.status = 'accepted'
  group by 1`;

/** Points by fact of the system. Values that the catalogue does not know are grouped by name; one of the spellings is shown. */
const ofSystems = ({ known, otherwise, name }: Fact) => sql`
  select coalesce(${known}, min(${name})) as value, sum(b.points)::int as points
  from (select system_id, count(*) as points from board_points where status = 'accepted' group by 1) b
  join systems s on s.id = b.system_id
  group by ${known}, case when ${known} is null then ${otherwise} end`;

/** Values in use with the number of ranked points behind each, most used first. */
export async function countUsage(db: Database['db'], kind: UsageKind): Promise<{ value: string; points: number }[]> {
  const counted = kind === 'scenario' ? ofScenarios : ofSystems(facts[kind]);
  return (await db.execute(sql`
    select * from (${counted}) q order by points desc, value collate "C"`)) as unknown as {
    value: string;
    points: number;
  }[];
}
