import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Ended, type PackedClient, packClient, runToEnd } from './support/packed-client.ts';
import { createAccount, startTestServer, type TestServer } from './support/server.ts';

// Runs the action's script as CI does, over commits of a repository, each with its llama-bench output.

interface Action {
  inputs: Record<string, { default?: string }>;
  runs: { steps: { id?: string; run?: string; env?: Record<string, string> }[] };
}
const action = parse(await readFile(new URL('../action.yml', import.meta.url), 'utf8')) as Action;
const written = JSON.parse(
  await readFile(new URL('../packages/core/fixtures/llama-bench/b5163-array.json', import.meta.url), 'utf8'),
) as Record<string, unknown>[];

let server: TestServer;
let client: PackedClient;
let key: string;
let github: Server;
let place: string;
/** Comments of the pull request, as GitHub would store them. */
const comments: { id: number; body: string }[] = [];

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'inferboard-ci-'));
  [server, client] = await Promise.all([startTestServer({ ROLES: 'api', SAMPLE_DATA: 'false' }), packClient()]);
  key = await createAccount(server.url, 'builds');
  github = createServer(async (request, response) => {
    const { method, url = '', headers } = request;
    const answer = (status: number, value: unknown) => response.writeHead(status).end(JSON.stringify(value));
    if (headers.authorization !== 'Bearer ghs_test') return answer(401, {});
    if (method === 'GET' && url === '/repos/us/engine/issues/7/comments?per_page=100') return answer(200, comments);
    const { body } = (await json(request)) as { body: string };
    if (method === 'POST' && url === '/repos/us/engine/issues/7/comments') {
      comments.push({ id: comments.length + 1, body });
      return answer(201, comments.at(-1));
    }
    const own = comments.find(({ id }) => method === 'PATCH' && url === `/repos/us/engine/issues/comments/${id}`);
    if (own === undefined) return answer(404, {});
    own.body = body;
    return answer(200, own);
  });
  await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await server?.dispose();
  await client?.remove();
  await new Promise((resolve) => github?.close(resolve));
  await rm(place, { recursive: true, force: true });
});

/** Output of llama-bench for a build that is slower by a factor. */
function benchmarked(build: number, slower: number): string {
  const times = (value: unknown, factor: number) =>
    Array.isArray(value) ? value.map((one) => one * factor) : (value as number) * factor;
  return JSON.stringify(
    written.map((row) => ({
      ...row,
      build_number: build,
      build_commit: `c${build}`,
      avg_ns: times(row.avg_ns, slower),
      samples_ns: times(row.samples_ns, slower),
      avg_ts: times(row.avg_ts, 1 / slower),
      samples_ts: times(row.samples_ts, 1 / slower),
    })),
  );
}

interface Build extends Ended {
  summary: string;
  outputs: Record<string, string>;
}

/** Runs the action's step for the build of a commit. */
async function build(
  commit: string,
  artifact: string,
  { inputs = {}, event = {} }: { inputs?: Record<string, string>; event?: Record<string, string> } = {},
): Promise<Build> {
  const folder = await mkdtemp(join(place, `${commit}-`));
  await writeFile(join(folder, 'bench.json'), artifact);
  await writeFile(join(folder, 'event.json'), JSON.stringify({ pull_request: { number: 7 } }));
  const files = { GITHUB_STEP_SUMMARY: join(folder, 'summary.md'), GITHUB_OUTPUT: join(folder, 'output') };
  const { run = '', env = {} } = action.runs.steps.find(({ id }) => id === 'inferboard') ?? {};
  const given: Record<string, string> = {
    ...{ files: 'bench.json', url: server.url, key, token: 'ghs_test', client: `file:${client.tarball}` },
    ...inputs,
  };
  const set = Object.entries(env).map(([name, text]) => {
    const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(text)?.[1] ?? '';
    return [name, given[input] ?? action.inputs[input]?.default ?? ''];
  });
  const ended = await runToEnd('bash', ['-e', '-o', 'pipefail', '-c', run], {
    cwd: folder,
    env: {
      ...{ PATH: process.env.PATH ?? '', HOME: place, npm_config_offline: 'true' },
      ...{ GITHUB_REPOSITORY: 'us/engine', GITHUB_SHA: commit, GITHUB_REF_NAME: 'main', ...files },
      GITHUB_API_URL: `http://127.0.0.1:${(github.address() as AddressInfo).port}`,
      ...event,
      ...(event.GITHUB_BASE_REF && { GITHUB_EVENT_PATH: join(folder, 'event.json') }),
      ...Object.fromEntries(set),
    },
  });
  const lines = (await readFile(files.GITHUB_OUTPUT, 'utf8').catch(() => '')).trimEnd().split('\n');
  return {
    ...ended,
    summary: await readFile(files.GITHUB_STEP_SUMMARY, 'utf8').catch(() => ''),
    outputs: Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2))),
  };
}

const ofPullRequest = { GITHUB_REF_NAME: '7/merge', GITHUB_BASE_REF: 'main' };
const facts = { flags: '--model meta-llama/Llama-3.1-8B-Instruct --gpu-count 1' };

test('commits of a repository, one after another', async () => {
  const first = await build('aaa1', benchmarked(1, 1), { inputs: facts });
  expect(first).toMatchObject({ code: 0, outputs: { verdict: 'no_base' } });
  expect(first.summary).toContain('### Inferboard: No earlier results of main');
  expect(first.outputs.link).toMatch(/\/submissions\/sub_/);
  expect(comments).toEqual([]);

  const second = await build('aaa2', benchmarked(2, 1.001), { inputs: facts });
  expect(second).toMatchObject({ code: 0, outputs: { verdict: 'no_regression' } });
  expect(second.summary).toContain('aaa2 compared with aaa1:');

  const slower = await build('bbb1', benchmarked(3, 1.2), { inputs: facts, event: ofPullRequest });
  expect(slower).toMatchObject({ code: 4, outputs: { verdict: 'regression' } });
  expect(comments).toHaveLength(1);
  expect(comments[0]?.body).toContain('regressed compared with main');
  expect(comments[0]?.body).toMatch(/\| prefill_tok_s \| .* \| −17 % \| .* \| \*\*regression\*\* \|/);
  expect(comments[0]?.body).toContain(slower.outputs.link);

  const mended = await build('bbb2', benchmarked(4, 0.999), { inputs: facts, event: ofPullRequest });
  expect(mended).toMatchObject({ code: 0, outputs: { verdict: 'no_regression' } });
  expect(mended.summary).toContain('bbb2 compared with aaa2:');
  expect(comments).toHaveLength(1);
  expect(comments[0]?.body).toContain('### Inferboard: No regression compared with main');

  // A pull request is never a baseline, and neither is the same commit.
  const again = await build('aaa2', benchmarked(2, 1.002), { inputs: facts });
  expect(again.summary).toContain('aaa2 compared with aaa1:');
});

test('a dry run compares and stores nothing', async () => {
  const count = async () => {
    const response = await fetch(`${server.url}/v1/submissions?limit=200`);
    return ((await response.json()) as { data: unknown[] }).data.length;
  };
  const before = await count();
  const inputs = { ...facts, 'dry-run': 'true', comment: 'false' };
  const ended = await build('ccc1', benchmarked(5, 1.3), { inputs, event: ofPullRequest });
  expect(ended).toMatchObject({ code: 4, outputs: { verdict: 'regression', link: '' } });
  expect(await count()).toBe(before);
  expect(comments[0]?.body).toContain('No regression');
});

test('a refusal is one, and a comment that cannot be written ends nothing', async () => {
  const refused = await build('ddd1', 'no benchmark', { inputs: facts });
  expect(refused.code).toBe(1);
  const inputs = { ...facts, token: 'ghs_expired' };
  const unheard = await build('ddd2', benchmarked(6, 1), { inputs, event: ofPullRequest });
  expect(unheard.code).toBe(0);
  expect(unheard.errors).toContain('The comment could not be written: GitHub returned 401');
});
