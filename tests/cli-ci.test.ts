import { execFileSync } from 'node:child_process';
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
  {
    inputs = {},
    event = {},
    checkout,
  }: { inputs?: Record<string, string>; event?: Record<string, string>; checkout?: string } = {},
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
    cwd: checkout ?? folder,
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

test('compares the commits of a repository, one after another', async () => {
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

/** Published llama-bench output of one of two GPUs of a machine, whose slots differ (ggml-org/llama.cpp, discussion 10879). */
const slotOutput = (pp512: string, tg128: string) => `ggml_vulkan: Found 1 Vulkan devices:
ggml_vulkan: 0 = AMD Radeon RX 7900 XTX (RADV NAVI31) (radv) | uma: 0 | fp16: 1 | bf16: 0 | warp size: 64 | shared memory: 65536 | int dot: 1 | matrix cores: KHR_coopmat
| model                          |       size |     params | backend    | ngl | n_batch | fa |            test |                  t/s |
| ------------------------------ | ---------: | ---------: | ---------- | --: | ------: | -: | --------------: | -------------------: |
| llama 7B Q4_0                  |   3.56 GiB |     6.74 B | Vulkan     | 100 |     512 |  1 |           pp512 |      ${pp512} |
| llama 7B Q4_0                  |   3.56 GiB |     6.74 B | Vulkan     | 100 |     512 |  1 |           tg128 |      ${tg128} |

build: a81a56957 (7361)
`;

test('compares two commits of a repository, and publishes a result of each', async () => {
  const checkout = await mkdtemp(join(place, 'repository-'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=us', '-c', 'user.email=us@example.com', ...args], {
      cwd: checkout,
      encoding: 'utf8',
    }).trim();
  git('init', '--quiet', '--initial-branch=main');
  const commitOf = async (message: string, output: string) => {
    await writeFile(join(checkout, 'bench.txt'), output);
    git('add', 'bench.txt');
    git('commit', '--quiet', '-m', message);
    return git('rev-parse', 'HEAD');
  };
  const inputs = { files: 'bench.txt', flags: '--model llama-2-7b --gpu-count 1', comment: 'false' };
  const event = { GITHUB_REPOSITORY: 'us/slots' };
  const before = await commitOf('Measure in the top slot', slotOutput('3290.92 ± 37.67', ' 172.86 ± 0.23'));
  const first = await build(before, '', { inputs, checkout, event });
  expect(first.code, first.errors).toBe(0);
  expect(first.outputs.verdict).toBe('no_base');

  git('checkout', '--quiet', '-b', 'bottom-slot');
  const after = await commitOf('Measure in the bottom slot', slotOutput('3229.07 ± 53.81', ' 150.97 ± 0.05'));
  const second = await build(after, '', { inputs, checkout, event: { ...event, ...ofPullRequest } });
  // llama-bench's Markdown prints the deviation, but not the number of repetitions.
  expect(second).toMatchObject({ code: 0, outputs: { verdict: 'insufficient_data' } });
  expect(second.summary).toContain(`${after.slice(0, 12)} compared with ${before.slice(0, 12)}:`);
  expect(second.summary).toContain('### Inferboard: Not enough data to compare with main');
  expect(second.summary).toMatch(
    /\| decode_tok_s \| 172\.9 tok\/s \(n not stated\) \| 151 tok\/s \(n not stated\) \| −13 % \|/,
  );
  expect(second.summary).toContain('A verdict needs the number of repetitions');
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

test('reports a rejection, and continues if a comment cannot be written', async () => {
  const refused = await build('ddd1', 'no benchmark', { inputs: facts });
  expect(refused.code).toBe(1);
  const inputs = { ...facts, token: 'ghs_expired' };
  const unheard = await build('ddd2', benchmarked(6, 1), { inputs, event: ofPullRequest });
  expect(unheard.code).toBe(0);
  expect(unheard.errors).toContain('The comment could not be written: GitHub returned 401');
  const nowhere = { ...ofPullRequest, GITHUB_STEP_SUMMARY: join(place, 'no-such-folder', 'summary.md') };
  const unwritten = await build('ddd3', benchmarked(7, 1), { inputs: facts, event: nowhere });
  expect(unwritten).toMatchObject({ code: 2, outputs: { verdict: 'no_regression' } });
  expect(unwritten.errors).toMatch(/^The file of GITHUB_STEP_SUMMARY cannot be written: ENOENT/m);
  expect(comments[0]?.body).toContain('ddd3 compared with');
});
