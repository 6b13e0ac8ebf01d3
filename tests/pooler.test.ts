import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, sessionSettings } from '../packages/db/src/connection/client.ts';
import { useTestDatabase } from '../packages/db/src/testing/index.ts';
import { makeTempFolder } from '../packages/db/src/testing/temp-folder.ts';
import { startFakeServer } from '../packages/loadgen/src/fake-server/fake-server.ts';
import { sglangLine } from './support/hostile.ts';
import { adminKey, createAccount, freePort, startAt, type TestServer } from './support/server.ts';

function hasPgbouncer(): boolean {
  try {
    execFileSync('pgbouncer', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

if (!hasPgbouncer()) {
  // If CI requires tools, a skipped test is a failure.
  if (process.env.REQUIRE_TOOLS) throw new Error('pgbouncer is not installed');
  console.log('Skipped: no pgbouncer is installed, so nothing was asked through one.');
}

const place = useTestDatabase();

/** Settings of docs/scaling.md: two connections, each transaction on any free one. */
async function startPgbouncer(databaseUrl: string): Promise<{ url: string; process: ChildProcess }> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const folder = await makeTempFolder();
  await mkdir(folder, { recursive: true });
  const ownPort = await freePort();
  const settings = Object.entries(sessionSettings).map(([name, value]) => `set ${name} = ${value}`);
  const name = pathname.slice(1);
  await writeFile(join(folder, 'users.txt'), `"${username}" "${decodeURIComponent(password)}"\n`);
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
${name} = host=${hostname} port=${port} dbname=${name} connect_query='${settings.join('; ')}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
default_pool_size = 2
max_client_conn = 200
server_round_robin = 1
`,
  );
  for (const file of ['users.txt', 'pgbouncer.ini']) await chmod(join(folder, file), 0o644);
  // pgbouncer does not run as root.
  const asNobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const child = spawn('pgbouncer', [join(folder, 'pgbouncer.ini')], { ...asNobody, stdio: 'ignore' });
  for (let attempt = 0; attempt < 2400; attempt += 1) {
    const socket = connect(ownPort, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) break;
    await sleep(50);
  }
  return { url: `postgres://${username}:${password}@127.0.0.1:${ownPort}/${name}`, process: child };
}

/** Has the worker measure an endpoint; returns the states of the run from its event stream. */
async function measure(url: string): Promise<unknown[]> {
  const fake = await startFakeServer({ ttftMs: 10, itlMs: 1, slots: 8, model: 'meta-llama/Llama-3.1-8B-Instruct' });
  const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { id: string };
  };
  try {
    const { id } = await post('/v1/endpoints', {
      ...{ name: 'fake', base_url: `http://127.0.0.1:${fake.port}/v1`, model: 'meta-llama/Llama-3.1-8B-Instruct' },
      ...{ gpu: 'h100-sxm', gpu_count: 1, quantization: 'fp8' },
    });
    const scenario = { input_tokens: 32, output_tokens: 8 };
    const plan = [1, 2].map((level) => ({ scenario, load: { mode: 'concurrency', level }, requests: 4, warmup: 0 }));
    const run = await post('/v1/runs', { endpoint_id: id, plan, repetitions: 1 });
    const text = await (await fetch(`${url}/v1/runs/${run.id}/events`)).text();
    return [...text.matchAll(/^data: ?(.*)$/gm)].flatMap(([, data = '{}']) => {
      const { state } = JSON.parse(data) as { state?: unknown };
      return state === undefined ? [] : [state];
    });
  } finally {
    await fake.close();
  }
}

describe.skipIf(!hasPgbouncer())('behind pgbouncer in transaction mode', () => {
  let pooler: Awaited<ReturnType<typeof startPgbouncer>>;
  let pooled: string;
  let server: TestServer | undefined;

  beforeAll(async () => {
    pooler = await startPgbouncer(place.url);
    pooled = `${pooler.url}?pgbouncer=true`;
  });
  afterAll(async () => {
    await server?.stop();
    pooler?.process.kill('SIGKILL');
  });

  test('settings of one connection do not apply to the next one of the same client', async () => {
    const sql = postgres(pooler.url, { max: 4, prepare: false });
    try {
      const pids = await Promise.all(
        Array.from({ length: 8 }, () => sql`select pg_backend_pid() as pid, pg_sleep(0.5)`),
      );
      expect(new Set(pids.map(([row]) => row?.pid)).size).toBe(2);
    } finally {
      await sql.end();
    }
  });

  test('connections have the settings of the service', async () => {
    const database = createDatabase(pooled);
    try {
      const [row] = await database.sql`
        select current_setting('statement_timeout') as timeout, current_setting('random_page_cost') as cost`;
      expect(row).toEqual({ timeout: '30s', cost: '1.1' });
    } finally {
      await database.close();
    }
  });

  test('the whole product works: uploads, repeated requests, boards, lists, files, keys and a managed run', async () => {
    const settings = {
      SECRET_KEY: 'only for this test, and long',
      SAMPLE_DATA: 'false',
      ROLES: 'api,worker',
      ENDPOINT_ALLOW_CIDRS: '127.0.0.0/8',
    };
    const at = { env: { DATABASE_URL: pooled, DATABASE_DIRECT_URL: place.url }, remove: async () => {} };
    server = await startAt(at, settings);
    const { url, output } = server;
    expect(output.join('\n')).not.toContain('Configure the pooler to set it');
    const key = await createAccount(url, 'pooled');
    const post = (body: string, headers: Record<string, string> = {}) =>
      fetch(`${url}/v1/submissions?model=unspecified&gpu=unspecified&quantization=bf16`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, ...headers },
        body,
      });
    const lines = (count: number, first: number) =>
      Array.from({ length: count }, (_, i) => sglangLine(first + i, { batch_size: 1 + (i % 50) })).join('\n');
    // Twenty concurrent requests over two connections; one is large enough for the upload thread and for COPY.
    const answers = await Promise.all([
      ...Array.from({ length: 19 }, (_, i) => post(lines(3, i * 10))),
      post(lines(1000, 10_000)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
    const named = { 'idempotency-key': 'one-name' };
    const [first, again] = [await post(lines(2, 90_000), named), await post(lines(2, 90_000), named)];
    expect([first.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 201, 'true']);

    const paths = [
      '/v1/leaderboard?rank_by=output_tok_s',
      '/v1/leaderboard?rank_by=output_tok_s&account=pooled',
      '/v1/results?limit=200',
      '/v1/results.csv',
      '/v1/leaderboard.jsonl?rank_by=output_tok_s',
      '/v1/matrix?rows=model&columns=gpu&metric=output_tok_s',
      '/v1/pareto',
      '/v1/changes',
      '/v1/submissions',
      '/v1/systems',
      '/v1/catalogue/models',
      '/readyz',
      '/metrics',
    ];
    const read = await Promise.all(
      [...paths, ...paths].map(async (path) => {
        const response = await fetch(`${url}${path}`);
        await response.arrayBuffer();
        return [path, response.status];
      }),
    );
    const errors = () => output.filter((line) => line.includes('"level":"error"'));
    expect({ refused: read.filter(([, status]) => status !== 200), errors: errors() }).toEqual({
      refused: [],
      errors: [],
    });
    const board = (await (await fetch(`${url}/v1/best?subject=quantization&rank_by=output_tok_s`)).json()) as {
      data: unknown[];
    };
    expect(board.data.length).toBeGreaterThan(0);
    const states = await measure(url);
    expect(states.at(-1)).toBe('processed');
    const keys = await fetch(`${url}/v1/keys`, { headers: { authorization: `Bearer ${adminKey}` } });
    expect(keys.status).toBe(200);
    expect(errors()).toEqual([]);
    await server.stop();
    server = undefined;
  });

  test('without the direct address it starts with a current database, and explains an outdated one', async () => {
    const settings = { SECRET_KEY: 'only for this test, and long', SAMPLE_DATA: 'false', ROLES: 'api' };
    const current = await startAt({ env: { DATABASE_URL: pooled }, remove: async () => {} }, settings);
    expect((await fetch(`${current.url}/readyz`)).status).toBe(200);
    await current.stop();
    const sql = postgres(place.url, { max: 1, onnotice: () => {} });
    await sql`delete from drizzle.__drizzle_migrations where created_at = (select max(created_at) from drizzle.__drizzle_migrations)`;
    await sql.end();
    const stale = startAt({ env: { DATABASE_URL: pooled }, remove: async () => {} }, settings);
    await expect(stale).rejects.toThrow('Set DATABASE_DIRECT_URL');
  });
});
