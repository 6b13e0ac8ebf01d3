import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../packages/db/src/migrations/migrate.ts';
import { withConnection } from '../packages/db/src/testing/connection.ts';
import { type Streaming, startStreaming } from '../packages/db/src/testing/standby.ts';
import { startLoop } from './support/client-loop.ts';
import { nativeReport } from './support/hostile.ts';
import { type Layout, probe, startLayout } from './support/infra/layout.ts';
import { askLayout, type LayoutAsk, register } from './support/infra/layout-ask.ts';
import { findTool } from './support/infra/tools.ts';
import { adminKey, createDataDir, startAt } from './support/server.ts';

// Runs the containers of compose.yaml as processes: two APIs of two processes each, two sites, two workers and the proxy, on
// a PostgreSQL with two streaming standbys for reads.

/** Starting and replacing twelve processes takes minutes, so the test runs only with `npm run layout`. */
const isAsked = process.env.LAYOUT_ROUNDS !== undefined;
const rounds = Number(process.env.LAYOUT_ROUNDS ?? 1);
const drain_s = process.env.LAYOUT_DRAIN_S ?? '1';
const acceptance = fileURLToPath(new URL('./acceptance/main.ts', import.meta.url));
const nginx = findTool('openssl') === null ? null : findTool('nginx');
let servers: Streaming;
let layout: Layout;

beforeAll(async () => {
  if (nginx === null || !isAsked) return;
  servers = await startStreaming(migrate, 2);
  const DATABASE_READ_URL = servers.standbys.map(({ url }) => url).join();
  layout = await startLayout(nginx, servers.primary.url, {
    all: { DRAIN_S: drain_s },
    api: { DATABASE_READ_URL, PROCESSES: '2', RATE_LIMIT_READS: 'off', RATE_LIMIT_WRITES: 'off' },
  });
});
afterAll(async () => {
  await layout?.stop();
  await servers?.stop();
});

/** Runs the acceptance test against a URL; returns its output. Fails if a guarantee does not hold. */
async function accept(url: string, key: string, certificate?: string): Promise<string> {
  const trust = certificate === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificate };
  const env = { PATH: process.env.PATH, ADMIN_KEY: key, ...trust };
  const run = promisify(execFile)(process.execPath, [acceptance, '--url', url], { env, timeout: 120_000 });
  return run.then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => `${error.stdout}\n${error}`,
  );
}

const allHold = /^(\d+) of \1 guarantees hold/m;

const ask: LayoutAsk = (path, headers, body) => askLayout(layout, path, headers, body);

describe.skipIf(nginx === null || !isAsked)('the production layout', () => {
  test('passes the acceptance tests like a single process', async () => {
    const place = await createDataDir();
    const single = await startAt(place, { SAMPLE_DATA: 'false', ENDPOINT_ALLOW_CIDRS: '127.0.0.0/8' });
    try {
      const [apart, together] = await Promise.all([
        accept(layout.url, layout.adminKey, layout.certificate),
        accept(single.url, adminKey),
      ]);
      expect(apart).toMatch(allHold);
      expect(together).toMatch(allHold);
      console.log(apart);
    } finally {
      await single.dispose();
    }
  });

  test('is reachable only by HTTPS, and hides the metrics of its processes', async () => {
    const plain = await fetch(`${layout.plainUrl}/v1/results?limit=1`, { redirect: 'manual' });
    expect([plain.status, plain.headers.get('location')]).toEqual([308, 'https://127.0.0.1/v1/results?limit=1']);
    const page = await ask('/');
    expect(page.headers).toMatchObject({ 'strict-transport-security': expect.stringContaining('max-age=') });
    const figures = await ask('/metrics', { 'x-request-id': 'asked-for-figures' });
    expect(figures.status).toBe(404);
    expect(JSON.parse(figures.text)).toMatchObject({ code: 'not_found', request_id: 'asked-for-figures' });
    for (const { probes, name } of layout.processes.values()) {
      expect(await probe(`${probes}/healthz`), name).toBe(200);
      expect(await probe(`${probes}/metrics`), name).toBe(200);
    }
  });

  test('has no secrets in the output of its processes', () => {
    for (const name of [...layout.processes.keys(), 'proxy']) {
      const log = layout.logOf(name);
      expect(log.length, name).toBeGreaterThan(0);
      expect(log).not.toContain(layout.adminKey);
      expect(log).not.toMatch(/\bib_[0-9A-Za-z]{20,}/);
    }
  });

  test('rejects no request while every process is replaced under load', async () => {
    const key = await register(ask, layout.adminKey, 'loop');
    const paths = ['/v1/leaderboard?rank_by=decode_tok_s', '/', '/v1/results?limit=5', '/glossary', '/healthz'];
    const ca = readFileSync(layout.certificate, 'utf8');
    const loop = startLoop({ url: layout.url, ca, key, clients: rounds > 1 ? 6 : 3, paths });
    const names = [...layout.processes.keys()];
    const ends: string[] = [];
    const seen503: string[] = [];
    const replace = async (name: string) => {
      const { probes } = layout.processes.get(name) ?? { probes: '' };
      const restarted = layout.restart(name);
      await sleep(250);
      if ((await probe(`${probes}/readyz`)) === 503) seen503.push(name);
      const { code, ended_ms } = await restarted;
      expect(code, `${name}:\n${layout.logOf(name).slice(-2000)}`).toBe(0);
      expect(ended_ms, name).toBeLessThan(10_000 + Number(drain_s) * 1000);
      ends.push(`${name} ${Math.round(ended_ms)} ms`);
    };
    // One process of each role at a time; one by one with several rounds.
    const steps =
      rounds > 1 ? names.map((name) => [name]) : ['1', '2'].map((n) => names.filter((it) => it.endsWith(n)));
    for (let round = 0; round < rounds; round += 1) for (const step of steps) await Promise.all(step.map(replace));
    const { reads, writes, failures, stored, slowest_ms } = await loop.stop();
    console.log(
      `${rounds * names.length} processes replaced under ${reads} reads and ${writes} named writes: ` +
        `${failures.length} failed; slowest answer ${Math.round(slowest_ms)} ms; ended within ${ends.join(', ')}`,
    );
    const troubles = layout
      .logOf('proxy')
      .split('\n')
      .filter((line) => line.includes('[error]'));
    expect(failures, troubles.slice(-30).join('\n')).toEqual([]);
    // A server reports that it is stopping before it stops.
    expect(seen503).toEqual(expect.arrayContaining(names.filter((name) => !name.startsWith('worker'))));
    expect(new Set(stored).size).toBe(writes);
    const count = (sql: Parameters<Parameters<typeof withConnection>[1]>[0]) =>
      sql`select count(*)::int as n from submissions where id = any(${stored})`;
    const [row] = await withConnection(servers.primary.url, count);
    expect(row?.n).toBe(writes);
    // No write was retried: one sent to two processes is stored once.
    const accountCount = await withConnection(
      servers.primary.url,
      (sql) =>
        sql`select count(*)::int as n from submissions s join accounts a on a.id = s.account_id where a.name = 'loop'`,
    );
    expect(accountCount[0]?.n).toBe(writes);
  });
});

describe.skipIf(nginx === null || !isAsked)('two standbys', () => {
  const boardPath = '/v1/leaderboard?rank_by=output_tok_s&limit=200&model=llama-3.1-8b';
  let asWriter: { authorization: string };
  let systemId: string;
  let written = 0;

  beforeAll(async () => {
    asWriter = { authorization: `Bearer ${await register(ask, layout.adminKey, 'standbys')}` };
    for (let place = 0; place < 5; place += 1) systemId = await write();
  });

  /** Stores one more result of a separate system; returns the system's id. */
  async function write(): Promise<string> {
    written += 1;
    const { text, status } = await ask(
      '/v1/submissions',
      asWriter,
      nativeReport({
        system: { model: 'llama-3.1-8b', gpu: 'h100-sxm', engine: { name: 'vllm', version: `layout-${written}` } },
        result: { metrics: { output_tok_s: 100 + written } },
      }),
    );
    if (status !== 201) throw new Error(text);
    return (JSON.parse(text) as { results: [{ system: { id: string } }] }).results[0].system.id;
  }

  async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
    for (const from = performance.now(); !(await isSo()); await sleep(50))
      if (performance.now() - from > 60_000) throw new Error(`not so: ${what}\n${layout.logOf('api-1').slice(-3000)}`);
  }

  /** Number of the four API processes that read from each standby. */
  async function readers(): Promise<number[]> {
    const apis = [...layout.processes.values()].filter(({ name }) => name.startsWith('api'));
    const texts = await Promise.all(apis.map(async ({ probes }) => (await fetch(`${probes}/metrics`)).text()));
    return servers.standbys.map(({ url }) => {
      const figure = `inferboard_replica_in_use{replica="${new URL(url).host}"} `;
      return texts.reduce((sum, text) => sum + Number(text.split(figure)[1]?.split('\n')[0]), 0);
    });
  }
  const untilReaders = (...wanted: number[]) =>
    until(async () => (await readers()).join() === wanted.join(), `readers ${wanted.join()}`);

  /** Entries of the board in many responses of several processes. */
  async function shown(): Promise<number[]> {
    const answers = await Promise.all(Array.from({ length: 32 }, () => ask(boardPath)));
    return answers.map(({ status, text }) =>
      status === 200 ? (JSON.parse(text) as { data: unknown[] }).data.length : -status,
    );
  }
  const isShown = async () => (await shown()).every((count) => count === written);

  /** With a key, the primary responds to boards, lists and exports. */
  async function expectSameAsPrimary(): Promise<void> {
    const best = `/v1/best?q=${encodeURIComponent('fastest gpu for llama-3.1-8b')}`;
    const exports = ['/v1/results.csv?model=llama-3.1-8b', '/v1/results.jsonl?model=llama-3.1-8b'];
    for (const path of [boardPath, best, `/v1/systems/${systemId}`, '/v1/results?limit=50', ...exports, '/feed.xml']) {
      const fromPrimary = await ask(path, asWriter);
      expect(fromPrimary.status, fromPrimary.text).toBe(200);
      for (const answer of await Promise.all(Array.from({ length: 8 }, () => ask(path)))) {
        expect(answer.text, path).toBe(fromPrimary.text);
        expect(answer.headers.etag, path).toBe(fromPrimary.headers.etag);
      }
    }
  }

  /** Four visitors send requests for the whole duration: every response is 200. */
  async function visit(during: () => Promise<void>): Promise<void> {
    let isOver = false;
    const statuses: Record<number, number> = {};
    const paths = [boardPath, '/v1/results?limit=20', '/v1/results.csv', '/'];
    const visitor = async (place: number) => {
      for (let turn = place; !isOver; turn += 1) {
        const { status } = await ask(paths[turn % paths.length] ?? '/');
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    };
    const work = during().finally(() => {
      isOver = true;
    });
    await Promise.all([work, ...[0, 1, 2, 3].map(visitor)]);
    expect(Object.keys(statuses)).toEqual(['200']);
  }

  test('share the reads, and return the same as the primary', async () => {
    await untilReaders(2, 2);
    await until(isShown, 'all that was written is shown');
    await expectSameAsPrimary();
    for (const { url } of servers.standbys) {
      // Sessions report their statistics after a delay.
      await until(
        async () => {
          const [row] = await withConnection(
            url,
            (sql) => sql`select coalesce(seq_scan, 0) + coalesce(idx_scan, 0) as scans from pg_stat_user_tables
            where relname = 'board_rows'`,
          );
          return Number(row?.scans) > 0;
        },
        `boards are read from ${new URL(url).host}`,
      );
    }
  });

  test('show a write within five seconds, with a changed ETag', async () => {
    await until(isShown, 'all that was written is shown');
    const { headers } = await ask(boardPath);
    const asked = { 'if-none-match': String(headers.etag) };
    const known = await Promise.all(Array.from({ length: 12 }, () => ask(boardPath, asked)));
    expect(new Set(known.map(({ status }) => status))).toEqual(new Set([304]));
    await write();
    const from = performance.now();
    await until(isShown, 'the write is shown');
    const seen_ms = performance.now() - from;
    const changed = await Promise.all(Array.from({ length: 12 }, () => ask(boardPath, asked)));
    expect(new Set(changed.map(({ status }) => status))).toEqual(new Set([200]));
    expect(seen_ms).toBeLessThan(5000);
    console.log(`a write was in 32 of 32 answers after ${Math.round(seen_ms)} ms`);
  });

  test('are replaced without failed requests if one is killed, and used again later', async () => {
    const [first] = servers.standbys;
    await untilReaders(2, 2);
    await visit(async () => {
      await first?.signal('SIGKILL');
      await untilReaders(0, 4);
    });
    await write();
    await until(isShown, 'a write while one is away');
    await expectSameAsPrimary();
    await visit(async () => {
      await first?.restart();
      await untilReaders(2, 2);
    });
    await until(isShown, 'all that was written is shown');
    await expectSameAsPrimary();
  });

  test('are excluded after five seconds of lag, and used again later', async () => {
    const second = servers.standbys[1]?.url ?? '';
    await untilReaders(2, 2);
    await withConnection(second, (sql) => sql`select pg_wal_replay_pause()`);
    await write();
    const from = performance.now();
    await visit(() => untilReaders(4, 0));
    const left_ms = performance.now() - from;
    expect(await isShown()).toBe(true);
    await expectSameAsPrimary();
    await withConnection(second, (sql) => sql`select pg_wal_replay_resume()`);
    await untilReaders(2, 2);
    await expectSameAsPrimary();
    expect(left_ms).toBeGreaterThan(4000);
    console.log(`a standby that stood still was left out after ${Math.round(left_ms)} ms`);
  });
});
