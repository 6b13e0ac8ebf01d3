import { setTimeout as sleep } from 'node:timers/promises';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../packages/db/src/migrations/migrate.ts';
import { type Standby, type Streaming, startStreaming } from '../packages/db/src/testing/standby.ts';
import { nativeReport } from './support/hostile.ts';
import { createAccount, startAt, type TestServer } from './support/server.ts';

let servers: Streaming;
let replica: Standby;
let server: TestServer;
let key: string;
/** A connection to the replica, for operator commands. */
let replicaSql: Sql;

const connect = (url: string) => postgres(url, { max: 1, onnotice: () => {} });

beforeAll(async () => {
  servers = await startStreaming(migrate);
  replica = servers.standbys[0] as Standby;
  replicaSql = connect(replica.url);
  const env = { DATABASE_URL: servers.primary.url, DATABASE_READ_URL: replica.url, SECRET_KEY: 'of the test alone' };
  server = await startAt({ env, remove: async () => {} }, { SAMPLE_DATA: 'false', ROLES: 'api' });
  key = await createAccount(server.url, 'replicated');
  await submit('first', 100);
  await until(async () => (await shown()) === 1);
});

afterAll(async () => {
  await server?.stop();
  await replicaSql?.end({ timeout: 1 });
  await servers?.stop();
});

/** Time limit for a loaded machine; waiting for a lost replica takes longer than this. */
const hangs_ms = 60_000;

async function until(isSo: () => Promise<boolean>, ms = 120_000): Promise<void> {
  for (const from = performance.now(); !(await isSo()); await sleep(50)) {
    if (performance.now() - from > ms) throw new Error(`not so after ${ms} ms:\n${server.output.join('\n')}`);
  }
}

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${server.url}${path}`, { headers });

interface Stored {
  id: string;
  results: { system: { id: string } }[];
}

async function submit(version: string, output_tok_s: number): Promise<Stored> {
  const body = nativeReport({
    system: { model: 'llama-3.1-8b', gpu: 'h100-sxm', engine: { name: 'vllm', version } },
    result: { metrics: { output_tok_s } },
  });
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${server.url}/v1/submissions`, { method: 'POST', headers, body });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Stored;
}

/** Entries of the board, for an anonymous client or with a key. */
async function shown(headers: Record<string, string> = {}): Promise<number> {
  const response = await get('/v1/leaderboard?rank_by=output_tok_s&limit=200', headers);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as { data: unknown[] }).data.length;
}

async function inUse(): Promise<boolean> {
  return /\ninferboard_replica_in_use\{replica="[^"]+"\} [1-9]/.test(await (await get('/metrics')).text());
}

/** Requests boards, lists and files while `during` runs. Returns the statuses and the longest duration, ms. */
async function visit(during: Promise<unknown>): Promise<{ statuses: Set<number>; slowest_ms: number; reads: number }> {
  const seen = { statuses: new Set<number>(), slowest_ms: 0, reads: 0 };
  let isOver = false;
  const over = during.finally(() => {
    isOver = true;
  });
  const paths = ['/v1/leaderboard?rank_by=output_tok_s', '/v1/results', '/v1/systems', '/v1/results.csv', '/feed.xml'];
  const visitor = async (place: number) => {
    for (let turn = place; !isOver; turn += 1) {
      const from = performance.now();
      const response = await get(paths[turn % paths.length] ?? '/');
      await response.arrayBuffer();
      seen.statuses.add(response.status);
      seen.slowest_ms = Math.max(seen.slowest_ms, performance.now() - from);
      seen.reads += 1;
    }
  };
  await Promise.all([over, ...[0, 1, 2, 3].map(visitor)]);
  return seen;
}

describe('with a read replica', () => {
  test('boards use the replica, and new objects are found by link, name and key', async () => {
    const before = await shown();
    await replicaSql`select pg_wal_replay_pause()`;
    try {
      const stored = await submit('just-now', 200);
      expect(await shown()).toBe(before);
      expect((await get(`/v1/submissions/${stored.id}`)).status).toBe(200);
      expect((await get(`/v1/submissions/${stored.id}/artifact`)).status).toBe(200);
      const [result] = stored.results;
      expect((await get(`/v1/systems/${result?.system.id}`)).status).toBe(200);
      expect((await get('/v1/results?engine_version=just-now')).status).toBe(200);
      expect(await shown({ authorization: `Bearer ${key}` })).toBe(before + 1);
    } finally {
      await replicaSql`select pg_wal_replay_resume()`;
    }
    await until(async () => (await shown()) === before + 1);
  });

  test('repeated requests get the cached response until the replica has new data', async () => {
    await until(inUse);
    const hits = async () =>
      Number(/\ninferboard_answer_cache_hits_total (\d+)/.exec(await (await get('/metrics')).text())?.[1]);
    const before = await shown();
    await replicaSql`select pg_wal_replay_pause()`;
    try {
      await submit('kept', 210);
      const from = await hits();
      for (let turn = 0; turn < 3; turn += 1) expect(await shown()).toBe(before);
      expect(await shown({ authorization: `Bearer ${key}` })).toBe(before + 1);
      expect(await shown()).toBe(before);
      expect(await hits()).toBeGreaterThanOrEqual(from + 3);
    } finally {
      await replicaSql`select pg_wal_replay_resume()`;
    }
    await until(async () => (await shown()) === before + 1);
  });

  test('more concurrent readers than connections all get their boards', async () => {
    const headers = { authorization: `Bearer ${key}` };
    const boards = await Promise.all(Array.from({ length: 60 }, (_, i) => shown(i % 4 === 0 ? headers : {})));
    expect(new Set(boards).size).toBe(1);
  });

  test("a revoked key stops working immediately, regardless of the replica's lag", async () => {
    await replicaSql`select pg_wal_replay_pause()`;
    try {
      const headers = { authorization: `Bearer ${key}` };
      const made = await fetch(`${server.url}/v1/keys`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: '{"scopes": ["submit"]}',
      });
      const next = (await made.json()) as { id: string; key: string };
      const asNext = { authorization: `Bearer ${next.key}` };
      expect((await get('/v1/keys', asNext)).status).toBe(200);
      await fetch(`${server.url}/v1/keys/${next.id}`, { method: 'DELETE', headers });
      expect((await get('/v1/results', asNext)).status).toBe(401);
    } finally {
      await replicaSql`select pg_wal_replay_resume()`;
    }
  });

  test('responses never become older when a replica lags and recovers', async () => {
    await until(inUse);
    const counts: number[] = [];
    let isOver = false;
    const watch = (async () => {
      while (!isOver) {
        counts.push(await shown());
        await sleep(5);
      }
    })();
    const before = await shown();
    await replicaSql`select pg_wal_replay_pause()`;
    const pausedAt = performance.now();
    await submit('lag', 300);
    // A replica that lags by more than five seconds gets no more queries.
    await until(async () => counts.at(-1) === before + 1);
    const seenAfter_ms = performance.now() - pausedAt;
    expect(await inUse()).toBe(false);
    await submit('lag-2', 310);
    await until(async () => counts.at(-1) === before + 2);
    await replicaSql`select pg_wal_replay_resume()`;
    const writes = (async () => {
      for (let place = 0; place < 25; place += 1) await submit(`resumed-${place}`, 400 + place);
    })();
    await until(inUse);
    await writes;
    await until(async () => (await shown()) === before + 27);
    isOver = true;
    await watch;
    expect(seenAfter_ms).toBeGreaterThan(4000);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  });

  test('no request fails if a replica stops, and a returning replica is used again', async () => {
    await until(inUse);
    const seen = await visit(
      (async () => {
        await sleep(300);
        await replica.signal('SIGKILL');
        await until(async () => !(await inUse()));
        await sleep(1000);
      })(),
    );
    expect([...seen.statuses]).toEqual([200]);
    expect(seen.slowest_ms).toBeLessThan(hangs_ms);
    expect(seen.reads).toBeGreaterThan(8);
    const before = await shown();
    await submit('while-away', 500);
    expect(await shown()).toBe(before + 1);

    await replicaSql.end({ timeout: 0 });
    await replica.restart();
    replicaSql = connect(replica.url);
    await until(inUse);
    expect(await shown()).toBe(before + 1);
  });

  test('a replica that does not respond is not used after a few seconds', async () => {
    await until(inUse);
    const seen = await visit(
      (async () => {
        await sleep(300);
        await replica.signal('SIGSTOP');
        await until(async () => !(await inUse()));
        await sleep(1000);
      })(),
    ).finally(() => replica.signal('SIGCONT'));
    expect([...seen.statuses]).toEqual([200]);
    expect(seen.slowest_ms).toBeLessThan(hangs_ms);
    await until(inUse);
  });
});
