import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registerSigner } from '../../apps/api/src/testing/signing.ts';
import { readArtifact } from '../../packages/core/src/adapters/index.ts';
import { loginFile, loginText } from '../../packages/loadgen/src/cli/stored-login.ts';
import { submitReports } from '../../packages/loadgen/src/cli/submit.ts';
import { type FakeServer, startFakeServer } from '../../packages/loadgen/src/fake-server/fake-server.ts';
import { type FakeOptions, usualOptions } from '../../packages/loadgen/src/fake-server/options.ts';
import { runMeasure } from '../support/measure-command.ts';
import { createAccount, startTestServer, type TestServer } from '../support/server.ts';

// Runs the command against the project's fake server, each in a separate process.

const secret = 'sk-of-the-fake-server-0123456789';

const fakes: FakeServer[] = [];
async function fake(options: Partial<FakeOptions> = {}): Promise<string> {
  const server = await startFakeServer({ ...usualOptions, ttftMs: 20, itlMs: 2, ...options });
  fakes.push(server);
  return `http://127.0.0.1:${server.port}`;
}

const refusing: Server[] = [];
/** A server that counts prompts and rejects every stream. */
async function refuse(status: number, body: unknown): Promise<number> {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (bytes: Buffer) => {
      text += bytes.toString();
    });
    request.on('end', () => {
      // The client also requests the properties of the server.
      if (request.method === 'GET') {
        response.writeHead(404).end();
        return;
      }
      const { stream, messages } = JSON.parse(text) as { stream: boolean; messages: { content: string }[] };
      const words = messages[0]?.content.split(/\s+/).length ?? 0;
      response.writeHead(stream ? status : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(stream ? body : { usage: { prompt_tokens: words + 3 } }));
    });
  });
  refusing.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inferboard-measure-'));
});
afterAll(async () => {
  await Promise.all(fakes.map((server) => server.close()));
  for (const server of refusing) server.close();
  await rm(folder, { recursive: true, force: true });
});

const small = ['--input-tokens', '64', '--output-tokens', '16', '--seed', '7'];

test('shows each point, and writes records from which the figures can be derived', async () => {
  const out = join(folder, 'records.jsonl');
  const url = await fake();
  const args = ['--url', url, ...small, '--concurrency', '1,2', '--burst', '4', '--requests', '16', '--out', out];
  const { code, output } = await runMeasure(args);
  expect(code).toBe(0);
  expect(output).toMatch(/scenario +load +ok +failed +TTFT p50 \/ tail ms/);
  expect(output).toMatch(/64-16 +single request +16 +0/);
  expect(output).toMatch(/64-16 +burst of 4 +4 +0/);
  const { tool, results } = readArtifact(await readFile(out));
  expect(tool.name).toBe('inferboard-loadgen');
  expect(results.map(({ load }) => [load?.mode, load?.level])).toEqual([
    ['concurrency', 1],
    ['concurrency', 2],
    ['burst', 4],
  ]);
  expect(results.map(({ requests }) => requests?.length)).toEqual([16, 16, 4]);
});

test('sends the records to the service, which derives the figures itself', async () => {
  const server: TestServer = await startTestServer({ SAMPLE_DATA: 'false', ROLES: 'api' });
  try {
    const key = await createAccount(server.url, 'measurer');
    // Slower than the memory of one H100 allows.
    const url = await fake({ apiKey: secret, itlMs: 10 });
    const facts = ['--gpu', 'h100-sxm', '--quantization', 'bf16', '--engine', 'vllm', '--model', 'Qwen/Qwen3-8B'];
    const { code, output, errors } = await runMeasure(
      ['--url', url, ...small, ...facts, '--concurrency', '2', '--submit', server.url, '--api-key-env', 'SERVER_KEY'],
      { SERVER_KEY: secret, INFERBOARD_KEY: key },
    );
    expect(errors).not.toContain('answers');
    expect(code).toBe(0);
    const id = /submitted: \S*(sub_[0-9a-f]+)/.exec(output)?.[1];
    expect(id, output).toBeDefined();
    const stored = (await (await fetch(`${server.url}/v1/submissions/${id}`)).json()) as {
      status: string;
      results: { trust: string; metrics: Record<string, number> }[];
    };
    expect(output).toContain('its responses are simulated');
    expect(stored.status).toBe('simulated');
    expect(stored.results[0]).toMatchObject({ trust: 'recomputed', metrics: { requests_ok: 16, requests_failed: 0 } });
    const artifact = await (await fetch(`${server.url}/v1/submissions/${id}/artifact`)).text();
    for (const text of [artifact, output, errors]) expect(text).not.toContain(secret);
  } finally {
    await server.dispose();
  }
});

test('signs the records with the key of inferboard login, without a variable', async () => {
  const server: TestServer = await startTestServer({ SAMPLE_DATA: 'false', ROLES: 'api' });
  try {
    const key = await createAccount(server.url, 'signs records');
    const signer = await registerSigner({ request: (path, init) => fetch(server.url + path, init) }, key);
    const config = join(folder, 'config');
    await mkdir(join(config, 'inferboard'), { recursive: true });
    const login = { url: server.url, key, signing: { id: signer.id, privateKey: signer.privateKey } };
    await writeFile(loginFile({ XDG_CONFIG_HOME: config }), loginText(login));
    const facts = ['--gpu', 'h100-sxm', '--quantization', 'bf16', '--engine', 'vllm', '--model', 'Qwen/Qwen3-8B'];
    // Slower than the memory of one H100 allows.
    const load = ['--concurrency', '2', '--submit', `${server.url}/`];
    const args = ['--url', await fake({ itlMs: 10 }), ...small, ...facts, ...load];
    const { code, output, errors } = await runMeasure(args, { XDG_CONFIG_HOME: config });
    expect(errors).not.toContain('answers');
    expect(code).toBe(0);
    const id = /submitted: \S*(sub_[0-9a-f]+)/.exec(output)?.[1];
    const read = async (path: string) => fetch(`${server.url}/v1/submissions/${id}${path}`);
    const { signed } = (await (await read('')).json()) as { signed: { key_id: string; signature: string } };
    const artifact = new Uint8Array(await (await read('/artifact')).arrayBuffer());
    expect(signed).toMatchObject({ key_id: signer.id, signature: signer.sign(artifact) });
    const without = await runMeasure(args, { XDG_CONFIG_HOME: folder });
    const fix = `log in: inferboard login --url ${server.url}/\n`;
    expect(without).toMatchObject({ code: 2, errors: expect.stringContaining(fix) });
    // Another address of the same service.
    const other = server.url.replace('127.0.0.1', 'localhost');
    const elsewhere = await runMeasure(args.with(-1, other), { XDG_CONFIG_HOME: config });
    expect(elsewhere.errors).toContain(
      `${other} requires a key. The login is for ${server.url}, not for ${other}. Set the environment variable INFERBOARD_KEY, or log in`,
    );
  } finally {
    await server.dispose();
  }
});

test('submits without a key to a service with open registration, and prints how to claim it', async () => {
  const server: TestServer = await startTestServer({ SAMPLE_DATA: 'false', ROLES: 'api', REGISTRATION: 'open' });
  try {
    const facts = ['--gpu', 'h100-sxm', '--quantization', 'bf16', '--engine', 'vllm', '--model', 'Qwen/Qwen3-8B'];
    const load = ['--concurrency', '2', '--requests', '8', '--submit', server.url];
    const args = ['--url', await fake({ itlMs: 10 }), ...small, ...facts, ...load];
    const { code, output } = await runMeasure(args, { XDG_CONFIG_HOME: folder });
    expect(code).toBe(0);
    expect(output).toMatch(
      /submitted: \S*\/submissions\/(sub_\w+)\nclaim it: \S*\/submissions\/\1\/claim\?token=ibc_\w+\n/,
    );
    // Records that are too large for one submission remain one session.
    const request = { sent_s: 0, input_tokens: 64, output_tokens: 16, ttft_ms: 100, e2e_ms: 1000 };
    const reports = (['a', 'b'] as const).map((side, at) => {
      const generator = { session: { id: 'large', server: side } };
      const requests = Array.from({ length: 100_001 }, (_, sent) => ({ ...request, sent_s: sent / 8 }));
      const results = [{ load: { mode: 'concurrency', level: 8 }, repetition: 1, generator, requests }];
      const system = { model: 'llama-3.1-8b', gpu: 'h100-sxm', quantization: 'bf16', gpu_count: at + 1 };
      return `${JSON.stringify({ schema: 'inferboard/v1', system, scenario: 'chatbot', results })}\n`;
    });
    const pages: string[] = [];
    const service = { address: server.url, key: null, noKey: null, signing: null };
    await submitReports(service, reports, ({ page, claim }) => pages.push(page) && expect(claim).toContain(page));
    const ids = pages.map((page) => ({ id: page.slice(page.lastIndexOf('/') + 1) }));
    expect(ids).toHaveLength(2);
    const session = await fetch(`${server.url}/v1/submissions/${ids[0]?.id}/session`);
    expect(await session.json()).toMatchObject({ submissions: ids, servers: [{ server: 'a' }, { server: 'b' }] });
  } finally {
    await server.dispose();
  }
});

describe('errors', () => {
  test('reports failed requests, which are excluded from latencies', async () => {
    const url = await fake({ fault: { kind: 'status_500', every: 4, at: 0 } });
    const { code, output } = await runMeasure(['--url', url, ...small, '--concurrency', '2', '--warmup', '0']);
    expect(code).toBe(0);
    expect(output).toMatch(
      /! 64-16, 2 concurrent: \d+ of 16 requests are not ok \(\d+ http_5xx\); they are excluded from latencies\./,
    );
    // With the status and the server's message, although others succeeded.
    expect(output).toMatch(/! 64-16, 2 concurrent: \d+ of 16 requests got status 500: "/);
  });

  test('reports all wrong options at once', async () => {
    const { code, errors } = await runMeasure(['--url', 'ftp://x', '--endpoint', 'answers', '--gpu-count', 'two']);
    expect(code).toBe(2);
    const bare = await runMeasure(['--url', 'localhost:8000']);
    expect(bare.errors).toContain(
      '--url must be an http or https URL, such as http://localhost:8000, not "localhost:8000"',
    );
    for (const word of ['--url must be', '--endpoint must be', '--gpu-count must be']) expect(errors).toContain(word);
  });

  test.each([
    [['--concurrency', '0,x'], /--concurrency must be a number above 0/],
    [['--scenario', 'nonsense'], /nonsense/],
    [['--nonsense'], /nonsense/],
  ])('reports the error of %j', async (more, message) => {
    const { code, errors } = await runMeasure(['--url', 'http://127.0.0.1:9', ...more]);
    expect(code).toBe(2);
    expect(errors).toMatch(message);
    expect(errors).not.toContain('    at ');
  });

  test('reports a server that does not respond or is not a model server', async () => {
    const { code, errors } = await runMeasure(['--url', 'http://127.0.0.1:9', '--model', 'x', ...small]);
    expect(code).toBe(2);
    expect(errors).toMatch(/cannot be reached: this port is reserved for another protocol/);
    const closed = await runMeasure(['--url', 'http://127.0.0.1:1024', ...small]);
    expect(closed.errors).toMatch(/cannot be reached: no server accepts connections there/);
    const elsewhere = await runMeasure(['--url', `http://127.0.0.1:${await refuse(404, {})}`, ...small]);
    expect(elsewhere.errors).toMatch(/\/v1\/models returned 404\.\nCheck the host, the port and the path of the URL\./);
    const broken = await runMeasure(['--url', 'http://127.0.0.1:1024', '--api-key-env', 'BROKEN_KEY'], {
      BROKEN_KEY: `${secret}\nx`,
    });
    expect(broken).toMatchObject({
      code: 2,
      errors: 'The key in the environment variable BROKEN_KEY has characters that no key has.\n',
    });
    const refused = await runMeasure(['--url', await fake({ apiKey: secret }), ...small]);
    expect([refused.code, refused.errors]).toEqual([
      2,
      expect.stringMatching(/returned 401: the key is missing or wrong\n.* --api-key-env\.$/m),
    ]);
  });

  test('sends no load if the second server rejects the credential', async () => {
    const b = ['--against', await fake({ apiKey: secret }), '--against-facts', 'model=fake-model'];
    const one = await runMeasure(['--url', await fake(), ...small, ...b]);
    expect([one.code, one.output]).toEqual([2, '']);
    expect(one.errors).toMatch(/returned 401: the key is missing or wrong\n.* --against-key-env\.$/m);
    const wrong = await runMeasure(['--url', await fake(), ...small, ...b, '--against-key-env', 'B_KEY'], {
      B_KEY: 'other',
    });
    expect([wrong.code, wrong.output]).toEqual([2, '']);
    expect(wrong.errors).toMatch(/\nCheck the key in the environment variable that --against-key-env names\.$/m);
  });

  test.each([
    ['a first token that never arrives', { ttftMs: 3_600_000 }],
    ['a response that takes an hour', { itlMs: 50, forcedTokens: 72_000 }],
  ])('Ctrl-C stops it during %s', async (_, options) => {
    const url = await fake(options);
    const { code } = await runMeasure(['--url', url, ...small, '--model', 'fake-model'], {}, async (kill) => {
      await expect.poll(() => fakes.at(-1)?.answers.length).toBeGreaterThan(0);
      kill('SIGINT');
    });
    expect(code).toBe(130);
  });

  test('Ctrl-C keeps the received responses, and marks the point as partial', async () => {
    const out = join(folder, 'canceled.jsonl');
    const url = await fake({ itlMs: 10 });
    const args = ['--url', url, ...small, '--model', 'fake-model', '--concurrency', '2', '--requests', '400'];
    const { code, output, errors } = await runMeasure([...args, '--warmup', '0', '--out', out], {}, async (kill) => {
      // The requests that count prompt tokens are first.
      await expect.poll(() => fakes.at(-1)?.answers.length).toBeGreaterThan(20);
      kill('SIGINT');
    });
    expect(code).toBe(130);
    expect(errors).toMatch(/Canceled: 1 of 1 points is kept, 1 of them partial\./);
    expect(output).toMatch(/it was canceled after \d+ of 400 requests: the point is partial/);
    const [result] = readArtifact(await readFile(out)).results;
    expect(result?.extra).toMatchObject({ cut_short: 'canceled', requests_planned: 400 });
    expect(result?.requests?.length).toBeGreaterThan(0);
    expect(result?.requests?.filter(({ error }) => error !== null)).toEqual([]);
  });

  test('reports a time limit that ends a point early', async () => {
    const url = await fake({ itlMs: 10 });
    const args = ['--url', url, ...small, '--requests', '400', '--duration-s', '1', '--warmup', '0'];
    const { code, output } = await runMeasure(args);
    expect(code).toBe(0);
    expect(output).toMatch(/the time limit ended the measurement after \d+ of 400 requests: the point is partial/);
  });

  test('starts no point after the time limit, and names the points that were not measured', async () => {
    // A response takes 0.8 s. Each of the four points sends for 0.25 s, and then waits for its responses.
    const url = await fake({ ttftMs: 800, itlMs: 1 });
    const args = ['--url', url, ...small, '--requests', '20', '--duration-s', '1', '--warmup', '0'];
    const { code, output } = await runMeasure([...args, '--concurrency', '1,2', '--repetitions', '2']);
    expect(code).toBe(0);
    expect(output).toMatch(
      /! Not measured, because the time of --duration-s was over: \S+, single request, repetition 2; \S+, 2 concurrent, repetition 2\./,
    );
  });

  test('does not offer to resume without a measured point', async () => {
    const url = await fake();
    const out = join(folder, 'short.jsonl');
    const lengths = ['--input-tokens', '1', '--output-tokens', '1'];
    const { code, errors } = await runMeasure(['--url', url, ...lengths, '--out', out]);
    expect(code).toBe(2);
    const [, least] = /the shortest prompt has (\d+) tokens, but 1 are requested\./.exec(errors) ?? [];
    expect(errors).toContain(`Use --input-tokens ${least} or more.`);
    expect([existsSync(out), existsSync(`${out}.journal`)]).toEqual([false, false]);
    expect(errors).not.toMatch(/Stopped|--resume/);
  });

  test("ends with status 1 and the server's message after repeated failures", async () => {
    const port = await refuse(400, { error: { message: `streams are not offered here ${'x'.repeat(200)}` } });
    const load = ['--model', 'm', '--concurrency', '1,2', '--warmup', '0'];
    const args = ['--url', `http://127.0.0.1:${port}`, ...small, ...load];
    const more = ['--requests', '64', '--max-errors', '5', '--header', 'X-Team: search'];
    const { code, output, errors } = await runMeasure([...args, ...more]);
    expect(code).toBe(1);
    expect(output).toMatch(/requests got status 400: "streams are not offered here x{71}…"/);
    expect(errors).toMatch(/Stopped after 5 consecutive failures: 1 of 2 points is kept, 1 of them partial\./);
    expect(errors).toMatch(/To measure the rest: inferboard measure --resume \S+ --header 'x-team: VALUE'\n/);
    expect(errors).toContain('No request succeeded.');
    // The first failure of the second point is the fifth in a row; another request is in flight.
    const short = await runMeasure([...args, '--requests', '4', '--max-errors', '5']);
    expect(short.errors).toMatch(/Stopped after 5 consecutive failures: /);
    expect(short.output).toMatch(/after [12] of 4 requests: the point is partial/);
    const patient = await runMeasure([...args, '--requests', '8', '--max-errors', '0']);
    expect(patient.code).toBe(1);
    expect(patient.output).toContain('8 of 8 requests got status 400');
  });

  test('reports a generator that reads late as overloaded', async () => {
    const url = await fake({ itlMs: 5 });
    const size = ['--input-tokens', '64', '--output-tokens', '200'];
    const args = ['--url', url, ...size, '--model', 'fake-model', '--concurrency', '2', '--warmup', '0'];
    const late = await runMeasure([...args, '--requests', '8'], {}, async (kill) => {
      // After the prompts are counted, the process is paused for 100 ms at a time, while the server continues.
      // Two late reads per pause of about 1,000: 20 pauses are well above the limit of 1 %.
      await expect.poll(() => fakes.at(-1)?.answers.length).toBeGreaterThan(8);
      for (let stop = 0; stop < 20; stop++) {
        kill('SIGSTOP');
        await sleep(100);
        kill('SIGCONT');
        await sleep(50);
      }
    });
    expect(late.output).toMatch(/the load generator was at its limit: .*reads were late and had more than one/);
  });

  test('names the option of a data set without a location', async () => {
    const { code, errors } = await runMeasure(['--url', await fake(), '--scenario', 'sharegpt', '--requests', '2']);
    expect(code).toBe(2);
    expect(errors).toMatch(/No location is given for the data set sharegpt\. .* --dataset sharegpt=FILE\.$/m);
  });

  test('reports a misspelt fact before a request is sent', async () => {
    const url = await fake();
    const args = ['--url', url, ...small, '--gpu', 'h100-smx', '--engine', 'vllmm'];
    const { code, errors } = await runMeasure(args);
    expect(code).toBe(2);
    expect(errors).toMatch(/--gpu: "h100-smx" is not in the catalogue\. Closest: .*h100-sxm/);
    const onCpu = await runMeasure(['--url', url, ...small, '--gpu', 'cpu']);
    expect([onCpu.code, onCpu.errors]).toEqual([2, expect.stringMatching(/^--gpu: "cpu" does not name a device\. /)]);
    expect(errors).toMatch(/--engine: "vllmm" is not in the catalogue\. Closest: .*vllm/);
    expect(fakes.at(-1)?.answers).toHaveLength(0);
    const few = ['--requests', '2', '--warmup', '0', '--unknown-facts', 'keep'];
    expect((await runMeasure([...args, ...few])).code).toBe(0);
  });

  test.each<[string, Partial<FakeOptions>, string, RegExp]>([
    ['the URL of an endpoint', {}, '/v1/chat/completions', /^/],
    [
      'a server with completions only',
      { refuses: 'chat' },
      '',
      /! 64-16, .*the server does not support chat completions/,
    ],
    ['a server that rejects temperature', { refuses: 'temperature' }, '/v1', /! 64-16, .*rejects temperature/],
    ['a server that rejects max_tokens', { refuses: 'max_tokens' }, '', /! 64-16, .*max_completion_tokens is sent/],
    [
      'a server that rejects every maximum of tokens',
      { refuses: 'any_max_tokens' },
      '',
      /! 64-16, .*max_tokens: it is omitted/,
    ],
  ])('%s is still measured', async (_what, options, path, note) => {
    const url = `${await fake(options)}${path}`;
    const { code, output } = await runMeasure(['--url', url, ...small, '--requests', '4', '--warmup', '0']);
    expect(code).toBe(0);
    expect(output).toMatch(/64-16 +single request +4 +0/);
    expect(output).toMatch(note);
    // One request to detect the API, three for the words, one for the length, and four measured.
    expect(fakes.at(-1)?.answers.length).toBeLessThanOrEqual(10);
  });
});
