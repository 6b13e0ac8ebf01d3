import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { findAccountByName } from '@inferboard/db/accounts/account';
import { createDatabase } from '@inferboard/db/connection/client';
import { readManifest } from '@inferboard/db/dump/manifest';
import { restoreDump } from '@inferboard/db/dump/restore-dump';
import { writeDump } from '@inferboard/db/dump/write-dump';
import { insertEndpoint } from '@inferboard/db/runs/endpoint';
import { createTestDatabase, type TestDatabase, withConnection } from '@inferboard/db/testing/index';
import { createKeyring, seal } from '@inferboard/outbound/sealed-secrets';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../app.ts';
import { builtCommand } from '../testing/built-command.ts';
import { useConcerns } from '../testing/concerns.ts';
import { adminKey, answerOf, useTestApp } from '../testing/index.ts';
import { createTestWorker, shortPlan } from '../testing/runs.ts';
import { useSubmissions } from '../testing/submissions.ts';

const run = promisify(execFile);
const app = useTestApp({ sampleData: true });
const submissions = useSubmissions(app);
const concerns = useConcerns(app);
const worker = createTestWorker(app);
const secret = 'sk-never-in-a-dump-0123456789';
let folder = '';
let restored: TestDatabase;
let measured = '';
let reporterHash = '';

/** Runs a command on a database as an operator would. */
async function command(name: 'dump' | 'restore', url: string, ...more: string[]) {
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: url };
  return run(process.execPath, [builtCommand(name), ...more], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      text: error.stdout + error.stderr,
    }),
  );
}

/** Creates an endpoint with a secret, and a run of it with a submission. */
async function measure(): Promise<string> {
  const { db, sql } = app.deps.database;
  const account = await findAccountByName(db, 'admin');
  const keyring = await createKeyring('a master key for tests alone');
  const endpoint = await insertEndpoint(
    db,
    {
      accountId: account?.id ?? '',
      name: 'the private name of an endpoint',
      baseUrl: 'https://private.example.com/v1',
      model: 'm',
      facts: { gpu: 'h100-sxm', gpu_count: 1, quantization: 'bf16' },
      proofToken: 'a-private-token',
    },
    (id) => seal(keyring, { table: 'endpoints', id }, secret),
  );
  if (typeof endpoint === 'string') throw new Error(endpoint);
  const response = await app.request('/v1/runs', {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint_id: endpoint.id, plan: shortPlan }),
  });
  const { id } = await answerOf(response);
  const lease = await worker.claim(id);
  await worker.start(lease);
  await worker.measure(lease);
  await worker.end(lease);
  await sql`update submissions set run_id = ${id} where id = ${await submissions.make()}`;
  return id;
}

/** Files concerns about two submissions, one by a reporter with an account and one without, and decides one. */
async function reportConcerns(): Promise<void> {
  const [decided, open] = [await submissions.make(), await submissions.make()];
  const [first, second] = [
    await concerns.report(decided, { key: await app.createAccount('reporter') }),
    await concerns.report(decided),
  ];
  for (const { body } of [first, second])
    await concerns.decide(body.id, { decision: 'dismissed', note: 'It is right.' });
  await concerns.report(open, {}, { reason: 'other', text: 'words that nobody has decided about' });
  const [row] = await app.deps.database.sql`select reporter_hash from concerns where state = 'open'`;
  reporterHash = row?.reporter_hash;
}

beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'inferboard-dump-')), 'dump');
  restored = await createTestDatabase();
  measured = await measure();
  await submissions.change(await submissions.make(), 'retract', { reason: 'measured with the wrong clock' });
  await submissions.make({ gpu: 'a gpu that nobody knows' });
  await reportConcerns();
});
afterAll(async () => {
  await restored.drop();
  await rm(join(folder, '..'), { recursive: true, force: true });
});

/** Reads every page of every list and everything that the entries link to. */
async function readEverything(request: (path: string) => Response | Promise<Response>): Promise<Map<string, string>> {
  const read = new Map<string, string>();
  const get = async (path: string) => {
    const response = await request(path);
    const text = await response.text();
    read.set(path, `${response.status} ${text}`);
    return text;
  };
  const all = 'include=quarantined,retracted';
  for (const path of [
    `/v1/results.jsonl?${all}`,
    '/v1/leaderboard.jsonl?rank_by=output_tok_s',
    '/v1/leaderboard?rank_by=decode_tok_s&limit=200',
    '/v1/matrix?rows=model&columns=gpu&metric=output_tok_s',
    '/v1/pareto?x=user_tok_s&y=output_tok_s_per_gpu',
    '/v1/changes?since=2020-01-01T00:00:00Z',
    `/v1/runs/${measured}`,
  ])
    await get(path);
  const submitted = JSON.parse(await get('/v1/submissions?limit=200')) as { data: { id: string }[] };
  for (const { id } of submitted.data) {
    await get(`/v1/submissions/${id}`);
    await get(`/v1/submissions/${id}/artifact`);
    await get(`/v1/submissions/${id}/concerns`);
  }
  const systems = JSON.parse(await get('/v1/systems?limit=200')) as { data: { id: string }[] };
  for (const { id } of systems.data.slice(0, 10)) {
    await get(`/v1/systems/${id}`);
    await get(`/v1/systems/${id}/report`);
  }
  return read;
}

test('a restored dump has the same row hash, and the same responses', async () => {
  const dumped = await command('dump', app.databaseUrl, folder);
  expect(dumped).toMatchObject({ code: 0 });
  const manifest = await readManifest(folder);
  expect(dumped.text).toContain(manifest.sha256);

  const restore = await command('restore', restored.url, folder);
  expect(restore.text).toContain(`All rows, read back: ${manifest.sha256}`);
  expect(restore.code).toBe(0);

  // Check in a second way: a dump of the restored database.
  const again = await writeDump(restored.url, `${folder}-again`, { release: 'the same' });
  expect([again.sha256, again.tables]).toEqual([manifest.sha256, manifest.tables]);
  const rows = Object.fromEntries(manifest.tables.map((table) => [table.name, table.rows]));
  expect(rows).toMatchObject({ runs: 1, endpoints: 1, run_points: 2, reviews: 0, concerns: 2 });
  expect(rows.results).toBeGreaterThan(100);
  expect(rows.artifacts).toBe(rows.submissions);

  const database = createDatabase(restored.url, { poolSize: 5 });
  try {
    const copy = createApp({ ...app.deps, database });
    const [there, here] = [
      await readEverything((path) => app.request(path)),
      await readEverything((path) => copy.request(path)),
    ];
    expect(here.size).toBeGreaterThan(60);
    for (const [path, answer] of there) expect(`${path} ${here.get(path)}`).toBe(`${path} ${answer}`);
    expect([...here.values()].filter((answer) => !answer.startsWith('200 '))).toEqual([]);
    // Sequences continue where they were.
    await database.sql`insert into scenarios (key, name) values ('one more', '200-60')`;
    expect(await database.sql`select removed_at is not null as removed, base_url from endpoints`).toEqual([
      { removed: true, base_url: 'https://endpoint.invalid/v1' },
    ]);
    expect(await database.sql`select distinct account_id, reporter_hash from concerns`).toEqual([
      { account_id: null, reporter_hash: null },
    ]);
  } finally {
    await database.close();
  }
});

test('a dump has no private data', async () => {
  const texts = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const bytes = await readFile(join(folder, name));
      return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
    }),
  );
  const hex = Buffer.from(secret).toString('hex');
  const base64 = Buffer.from(secret).toString('base64').slice(0, -4);
  const [hashed] = await withConnection(app.databaseUrl, (sql) => sql`select hash from api_keys limit 1`);
  for (const word of [
    secret,
    hex,
    base64,
    hashed?.hash,
    'private.example.com',
    'private name',
    'a-private-token',
    adminKey,
    reporterHash,
    'nobody has decided about',
  ])
    expect([word, texts.some((text) => text.includes(word))]).toEqual([word, false]);
});

test('rejects a folder or a database that is not empty', async () => {
  const tables: string[] = [];
  const onTable = ({ name }: { name: string }) => void tables.push(name);
  await expect(writeDump(app.databaseUrl, folder, { release: 'x', onTable })).rejects.toThrow('already exists');
  expect(tables).toEqual([]);
  await expect(restoreDump(restored.url, folder)).rejects.toThrow('The database is not empty');
  expect(await command('restore', restored.url, 'no folder')).toEqual({
    code: 1,
    text: expect.stringMatching(/no folder is not a dump: .*\n$/),
  });
});

test('commands on a database that was never started name the missing migrations', async () => {
  const empty = await createTestDatabase('template0');
  try {
    const dumped = await command('dump', empty.url, `${folder}-empty`);
    expect(dumped).toMatchObject({ code: 1, text: expect.stringMatching(/^The database lacks \d+ migrations .*\n$/) });
  } finally {
    await empty.drop();
  }
});

test('rejects a dump with a changed figure or a missing row', async () => {
  const path = join(folder, 'results.csv.gz');
  const bytes = await readFile(path);
  const text = gunzipSync(bytes).toString();
  const empty = await createTestDatabase();
  try {
    for (const changed of [
      text.replace(/,accepted,/, ',quarantined,'),
      text.slice(0, text.trimEnd().lastIndexOf('\n') + 1),
      'x',
    ]) {
      expect(changed).not.toBe(text);
      await writeFile(path, gzipSync(changed));
      await expect(restoreDump(empty.url, folder)).rejects.toThrow();
      expect(await withConnection(empty.url, (sql) => sql`select count(*)::int as n from accounts`)).toEqual([
        { n: 0 },
      ]);
    }
  } finally {
    await writeFile(path, bytes);
    await empty.drop();
  }
});
