import { watch } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readArtifact } from '../../packages/core/src/adapters/index.ts';
import { type FakeServer, startFakeServer } from '../../packages/loadgen/src/fake-server/fake-server.ts';
import { type FakeOptions, usualOptions } from '../../packages/loadgen/src/fake-server/options.ts';
import { runMeasure } from '../support/measure-command.ts';
import { createAccount, startTestServer } from '../support/server.ts';

// --find, --until and --against of the command, against the project's own fake server.

const fakes: FakeServer[] = [];
async function fake(options: Partial<FakeOptions> = {}): Promise<string> {
  const server = await startFakeServer({ ...usualOptions, ttftMs: 20, itlMs: 4, ...options });
  fakes.push(server);
  return `http://127.0.0.1:${server.port}`;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inferboard-capacity-'));
});
afterAll(async () => {
  await Promise.all(fakes.map((server) => server.close()));
  await rm(folder, { recursive: true, force: true });
});

const small = ['--input-tokens', '32', '--output-tokens', '8', '--seed', '7', '--warmup', '0'];

test('--find prints the maximum load, and every point has its goodput', async () => {
  const out = join(folder, 'find.jsonl');
  // Four slots: the fifth request waits for a whole response.
  const url = await fake({ slots: 4, ttftMs: 200 });
  const args = [
    '--url',
    url,
    ...small,
    '--find',
    'ttft_p99<320',
    '--concurrency',
    '2',
    '--requests',
    '16',
    '--out',
    out,
  ];
  const { code, output, errors } = await runMeasure(args);
  expect(code, errors).toBe(0);
  expect(errors).toContain('search for the capacity, seed 7');
  expect(output).toMatch(/output tok\/s +goodput req\/s/);
  expect(output).toMatch(
    /Capacity under ttft_p99<320: 4 concurrent\. 4 concurrent met the limits\. 5 concurrent did not \(25\.0 %\)\. Above the capacity: missed ttft_p99<320\./,
  );
  const { results } = readArtifact(await readFile(out));
  expect(output).toContain(
    `${results.length} points, ${results.flatMap(({ requests }) => requests ?? []).length} requests.`,
  );
  expect(results.every(({ limits }) => limits?.ttftMs === 320)).toBe(true);
});

test('--until repeats a point, and prints the width of its intervals', async () => {
  const url = await fake();
  const args = ['--url', url, ...small, '--requests', '8', '--slo', 'ttft<500,tpot<100'];
  const { code, output, errors } = await runMeasure([...args, '--until', 'ci=80%,max=5']);
  expect(code).toBe(0);
  expect(output).toMatch(/32-8, single request: 3 repetitions: ±[\d.]+ % at 95 % \(.+\)\./);
  expect(output).toMatch(/\(100 %\)/);
  expect(output).toMatch(/scenario +load +repetition +ok .*\n(32-8 +single request +[123] +8 .*\n){3}/);
  expect(output).toMatch(/! All 3 points: the server reports that its responses are simulated/);
  expect(errors).toContain('32-8, single request, repetition 3: 8 of 8 ok');
  const tight = await runMeasure([...args, '--until', 'ci=0.0001%,max=3']);
  expect([tight.code, tight.output]).toEqual([
    1,
    expect.stringMatching(/! 32-8, single request: 3 repetitions: .* wider/),
  ]);
});

test('--until judges the requests per second of embeddings and rankings, which have no tokens', async () => {
  const url = await fake();
  const args = ['--url', url, '--input-tokens', '32', '--seed', '7', '--warmup', '0', '--requests', '8'];
  for (const endpoint of ['embeddings', 'rerank']) {
    const { code, output, errors } = await runMeasure([...args, '--endpoint', endpoint, '--until', 'ci=90%,max=5']);
    expect(code, errors).toBe(0);
    expect(output).toMatch(/: [345] repetitions: ±[\d.]+ % at 95 % \(req\/s\)\./);
  }
});

test('refuses limits that no measurement can judge, before the first request', async () => {
  const url = await fake();
  const args = ['--url', url, '--input-tokens', '32', '--seed', '7'];
  const documents = [...args, '--endpoint', 'embeddings'];
  const find = await runMeasure([...documents, '--find', 'ttft_p99<100,itl_p50<5,e2e_p99<90']);
  expect([find.code, find.errors.trim()]).toEqual([
    2,
    '--find: --endpoint embeddings has no TTFT and no ITL. Limit e2e.',
  ]);
  const slo = await runMeasure([...args, '--endpoint', 'rerank', '--slo', 'tpot<30,e2e<500']);
  expect([slo.code, slo.errors.trim()]).toEqual([2, '--slo: --endpoint rerank has no TPOT. Limit e2e.']);
  const reversed = await runMeasure([...args, '--output-tokens', '4', '--find', 'e2e_p99<90', '--rate', '8,2']);
  expect([reversed.code, reversed.errors.trim()]).toEqual([
    2,
    '--find searches upwards. Write --rate 2,8: first the lower level, then the higher one.',
  ]);
  expect(fakes.at(-1)?.answers).toHaveLength(0);
});

interface Compared {
  id: string;
  submissions: unknown[];
  servers: { server: string; system: { label: string } }[];
  loads: { ratios: { figure: string; blocks: number; differs: boolean; ratio: number }[] }[];
}

test('--against measures two servers in one session and one submission', async () => {
  const server = await startTestServer({ SAMPLE_DATA: 'false', ROLES: 'api,site' });
  try {
    const key = await createAccount(server.url, 'measurer');
    const [a, b] = [await fake({ itlMs: 10 }), await fake({ itlMs: 16 })];
    const facts = ['--gpu', 'h100-sxm', '--quantization', 'bf16', '--engine', 'vllm', '--model', 'Qwen/Qwen3-8B'];
    const both = ['--url', a, '--against', b, '--against-facts', 'engine-version=0.12.0', '--repetitions', '5'];
    const args = [...both, ...small, ...facts, '--requests', '8', '--submit', server.url];
    const { code, output, errors } = await runMeasure(args, { INFERBOARD_KEY: key });
    expect(code, errors).toBe(0);
    expect(output).toMatch(/32-8, single request, 5 blocks: .*TPOT of B is \d+\.\d % higher \(99 % interval \+/);
    const id = /submitted: \S*(sub_[0-9a-f]+)/.exec(output)?.[1];
    const stored = (await (await fetch(`${server.url}/v1/submissions/${id}`)).json()) as {
      notes: string;
      results: { system: { id: string }; repetition: number }[];
    };
    expect(stored.notes).toMatch(/^Session [0-9a-f-]{36}: server A and server B, .*seed 7\. Requests are paired/);
    expect(stored.notes).toContain('TPOT of B is');
    expect(new Set(stored.results.map(({ system }) => system.id)).size).toBe(2);
    expect(stored.results).toHaveLength(10);
    const artifact = await (await fetch(`${server.url}/v1/submissions/${id}/artifact`)).text();
    const [session] = /"session":\{"id":"[0-9a-f-]{36}"/.exec(artifact) ?? [''];
    expect(artifact.split(session)).toHaveLength(11);
    const compared = (await (await fetch(`${server.url}/v1/submissions/${id}/session`)).json()) as Compared;
    expect(compared.id).toBe(/[0-9a-f-]{36}/.exec(session)?.[0]);
    expect(compared.submissions).toHaveLength(1);
    expect(compared.servers.map((one) => [one.server, one.system.label.includes('0.12.0')])).toEqual([
      ['a', false],
      ['b', true],
    ]);
    expect(compared.loads).toHaveLength(1);
    const tpot = compared.loads[0]?.ratios.find(({ figure }) => figure === 'tpot_ms_mean');
    expect(tpot).toMatchObject({ blocks: 5, differs: true });
    expect(tpot?.ratio).toBeGreaterThan(1.2);
    const page = await (await fetch(`${server.url}/submissions/${id}`)).text();
    expect(page).toContain('Two servers in one session');
    expect(page).toContain('B is higher');
  } finally {
    await server.dispose();
  }
});

test('--find searches with the prompts of a file, and cannot be resumed', async () => {
  const file = join(folder, 'team.jsonl');
  await writeFile(file, '{"prompt":"alpha","output_tokens":4}\n');
  const out = join(folder, 'killed.jsonl');
  const url = await fake({ slots: 2, ttftMs: 400 });
  const args = ['--url', url, '--prompts', file, '--find', 'ttft_p99<640', '--requests', '8', '--warmup', '0'];
  const found = await runMeasure([...args, '--seed', '7']);
  expect(found.code, found.errors).toBe(0);
  expect(found.output).toMatch(/team-[0-9a-f]{8} +single request +1 +\d+ +0[\s\S]*Capacity under ttft_p99<640: /);
  const killed = await runMeasure([...args, '--out', out], {}, async (kill) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const watcher = watch(folder, (_event, name) => {
      if (name === 'killed.jsonl.journal') resolve();
    });
    await promise;
    watcher.close();
    kill('SIGKILL');
  });
  expect(killed.code).toBe(null);
  const resumed = await runMeasure(['--resume', out]);
  expect([resumed.code, resumed.errors]).toEqual([2, expect.stringContaining('cannot be resumed')]);
});

test('--against sends conversations to both servers, and the credential only to A', async () => {
  const key = 'sk-of-a-0123456789';
  const a = await fake({ apiKey: key });
  const b = await startFakeServer({ ...usualOptions, ttftMs: 20, itlMs: 4 }, { keepsRequests: true });
  fakes.push(b);
  const header = ['--header', `Authorization: Bearer ${key}`, '--header', 'X-Team: search', '--turns', '2'];
  const both = ['--url', a, '--against', `http://127.0.0.1:${b.port}`, '--repetitions', '3', '--requests', '2'];
  const { code, output, errors } = await runMeasure([...both, ...header, ...small]);
  expect(code, errors).toBe(0);
  expect(output).toMatch(/turns-2-32-to-8, single request, 3 blocks: /);
  expect(output).toContain('! All 6 points: the server reports');
  for (const name of ['A', 'B'])
    expect(errors).toContain(`${name}, turns-2-32-to-8, single request, repetition 2: 4 of 4 ok`);
  expect(b.answers.length).toBeGreaterThan(12);
  for (const { request } of b.answers) {
    expect(request?.headers).toMatchObject({ 'x-team': 'search' });
    expect(request?.headers).not.toHaveProperty('authorization');
  }
});

test.each([
  [['--find', 'ttft_p99<1', '--replay', 'a.jsonl'], /--find chooses its points itself\. Remove --replay\./],
  [['--find', 'speed_p99<1'], /--find: "speed_p99<1" is not a limit\. Write METRIC_STATISTIC<MILLISECONDS/],
  [['--find', 'ttft_p99<1', '--until', 'ci=2%', '--burst', '4'], /--find chooses its points itself\. Remove --until\./],
  [['--find', 'ttft_p99<1', '--burst', '4'], /--find needs --concurrency or --rate with one level to start at/],
  [['--until', '2%'], /--until: "2%" is not a width\. Write ci=2%/],
  [['--against', 'ftp://x', '--until', 'ci=2%'], /--against must be an http or https URL[\s\S]*Remove --until\./],
  [['--against-facts', 'gpu=x'], /--against-facts needs --against\./],
])('%j is rejected before a request is sent', async (args, message) => {
  const { code, errors } = await runMeasure(['--url', 'http://127.0.0.1:9', ...args]);
  expect(code).toBe(2);
  expect(errors).toMatch(message);
});
