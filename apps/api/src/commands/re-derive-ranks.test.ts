import { refreshPointStatistics } from '@inferboard/db/points/point-statistics-refresh';
import { expect, test } from 'vitest';
import { useTestApp } from '../testing/index.ts';
import { rederiveStored } from './rederive-stored.ts';

// Compares the rank changes that re-deriving lists with the boards before and after it.

const app = useTestApp();
const sql = () => app.deps.database.sql;

async function rederive(options: { apply?: boolean; all?: boolean } = {}): Promise<string> {
  const lines: string[] = [];
  const { artifacts } = app.deps;
  const wanted = { apply: false, all: false, tool: null, after: '', release: '0.1.0', artifacts, ...options };
  expect(await rederiveStored(app.databaseUrl, wanted, (line) => lines.push(line))).toBe(true);
  return lines.join('\n');
}

/** Submits systems of one account with one run each, by engine version; returns the ids of their results. */
async function submit(key: string, metrics: Record<string, Record<string, number>>): Promise<string[]> {
  const lines = Object.entries(metrics).map(([version, of]) => {
    const system = { model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'h100-sxm', gpu_count: 1 };
    const results = [{ load: { mode: 'concurrency', level: 8 }, metrics: of }];
    return JSON.stringify({
      ...{ schema: 'inferboard/v1', scenario: 'chatbot', results },
      system: { ...system, engine: { name: 'vllm', version } },
    });
  });
  const response = await app.submit(lines.join('\n'), {}, key);
  expect(response.status).toBe(201);
  const { results } = (await response.json()) as { results: { id: string; status: string }[] };
  expect(results.filter(({ status }) => status !== 'accepted')).toEqual([]);
  return results.map(({ id }) => id);
}

/** Stores results as an earlier release would: `change` edits the rows, and the statistics are computed from them. */
async function leave(results: readonly string[], change: () => Promise<unknown>): Promise<void> {
  const points = async () =>
    (await sql()`select distinct point_id::int as id from results where id in ${sql()(results)}`).map(({ id }) => id);
  const before = await points();
  await change();
  const all = [...before, ...(await points())];
  await app.deps.database.db.transaction((tx) => refreshPointStatistics(tx, all as number[]));
}

/** Ranks by engine version. */
async function board(workload: string): Promise<Record<string, number | null>> {
  const { data } = await app.get<{ data: { rank: number; system: { engine: { version: string } } }[] }>(
    `/v1/leaderboard?rank_by=output_tok_s&workload=${workload}&limit=200`,
  );
  return Object.fromEntries(data.map(({ rank, system }) => [system.engine.version, rank]));
}

/** A hash of every row of each table. */
async function hash() {
  const tables = await sql()<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' order by 1`;
  return Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await sql()`select md5(string_agg(t::text, ' ' order by t::text)) as md5 from ${sql()(name)} t`;
      return [name, row?.md5];
    }),
  );
}

/** The rows of the output_tok_s table: workload, engine version, rank, values and reason. */
function ranksIn(text: string): string[][] {
  const rows = text.split('\n').map((line) => line.split(/ {2,}/));
  return rows.flatMap(([workload, metric, system, ...cells]) =>
    metric === 'output_tok_s' ? [[workload ?? '', system?.split('vLLM ')[1] ?? '', ...cells]] : [],
  );
}
/** The complete rank table, with its total. */
const rankTable = (text: string) => /^\d+ ranks? changes?.*?\n\n.*?\n\n/ms.exec(text)?.[0];

test('lists changed ranks with the reason, and --apply makes the changes of the dry run', async () => {
  const [key, another] = [await app.createAccount('first'), await app.createAccount('second')];
  const figures = { output_tok_s: 812.4, ttft_ms_mean: 44.13, ttft_ms_p99: 91.72, itl_ms_mean: 9.153, req_s: 3.271 };
  const [fast = '', wrong = '', moved = ''] = await submit(key, {
    '0.1': figures,
    '0.2': { output_tok_s: 612.5 },
    '0.3': { output_tok_s: 512.6 },
    '0.4': { output_tok_s: 412.7 },
  });
  const [copy = ''] = await submit(another, { '0.5': figures });
  const today = await board('chatbot-steady');
  expect(today).toEqual({ '0.1': 1, '0.2': 2, '0.3': 3, '0.4': 4 });

  // An earlier release parsed a value differently, stored a closed loop as a burst, and missed a copy.
  await leave([wrong], () => sql()`update results set output_tok_s = 312.8 where id = ${wrong}`);
  await leave([copy], () => sql()`update results set copy_of = null, copy_reason = null where id = ${copy}`);
  await leave([moved], async () => {
    const [point] = await sql()`
      insert into points (system_id, scenario_id, kind, load_mode, load_level, load_detail, load_key, workload, regime)
      select system_id, scenario_id, kind, 'burst', 8, '{}', '["burst",8,null,null]', 'chatbot-burst', 'burst'
      from points where id = (select point_id from results where id = ${moved}) returning id`;
    await sql()`update results set point_id = ${point?.id} where id = ${moved}`;
  });
  expect(await board('chatbot-steady')).toEqual({ '0.1': 1, '0.5': 1, '0.4': 3, '0.2': 4 });
  expect(await board('chatbot-burst')).toEqual({ '0.3': 1 });

  const before = await hash();
  // Writes and row locks on these tables wait for this lock.
  const looked = await sql().begin(async (tx) => {
    await tx`lock table accounts, artifacts, submissions, results, points, systems, point_statistics in exclusive mode`;
    return rederive();
  });
  expect(await hash()).toEqual(before);
  expect(looked).toContain('Nothing was written');
  const others = 'figures of other systems changed';
  expect(ranksIn(looked)).toEqual([
    [
      'chatbot-burst',
      '0.3',
      'leaves, was 1',
      '512.6 → -',
      `${moved}: workload chatbot-burst → chatbot-steady, load burst of 8 → 8 concurrent`,
    ],
    ['chatbot-steady', '0.5', 'leaves, was 1', '812.4 → -', `${copy}: is now a copy of ${fast}`],
    ['chatbot-steady', '0.2', '4 → 2', '312.8 → 612.5', `${wrong}: output_tok_s 312.8 → 612.5`],
    [
      'chatbot-steady',
      '0.3',
      'enters at 3',
      '- → 512.6',
      `${moved}: workload chatbot-burst → chatbot-steady, load burst of 8 → 8 concurrent`,
    ],
    ['chatbot-steady', '0.4', '3 → 4', '412.7 → 412.7', others],
  ]);
  // Of the other systems, only the copy has this metric.
  expect(looked).toMatch(/chatbot-steady +req_s +.*0\.5 +leaves, was 1 /);

  const applied = await rederive({ apply: true });
  expect(rankTable(applied)).toBe(rankTable(looked));
  expect(rankTable(applied)).toContain('ranks change.');
  expect(await board('chatbot-steady')).toEqual(today);
  expect(await board('chatbot-burst')).toEqual({});
  expect(await rederive()).toMatch(/No changes\..*No rank changes\./s);
});

test('prints the first of many ranks, and all of them on request', async () => {
  const versions = Array.from({ length: 75 }, (_, place) => [`1.${place}`, { output_tok_s: 120.3 + 7 * place }]);
  const ids = await submit(await app.createAccount('third'), Object.fromEntries(versions));
  await leave(ids, () => sql()`update results set status = 'quarantined' where id in ${sql()(ids)}`);
  const listed = (text: string) => text.split('\n').filter((line) => line.startsWith('chatbot-steady ')).length;
  const some = await rederive();
  const total = Number(/(\d+) ranks change\./.exec(some)?.[1]);
  expect(total).toBeGreaterThan(200);
  expect(some).toContain('These are the first 200; --all lists every one.');
  expect(listed(some)).toBe(200);
  const all = await rederive({ all: true });
  expect(all).not.toContain('--all');
  expect(listed(all)).toBe(total);
  expect(ranksIn(all)).toContainEqual([
    ...['chatbot-steady', '1.0', expect.stringMatching(/^enters at \d+$/), '- → 120.3'],
    `${ids[0]}: status quarantined → accepted`,
  ]);
});
