// This release opens data of earlier releases. Its responses must match theirs; new fields are allowed.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { builtCommand } from '../apps/api/src/testing/built-command.ts';
import { migrate, pendingMigrations } from '../packages/db/src/migrations/migrate.ts';
import { withConnection, withDatabase } from '../packages/db/src/testing/connection.ts';
import { useTestDatabase } from '../packages/db/src/testing/index.ts';
import { readState } from './support/database-state.ts';
import { startAt, type TestServer } from './support/server.ts';

const fixtures = new URL('../packages/db/fixtures/', import.meta.url);
const releases = readdirSync(fixtures).flatMap((name) => /^release-(.+)\.sql\.gz$/.exec(name)?.[1] ?? []);
const unpacked = (name: string) => gunzipSync(readFileSync(new URL(name, fixtures))).toString('utf8');

const rederive = builtCommand('re-derive');

/** The keys of the fixtures' installations. */
const adminKey = 'release-fixture-admin-key-0123';
const secretKey = 'release-fixture-secret-key';

test('has a fixture of a release', () => {
  expect(releases).not.toEqual([]);
});

/** Columns, indexes and constraints of a database, one line each. */
const readSchema = (url: string) =>
  withConnection(url, async (sql) => {
    const rows = await sql<{ line: string }[]>`
      select concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default, is_identity) as line
      from information_schema.columns where table_schema = 'public'
      union all select indexdef from pg_indexes where schemaname = 'public'
      union all select conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
        where connamespace = 'public'::regnamespace
      union all select relname || ' ' || relpersistence::text from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'r'
      order by 1`;
    return rows.map(({ line }) => line);
  });

const fresh = useTestDatabase();

describe.each(releases)('the data of release %s', (release) => {
  const name = `ib_upgrade_${randomBytes(6).toString('hex')}`;
  /** Responses by path. */
  const answers = JSON.parse(unpacked(`release-${release}.answers.json.gz`)) as Record<string, object>;
  let url = '';
  let server: TestServer;
  let before: { name: string; rows: number }[] = [];

  const countRows = () =>
    withConnection(url, async (sql) => {
      const tables = await sql<{ name: string }[]>`
        select tablename as name from pg_tables where schemaname = 'public' and tablename not in ('settings', 'rate_limits')
        order by 1`;
      return Promise.all(
        tables.map(async ({ name }) => {
          const [row] = await sql`select count(*)::int as rows from ${sql(name)}`;
          return { name, rows: row?.rows as number };
        }),
      );
    });

  beforeAll(async () => {
    const admin = inject('databaseAdminUrl');
    await withConnection(admin, (sql) => sql`create database ${sql(name)} template template0`);
    url = withDatabase(admin, name);
    await withConnection(url, (sql) => sql.unsafe(unpacked(`release-${release}.sql.gz`)));
    before = await countRows();
    // Two replicas of this release start at once, while the earlier release holds a transaction open.
    await withConnection(url, (reader) =>
      reader.begin(async (tx) => {
        await tx`select count(*) from results`;
        const migrating = Promise.all([migrate(url), migrate(url)]);
        await sleep(300);
        await tx`select count(*) from submissions`;
        return { migrating };
      }),
    ).then(({ migrating }) => migrating);
    server = await startAt(
      { env: { DATABASE_URL: url }, remove: async () => {} },
      { SAMPLE_DATA: 'false', ADMIN_KEY: adminKey, SECRET_KEY: secretKey },
    );
  });
  afterAll(async () => {
    await server?.stop();
    await withConnection(inject('databaseAdminUrl'), (sql) => sql`drop database if exists ${sql(name)} with (force)`);
  });

  const get = (path: string, key?: string) =>
    fetch(`${server.url}${path}`, { headers: key === undefined ? {} : { authorization: `Bearer ${key}` } });

  test('is migrated without losing a row', async () => {
    expect(await withConnection(url, (sql) => pendingMigrations(sql))).toBe(0);
    expect(await countRows()).toEqual(expect.arrayContaining(before));
  });

  test('has the schema of a new installation', async () => {
    expect(await readSchema(url)).toEqual(await readSchema(fresh.url));
  });

  /** That release called a workload without a name custom, and linked to results by scenario. */
  const renamed = (answer: object): object =>
    JSON.parse(
      JSON.stringify(answer)
        .replaceAll('"id":"custom",', '')
        // It recorded managed runs as user submissions.
        .replaceAll('"origin":"submitted",', '')
        // Titles of checks were reworded.
        .replaceAll('The weights fit into memory', 'The weights fit in memory')
        .replaceAll('The tokens of a run fit into its arithmetic', 'The tokens of a run fit its arithmetic')
        .replaceAll('Answers and contexts are no longer than', 'Responses and contexts are no longer than')
        .replaceAll(
          'No user is served faster than memory can be read',
          'No user is faster than memory and arithmetic allow',
        )
        .replaceAll(/"(?:results|leaderboard)":"[^"]*[?&]scenario=[^"]*"/g, '"_":0')
        .replaceAll(/,"_":0|"_":0,?/g, ''),
    );

  /** That release returned every list in full. */
  const wholeOf = (path: string) =>
    /^\/v1\/(?:results|leaderboard|best|matrix|pareto|compare)\b/.test(path)
      ? `${path}${path.includes('?') ? '&' : '?'}full=true`
      : path;

  test('gives the same responses as in that release', async () => {
    for (const [path, answer] of Object.entries(answers)) {
      const response = await get(wholeOf(path));
      expect(response.status, path).toBe(200);
      // Links depend on the service's URL.
      const text = (await response.text()).replaceAll(/http:\/\/localhost:\d+/g, 'http://inferboard.test');
      expect(text, path).not.toContain('"custom"');
      expect(JSON.parse(text), path).toMatchObject(renamed(answer));
    }
  });

  test('is on the boards and in the report, with its artifacts', async () => {
    const board = (await (await get('/v1/leaderboard?rank_by=output_tok_s')).json()) as {
      data: { system: { id: string } }[];
    };
    expect(board.data.length).toBeGreaterThan(1);
    for (const { system } of board.data) expect((await get(`/v1/systems/${system.id}/report`)).status).toBe(200);
    for (const path of Object.keys(answers).filter((path) => path.startsWith('/v1/submissions/'))) {
      const response = await get(`${path}/artifact`);
      const { artifact } = answers[path] as { artifact: { sha256: string } };
      expect([response.status, response.headers.get('etag')]).toEqual([200, `"${artifact.sha256}"`]);
    }
  });

  test('has working keys, its endpoints and schedules, and accepts submissions', async () => {
    const endpoints = (await (await get('/v1/endpoints', adminKey)).json()) as { data: { name: string }[] };
    expect(endpoints.data.map(({ name }) => name)).toEqual(['fake']);
    const schedules = (await (await get('/v1/schedules', adminKey)).json()) as { data: unknown[] };
    expect(schedules.data).toHaveLength(1);
    const line = { run_name: 'r', batch_size: 1, input_len: 128, output_len: 64, latency: 0.5, output_throughput: 128 };
    const body = JSON.stringify({ ...line, overall_throughput: 384 });
    const query = 'model=Llama-3.1-8B-Instruct&quantization=bf16&gpu=h100-sxm';
    const response = await fetch(`${server.url}/v1/submissions?${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}` },
      body,
    });
    expect([response.status, await response.json()]).toEqual([201, expect.objectContaining({ status: 'accepted' })]);
  });

  test('a dry run of re-derive lists the changed results and ranks, and changes nothing', async () => {
    // Simulates that the earlier release derived another value for the best system.
    const board = (await (await get('/v1/leaderboard?rank_by=output_tok_s&full=true')).json()) as {
      workload: { id: string };
      data: { rank: number; value: number; system: { label: string }; statistics: { runs: { result_id: string }[] } }[];
    };
    const [best] = board.data;
    const [run, ...others] = best?.statistics.runs ?? [];
    expect([best?.rank, others]).toEqual([1, []]);
    const id = run?.result_id ?? '';
    // The worker would write to the database.
    await server.stop();
    await withConnection(url, async (sql) => {
      await sql`update results set output_tok_s = 0.5 where id = ${id}`;
      await sql`update point_statistics set output_tok_s = 0.5 where first_result_id = ${id}`;
    });
    const before = await withConnection(url, readState);
    const { stdout } = await promisify(execFile)(process.execPath, [rederive], {
      env: { PATH: process.env.PATH ?? '', DATABASE_URL: url },
    });
    expect(await withConnection(url, readState)).toEqual(before);
    const value = Number(best?.value.toPrecision(6));
    expect(stdout).toMatch(/^output_tok_s +1 +1 +0\.5 → /m);
    const rows = stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(rows).toContainEqual([
      ...[board.workload.id, 'output_tok_s', best?.system.label, `${board.data.length} → 1`, `0.5 → ${value}`],
      `${id}: output_tok_s 0.5 → ${value}`,
    ]);
  });
});
