import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scenarioKey } from '@inferboard/core/subjects/scenario';
import { roundLength } from '@inferboard/core/workloads/shape-name';
import { afterAll, expect, test } from 'vitest';
import { migrate, migrationsFolder } from './migrate.ts';
import { createTestDatabase, withConnection } from '../testing/index.ts';

const folders: string[] = [];
afterAll(async () => {
  for (const path of folders) await rm(path, { recursive: true, force: true });
});

/** The migrations before the one that introduces workloads. */
async function earlierMigrations(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'inferboard-workloads-'));
  folders.push(folder);
  await cp(migrationsFolder, folder, { recursive: true });
  const path = join(folder, 'meta', '_journal.json');
  const journal = JSON.parse(await readFile(path, 'utf8')) as { entries: { tag: string }[] };
  const at = journal.entries.findIndex(({ tag }) => tag.endsWith('_workloads'));
  await writeFile(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, at) }));
  return folder;
}

type Facts = [name: string, input: number | null, output: number | null, dataset: string | null, depth: number | null];

test('names custom scenarios after their lengths, and gives every point a workload', async () => {
  const database = await createTestDatabase();
  try {
    await withConnection(database.url, async (sql) => {
      await sql`drop schema if exists drizzle cascade`;
      await sql`drop schema public cascade`;
      await sql`create schema public`;
      await migrate(database.url, { folder: await earlierMigrations() });
      const given: [Facts, string][] = [
        [['chatbot', 1024, 256, null, null], 'chatbot'],
        [['custom', 198, 60, null, null], '200-60'],
        [['custom', 1536, 256, 'random', null], '1500-260'],
        [['custom', 1, 9, null, null], '1-9'],
        [['custom', 10, 1250, null, null], '10-1300'],
        [['custom', 100000, 999, null, 4096], '100000-1000@d4096'],
        [['custom', 500, null, null, null], 'in-500'],
        [['custom', null, 128, null, null], 'out-130'],
        [['custom', 550, 150, 'sonnet', null], 'sonnet-550-150'],
        [['custom', null, null, 'AI-MO/aimo-validation.jsonl', null], 'ai-mo-aimo-validation'],
        [['custom', null, 128, 'custom', null], 'out-130'],
        [['custom', null, null, null, null], 'unspecified'],
      ];
      for (const [[id, inputTokens, outputTokens, dataset, depth]] of given) {
        const key = scenarioKey({ id, inputTokens, outputTokens, dataset, depth, kernel: null });
        await sql`
          insert into scenarios (key, name, input_tokens, output_tokens, dataset, depth)
          values (${key}, ${id}, ${inputTokens}, ${outputTokens}, ${dataset}, ${depth})`;
      }
      await sql`
        insert into systems (id, label, model_name, model_key, quantization_name, quantization_key, quantization_recipe,
          gpu_name, gpu_key, engine_name, engine_key, parallelism, features)
        values ('sys_1', '', '', '', '', '', '{}', '', '', '', '', '{}', '{}')`;
      const loads = [
        ['serving', 'concurrency', 8, 'chatbot-steady', 'steady'],
        ['serving', 'rate', 2.5, 'chatbot-steady', 'steady'],
        ['serving', 'burst', 8, 'chatbot-burst', 'burst'],
        ['serving', 'batch', 8, 'chatbot-offline', 'offline'],
        ['serving', 'unspecified', null, 'chatbot-unspecified', 'unspecified'],
        ['kernel', 'batch', 1, 'chatbot', null],
      ] as const;
      for (const [kind, mode, level] of loads)
        await sql`
          insert into points (system_id, scenario_id, kind, load_mode, load_level, load_detail, load_key)
          select 'sys_1', id, ${kind}, ${mode}, ${level}, '{}', ${`${mode} ${level}`} from scenarios where name = 'chatbot'`;
      await migrate(database.url);

      const scenarios = await sql<{ name: string; key: string }[]>`select name, key from scenarios order by id`;
      expect(scenarios.map(({ name }) => name)).toEqual(given.map(([, name]) => name));
      // Submitting the same facts again finds the same row.
      expect(scenarios.map(({ key }) => key)).toEqual(
        given.map(([[, inputTokens, outputTokens, dataset, depth], id]) =>
          scenarioKey({ id, inputTokens, outputTokens, dataset, depth, kernel: null }),
        ),
      );
      const points = await sql`select kind, load_mode, load_level, workload, regime from points order by id`;
      expect(points.map((row) => Object.values(row))).toEqual(loads.map((row) => [...row]));
    });
  } finally {
    await database.drop();
  }
});

test('rounds lengths like the code', async () => {
  const database = await createTestDatabase();
  try {
    await withConnection(database.url, async (sql) => {
      const lengths = [...Array.from({ length: 1200 }, (_, place) => place + 10), 9949, 9950, 99_500, 131_072];
      const rows = await sql<{ rounded: number }[]>`
        select round(x::numeric, 1 - floor(log(x::numeric))::int)::float8 as rounded from unnest(${lengths}::int[]) x`;
      expect(rows.map(({ rounded }) => rounded)).toEqual(lengths.map(roundLength));
    });
  } finally {
    await database.drop();
  }
});
