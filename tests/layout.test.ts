import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useTestDatabase, withConnection } from '../packages/db/src/testing/index.ts';
import { startLoop } from './support/client-loop.ts';
import { type Layout, probe, startLayout } from './support/layout.ts';
import { adminKey, createDataDir, startAt } from './support/server.ts';
import { findTool } from './support/tools.ts';

// What compose.yaml starts in containers runs here as processes: two APIs, two sites, two workers and the proxy on one
// PostgreSQL.

/** Twelve processes started and replaced take minutes: `npm run layout` asks for it. */
const isAsked = process.env.LAYOUT_ROUNDS !== undefined;
const rounds = Number(process.env.LAYOUT_ROUNDS ?? 1);
const drain_s = process.env.LAYOUT_DRAIN_S ?? '1';
const acceptance = fileURLToPath(new URL('./acceptance/main.ts', import.meta.url));
const database = useTestDatabase();
const nginx = findTool('openssl') === null ? null : findTool('nginx');
let layout: Layout;

beforeAll(async () => {
  if (nginx !== null) layout = await startLayout(nginx, database.url, { DRAIN_S: drain_s });
});
afterAll(() => layout?.stop());

/** Runs the acceptance against an address; answers what it printed. Fails where a promise is broken. */
async function accept(url: string, key: string, certificate?: string): Promise<string> {
  const trust = certificate === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificate };
  const env = { PATH: process.env.PATH, ADMIN_KEY: key, ...trust };
  const run = promisify(execFile)(process.execPath, [acceptance, '--url', url], { env, timeout: 120_000 });
  return run.then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => `${error.stdout}\n${error}`,
  );
}

const promisesKept = /^(\d+) of \1 promises kept/m;

/** Status and headers of one request to the proxy. */
function ask(path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const ca = readFileSync(layout.certificate);
    const asked = request(`${layout.url}${path}`, { ca, headers, agent: false }, async (answer) => {
      let text = '';
      for await (const piece of answer.setEncoding('utf8')) text += piece;
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
    });
    asked.on('error', reject);
    asked.end();
  });
}

describe.skipIf(nginx === null || !isAsked)('the layout of production', () => {
  test('keeps every promise that one process keeps', async () => {
    const place = await createDataDir();
    const single = await startAt(place, { SAMPLE_DATA: 'false', ENDPOINT_ALLOW_CIDRS: '127.0.0.0/8' });
    try {
      const [apart, together] = await Promise.all([
        accept(layout.url, layout.adminKey, layout.certificate),
        accept(single.url, adminKey),
      ]);
      expect(apart).toMatch(promisesKept);
      expect(together).toMatch(promisesKept);
      console.log(apart);
    } finally {
      await single.dispose();
    }
  });

  test('is reached by HTTPS alone, and shows no figures of its processes', async () => {
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

  test('has no secret in what its processes print', () => {
    for (const name of [...layout.processes.keys(), 'proxy']) {
      const log = layout.logOf(name);
      expect(log.length, name).toBeGreaterThan(0);
      expect(log).not.toContain(layout.adminKey);
      expect(log).not.toMatch(/\bib_[0-9A-Za-z]{20,}/);
    }
  });

  test('turns nobody away while every process is replaced under load', async () => {
    const account = await promisify(execFile)(process.execPath, ['-e', registerScript], {
      env: { PATH: process.env.PATH, URL: layout.url, KEY: layout.adminKey, NODE_EXTRA_CA_CERTS: layout.certificate },
    });
    const paths = ['/v1/leaderboard?rank_by=decode_tok_s', '/', '/v1/results?limit=5', '/glossary', '/healthz'];
    const ca = readFileSync(layout.certificate, 'utf8');
    const loop = startLoop({ url: layout.url, ca, key: account.stdout.trim(), clients: 6, paths });
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
    // One of each role at a time, or one by one where there is time.
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
    // One that serves is seen to be going before it goes.
    expect(seen503).toEqual(expect.arrayContaining(names.filter((name) => !name.startsWith('worker'))));
    expect(new Set(stored).size).toBe(writes);
    const count = (sql: Parameters<Parameters<typeof withConnection>[1]>[0]) =>
      sql`select count(*)::int as n from submissions where id = any(${stored})`;
    const [row] = await withConnection(database.url, count);
    expect(row?.n).toBe(writes);
    // And nothing else was: a write that was sent to two processes is there once.
    const accountCount = await withConnection(
      database.url,
      (sql) =>
        sql`select count(*)::int as n from submissions s join accounts a on a.id = s.account_id where a.name = 'loop'`,
    );
    expect(accountCount[0]?.n).toBe(writes);
  });
});

/** Prints a new account's key. In a process of its own, which trusts the proxy's certificate. */
const registerScript = `
const answer = await fetch(process.env.URL + '/v1/accounts', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + process.env.KEY, 'content-type': 'application/json' },
  body: '{"name":"loop"}',
});
if (answer.status !== 201) throw new Error(await answer.text());
console.log((await answer.json()).key.key);
`;
