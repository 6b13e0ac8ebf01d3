import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readArtifact } from '../../packages/core/src/adapters/index.ts';
import { metricsAt } from '../../packages/loadgen/src/probe/poll-metrics.ts';
import { createMeasureCommand, type MeasureCommand } from '../support/measure-command.ts';
import { createAccount, startTestServer } from '../support/server.ts';

// A server that reports its engine and metrics, and a GPU tool with the output of nvidia-smi.

let command: MeasureCommand;
const fronts: Server[] = [];
let fakePort: number;
let url: string;
let scrapes = 0;
let scrapedBy: IncomingMessage['headers'] = {};
const revision = 'a1b2c3d4e5f60718293a4b5c6d7e8f9001122334';

const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');

/** Documents by path. */
type Documents = Record<string, unknown>;
const vllm: Documents = {
  '/v1/models': { data: [{ id: 'fake-model', owned_by: 'vllm', root: `/cache/models--q/snapshots/${revision}` }] },
  '/version': { version: '0.12.0' },
};
const llamaCpp: Documents = {
  '/v1/models': { data: [{ id: 'fake-model', owned_by: 'llamacpp' }] },
  '/props': { build_info: 'b6789-0123abc', model_path: '/models/fake.gguf' },
};

/** The documents that the fake server lacks; everything else goes to it. */
function answer(documents: Documents, port: number, req: IncomingMessage, res: ServerResponse): void {
  const document = documents[req.url ?? ''];
  if (document !== undefined) {
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify(document));
  } else if (req.url === '/metrics') {
    scrapes++;
    scrapedBy = req.headers;
    res.end(`vllm:num_requests_running{engine="0"} 2\nvllm:num_requests_waiting{engine="0"} ${scrapes % 5}\n`);
  } else {
    const passed = request({ port, path: req.url, method: req.method, headers: req.headers }, (from) => {
      res.writeHead(from.statusCode ?? 500, from.headers);
      from.pipe(res);
    });
    req.pipe(passed);
  }
}

/** Starts a server with these documents, and returns its URL. */
async function serve(documents: Documents): Promise<string> {
  const front = createServer((req, res) => answer(documents, fakePort, req, res));
  fronts.push(front);
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
}

/** Two GPUs of 300 W and 100 W, ten times a second. */
const fakeTool = `#!/usr/bin/env node
if (process.argv.includes('--version')) process.exit(0);
if (process.argv.includes('--query-gpu=name,driver_version')) {
  console.log('NVIDIA H100 80GB HBM3, 580.95.05\\nNVIDIA H100 80GB HBM3, 580.95.05');
  process.exit(0);
}
const two = (number) => String(number).padStart(2, '0');
setInterval(() => {
  const now = new Date();
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('/');
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join(':') + '.' + String(now.getMilliseconds()).padStart(3, '0');
  console.log(day + ' ' + time + ', 0, 300.00, 1980, 2619, 97, 70144');
  console.log(day + ' ' + time + ', 1, 100.00, 1410, 2619, 33, 1024');
}, 100);
`;

/** A container that publishes the port in FAKE_PORT, and another one. */
const fakeDocker = `#!/usr/bin/env node
const [verb, ...args] = process.argv.slice(2);
const container = (Id, Image, name, port) => ({
  Id, Image, Config: { Image: name }, NetworkSettings: { Ports: { '8000/tcp': [{ HostIp: '0.0.0.0', HostPort: port }], '9000/tcp': null } },
});
const containers = [
  container('c0ffee', 'sha256:11', 'grafana/grafana:12', '3000'),
  container('beef', 'sha256:22', 'vllm/vllm-openai:v0.12.0', process.env.FAKE_PORT),
];
if (verb === 'ps') console.log(containers.map(({ Id }) => Id).join('\\n'));
if (verb === 'inspect') console.log(JSON.stringify(containers.filter(({ Id }) => args.includes(Id))));
if (verb === 'image') console.log(JSON.stringify([{ RepoDigests: ['vllm/vllm-openai@sha256:' + '5e'.repeat(32)] }]));
`;

beforeAll(async () => {
  command = await createMeasureCommand();
  fakePort = (await command.serve({ itlMs: 10 })).port;
  url = await serve(vllm);
  await mkdir(join(command.folder, 'bin'));
  await writeFile(join(command.folder, 'bin', 'nvidia-smi'), fakeTool);
  await writeFile(join(command.folder, 'bin', 'docker'), fakeDocker);
  for (const tool of ['nvidia-smi', 'docker']) await chmod(join(command.folder, 'bin', tool), 0o755);
});
afterAll(async () => {
  for (const front of fronts) {
    front.closeAllConnections();
    front.close();
  }
  await command.dispose();
});

const small = ['--input-tokens', '64', '--output-tokens', '16', '--seed', '7', '--warmup', '0'];

test('records the server, its metrics, the GPUs and the weights with the result', async () => {
  const [out, report, weights] = ['w.jsonl', 'w.html', 'model.gguf'].map((name) => join(command.folder, name));
  await writeFile(weights ?? '', 'abc');
  const args = ['--url', url, ...small, '--concurrency', '2', '--requests', '30', '--out', out ?? ''];
  const watched = ['--metrics-url', `${url}/metrics`, '--metrics-hz', '10', '--probe', 'all'];
  const env = { PATH: [join(command.folder, 'bin'), process.env.PATH].join(delimiter), FAKE_PORT: new URL(url).port };
  const files = ['--report', report ?? '', '--weights', weights ?? ''];
  const key = ['--api-key-env', 'SERVER_KEY'];
  const keyed = { ...env, SERVER_KEY: 'sk-of-the-server' };
  const { code, output, errors } = await command.run([...args, ...watched, ...files, ...key], keyed);
  expect([code, errors]).toEqual([0, expect.stringContaining('records: ')]);
  expect(scrapedBy.authorization).toBe('Bearer sk-of-the-server');

  const text = await readFile(out ?? '', 'utf8');
  const { results } = readArtifact(Buffer.from(text));
  const { system } = JSON.parse(text) as { system: object };
  expect(system).toMatchObject({
    ...{ engine: { name: 'vllm', version: '0.12.0' }, gpu: 'NVIDIA H100 80GB HBM3', gpu_count: 2 },
  });
  expect(results[0]?.extra).toMatchObject({
    ...{ detected_model_revision: revision, detected_weights_sha256: sha256Of('abc') },
    ...{ detected_gpu_name: 'NVIDIA H100 80GB HBM3', detected_gpu_count: 2, detected_gpu_driver: '580.95.05' },
    detected_container_image: `vllm/vllm-openai:v0.12.0@sha256:${'5e'.repeat(32)}`,
  });
  expect(results[0]?.metrics.power_w).toBeCloseTo(400, 6);
  const [joules] = /energy of 64-16, 2 concurrent: 400\.0 W, (\S+) J per output token/.exec(output)?.slice(1) ?? [];
  const requests = results[0]?.requests ?? [];
  const ends = requests.map(({ sentS, e2eMs }) => (sentS ?? 0) + (e2eMs ?? 0) / 1000);
  const window = Math.max(...ends) - Math.min(...requests.map(({ sentS }) => sentS ?? 0));
  const tokens = requests.reduce((sum, { outputTokens }) => sum + (outputTokens ?? 0), 0);
  // The window ends with the response, shortly after its last token.
  expect(Math.abs((Number(joules) * tokens) / (400 * window) - 1)).toBeLessThan(0.05);

  const observed = results[0]?.observed?.samples ?? [];
  expect(observed.length).toBeLessThanOrEqual(1000);
  expect(observed.filter(({ values }) => values.running === 2).length).toBeGreaterThan(5);
  expect(observed.filter(({ values }) => values.power_w === 400).length).toBeGreaterThan(5);

  const samples = (await readFile(`${out}.observed.jsonl`, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(samples.filter(({ values }) => values.running === 2).length).toBeGreaterThan(5);
  expect(samples.filter(({ values }) => values.power_w === 400).length).toBeGreaterThan(5);
  const html = await readFile(report ?? '', 'utf8');
  for (const title of ['Requests in the server', 'Power of all GPUs, W', 'Clocks, mean of all GPUs, MHz', revision])
    expect(html).toContain(title);
});

test('sends the credential of the server to no other origin', async () => {
  const server = { origin: 'http://127.0.0.1:9', headers: { authorization: 'Bearer sk-of-the-server' } };
  await metricsAt(`${url}/metrics`, server).read(AbortSignal.timeout(5000));
  expect(scrapedBy.authorization).toBeUndefined();
});

test('submits the samples, and the page of the submission shows them over time', async () => {
  const service = await startTestServer({ SAMPLE_DATA: 'false', ROLES: 'api,site' });
  try {
    const key = await createAccount(service.url, 'watcher');
    const args = ['--url', url, ...small, '--quantization', 'bf16', '--concurrency', '1,2', '--requests', '20'];
    const watched = ['--metrics-url', `${url}/metrics`, '--metrics-hz', '10', '--probe', 'all'];
    const env = { PATH: [join(command.folder, 'bin'), process.env.PATH].join(delimiter), INFERBOARD_KEY: key };
    const { code, output, errors } = await command.run([...args, ...watched, '--submit', service.url], env);
    expect(code, errors).toBe(0);
    const [id] = /sub_[0-9a-f]+/.exec(output) ?? [''];
    const path = `${service.url}/v1/submissions/${id}`;
    const { results } = (await (await fetch(`${path}?full=true`)).json()) as { results: { recorded: object }[] };
    expect(results).toHaveLength(2);
    for (const { recorded } of results)
      expect(recorded).toMatchObject({
        ...{ seed: 7, requests_retried: 0, observed_samples: expect.any(Number) },
        ...{ bodies_sha256: expect.stringMatching(/^[0-9a-f]{64}$/), salt: expect.any(String) },
        detected: { model_revision: revision, gpu_name: 'NVIDIA H100 80GB HBM3', gpu_driver: '580.95.05' },
      });
    const { timeline } = (await (await fetch(`${path}/timeline`)).json()) as {
      timeline: { series: { name: string; unit: string; n: number; values: (number | null)[] }[] };
    };
    const series = new Map(timeline.series.map((one) => [one.name, one]));
    expect(series.get('ttft_ms')?.n).toBe(40);
    expect(series.get('power_w')).toMatchObject({ unit: 'W' });
    expect(new Set(series.get('power_w')?.values.filter((value) => value !== null))).toEqual(new Set([400]));
    expect(Math.max(...(series.get('waiting')?.values ?? []).map((value) => value ?? 0))).toBeGreaterThan(1);
    const page = await (await fetch(`${service.url}/submissions/${id}`)).text();
    for (const text of ['Over the time of the run', 'Power of all GPUs', 'Requests in the server', 'TTFT, mean'])
      expect(page).toContain(text);
    for (const text of ['Recorded by the generator', revision, '580.95.05']) expect(page).toContain(text);
  } finally {
    await service.dispose();
  }
});

test.each([
  ['vLLM', vllm, [], { ignore_eos: true }],
  ['llama.cpp', llamaCpp, [], { ignore_eos: true, cache_prompt: false }],
  ['llama.cpp with --engine', llamaCpp, ['--engine', 'ollama'], {}],
])('sends the fields of the detected engine: %s', async (name, documents, more, fields) => {
  const bodies = join(command.folder, `${name}.bodies.jsonl`);
  const args = ['--url', await serve(documents), ...small, '--requests', '2', '--save-bodies', bodies];
  const { code, errors } = await command.run([...args, ...more]);
  expect([code, errors]).toEqual([0, expect.stringContaining('records: ')]);
  const [first] = (await readFile(bodies, 'utf8')).split('\n');
  const { ignore_eos, cache_prompt } = JSON.parse(first ?? '');
  expect({ ignore_eos, cache_prompt }).toEqual(fields);
});

test('records the SHA-256 of the GGUF file of a local server', async () => {
  const [weights, other, out] = ['tiny.gguf', 'no-weights.gguf', 'g.jsonl'].map((name) => join(command.folder, name));
  await writeFile(weights ?? '', 'GGUF and the rest');
  await writeFile(other ?? '', 'a file that is none');
  const digestWith = async (path: string | undefined, more: string[]) => {
    const front = await serve({ ...llamaCpp, '/props': { build_info: 'b6789-0123abc', model_path: path } });
    const file = `${out}.${fronts.length}`;
    const { code, errors } = await command.run(['--url', front, ...small, '--requests', '2', '--out', file, ...more]);
    expect([code, errors]).toEqual([0, expect.stringContaining('records: ')]);
    return readArtifact(await readFile(file)).results[0]?.extra.detected_weights_sha256;
  };
  expect(await digestWith(weights, [])).toBe(sha256Of('GGUF and the rest'));
  expect(await digestWith(weights, ['--weights', 'none'])).toBeUndefined();
  expect(await digestWith(other, [])).toBeUndefined();
});

test('reproduces the prompts of a report from its seed and salt', async () => {
  const measure = async (name: string, more: string[]) => {
    const [out, bodies] = [`${name}.jsonl`, `${name}.bodies`].map((file) => join(command.folder, file));
    const args = ['--url', url, ...small, '--requests', '6', '--out', out ?? '', '--save-bodies', bodies ?? ''];
    const { code, errors } = await command.run([...args, ...more]);
    expect([code, errors]).toEqual([0, expect.stringContaining('records: ')]);
    const { extra } = readArtifact(await readFile(out ?? '')).results[0] ?? {};
    expect(extra?.prompts_bodies_sha256).toBe(sha256Of(await readFile(bodies ?? '', 'utf8')));
    return extra;
  };
  const first = await measure('first', []);
  expect(first).toMatchObject({ prompts_seed: 7, prompts_salt: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  const again = await measure('again', ['--salt', String(first?.prompts_salt)]);
  expect(again?.prompts_bodies_sha256).toBe(first?.prompts_bodies_sha256);
  const fresh = await measure('fresh', []);
  expect(fresh?.prompts_bodies_sha256).not.toBe(first?.prompts_bodies_sha256);
});

test('reports contradictions with the server', async () => {
  const args = ['--url', url, ...small, '--requests', '2', '--engine', 'vllm', '--engine-version', '0.11.0'];
  const env = { PATH: [join(command.folder, 'bin'), process.env.PATH].join(delimiter) };
  const { code, errors } = await command.run(
    [...args, '--probe', 'all', '--gpu', 'a100-sxm4-80gb', '--gpu-count', '8'],
    env,
  );
  expect(code).toBe(0);
  for (const doubt of [
    'the server is version 0.12.0, and --engine-version is 0.11.0.',
    'the watched GPUs are NVIDIA H100 80GB HBM3, and --gpu is a100-sxm4-80gb.',
    '2 GPUs are watched, and --gpu-count is 8.',
  ])
    expect(errors).toContain(`! ${doubt}`);
});

test('reports a model that the server does not list', async () => {
  const args = ['--url', url, ...small, '--requests', '2'];
  const run = (...more: string[]) =>
    command.run([...args, ...more, '--out', join(command.folder, `${more.length}.jsonl`)]);
  const listed = await run();
  expect(listed.errors).not.toContain('does not list');
  const { errors } = await run('--model', 'other-model');
  expect(errors).toContain(
    '! the server does not list the model other-model, and may respond with another one. It lists ',
  );
  const [result] = readArtifact(await readFile(join(command.folder, '2.jsonl'))).results;
  expect(result?.notes.map(({ message }) => message).join()).toContain('does not list the model other-model');
  const rotated = await run('--models', 'fake-model,adapter', '--max-errors', '0');
  expect(rotated.errors).toContain('! the server does not list the model adapter, and');
  expect(rotated.errors).not.toContain('does not list the model fake-model');
});

test('names the option that states a fact of the second server', async () => {
  const against = ['--against', url, '--against-facts', 'engine-version=0.13.0', '--repetitions', '5'];
  const args = ['--url', url, ...small, '--requests', '2', ...against];
  const { code, errors } = await command.run([...args, '--out', join(command.folder, 'facts.jsonl')]);
  expect(code, errors).toBe(0);
  expect(errors).toContain('! the server is version 0.12.0, and --against-facts engine-version is 0.13.0.');
});

test("states the server's message if its metrics cannot be read", async () => {
  const { code, errors } = await command.run(['--url', url, ...small, '--metrics-url', `${url}/nothing`]);
  expect([code, errors]).toEqual([2, expect.stringContaining('cannot be read: it returned 404: "')]);
});

test.each([
  [['--probe', 'all'], /--probe needs nvidia-smi or rocm-smi/],
  [['--metrics-url', 'http://127.0.0.1:9/metrics'], /cannot be read/],
  [['--probe', 'first'], /--probe must be all, or numbers/],
])('reports before the load what cannot be recorded with %j', async (more, message) => {
  const args = ['--url', url, ...small, '--requests', '2', '--out', 'unwatched.jsonl'];
  const { code, errors } = await command.run([...args, ...more], { PATH: join(process.execPath, '..') });
  expect([code, errors]).toEqual([2, expect.stringMatching(message)]);
  expect(errors).not.toContain('    at ');
});
