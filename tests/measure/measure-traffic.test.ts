import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readArtifact } from '../../packages/core/src/adapters/index.ts';
import { type FakeServer, startFakeServer } from '../../packages/loadgen/src/fake-server/fake-server.ts';
import type { FakeOptions } from '../../packages/loadgen/src/fake-server/options.ts';
import { runMeasure } from '../support/measure-command.ts';

// Realistic traffic from the command line to the fake server over HTTP.

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inferboard-traffic-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let server: FakeServer | null = null;
afterEach(async () => {
  await server?.close();
});

async function fake(options: Partial<FakeOptions> = {}): Promise<string> {
  server = await startFakeServer({ ttftMs: 5, itlMs: 1, ...options }, { keepsRequests: true });
  return `http://127.0.0.1:${server.port}`;
}

type Body = Record<string, unknown> & { messages: { role: string; content: string }[] };

/** The measured requests, which stream. */
const requests = () =>
  (server?.answers ?? []).flatMap(({ request }) => {
    if (request === undefined) return [];
    const body = JSON.parse(request.body) as Body;
    return body.stream === true ? [{ ...request, body }] : [];
  });

const few = ['--seed', '7', '--requests', '4', '--warmup', '0'];
const small = ['--input-tokens', '64', '--output-tokens', '4', ...few];

test('sends headers and extra fields in every request, and stores no header values', async () => {
  const url = await fake({ fault: { kind: 'status_500', every: 2, at: 0 } });
  const out = join(folder, 'headers.jsonl');
  const secret = 's3cret-of-the-team';
  const { code, output, errors } = await runMeasure([
    ...['--url', url, ...small, '--out', out, '--header', `X-Key: ${secret}`, '--header', 'X-Team: search'],
    ...['--extra-body', '{"top_k": 3, "temperature": 0.5}'],
  ]);
  expect(code).toBe(0);
  const every = (server?.answers ?? []).map(({ request }) => request);
  expect(every.length).toBeGreaterThan(4);
  for (const request of every) {
    expect(request?.headers).toMatchObject({ 'x-key': secret, 'x-team': 'search' });
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ top_k: 3, temperature: 0.5 });
  }
  for (const text of [output, errors, await readFile(out, 'utf8')]) expect(text).not.toContain(secret);
});

const reportsOf = async (path: string) =>
  (await readFile(path, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('sends the prompts of a file unchanged, and records the file and a hash of the bodies', async () => {
  const url = await fake();
  const file = join(folder, 'team.jsonl');
  const prompts = ['alpha', 'beta', 'gamma', 'delta'];
  await writeFile(file, prompts.map((prompt) => `${JSON.stringify({ prompt, output_tokens: 3 })}\n`).join(''));
  const out = join(folder, 'prompts.jsonl');
  const bodies = join(folder, 'bodies.jsonl');
  const args = ['--url', url, ...few, '--prompts', file, '--out', out, '--save-bodies', bodies];
  const { code, output, errors } = await runMeasure(args);
  expect(code, errors).toBe(0);
  expect(output).toMatch(/team-[0-9a-f]{8} +single request +4 +0/);
  const sent = requests().map(({ body }) => body);
  expect(sent.map(({ messages }) => messages[0]?.content).sort()).toEqual([...prompts].sort());
  expect(sent.every(({ max_tokens }) => max_tokens === 3)).toBe(true);
  const [{ scenario, results }] = await reportsOf(out);
  const saved = await readFile(bodies, 'utf8');
  expect(saved.split('\n').filter((line) => line !== '')).toHaveLength(4);
  expect(results[0].generator.traffic).toEqual({
    seed: 7,
    bodies_sha256: createHash('sha256').update(saved).digest('hex'),
    files: [
      {
        name: 'team.jsonl',
        sha256: createHash('sha256')
          .update(await readFile(file))
          .digest('hex'),
        records: 4,
      },
    ],
  });
  // A separate workload, never ranked with prompts of a fixed length.
  expect(scenario).toEqual({ dataset: expect.stringMatching(/^team-[0-9a-f]{8}$/) });
  const { results: read } = readArtifact(await readFile(out));
  expect(read[0]?.extra).toMatchObject({ traffic_seed: 7 });
  // The same seed yields the same bytes.
  const again = join(folder, 'again.jsonl');
  await runMeasure(['--url', url, ...few, '--prompts', file, '--save-bodies', again]);
  expect(await readFile(again, 'utf8')).toBe(saved);
});

test('reports all invalid options at once, before a request is sent', async () => {
  const url = await fake();
  const args = ['--url', url, '--prompts', 'absent.jsonl', '--scenario', 'chatbot', '--output-tokens', 'few'];
  const { code, errors } = await runMeasure(args);
  expect(code).toBe(2);
  expect(errors).toContain('--prompts defines what is sent. Omit --scenario');
  expect(errors).toContain('--output-tokens: must be N, uniform:MIN:MAX');
  const absent = await runMeasure(['--url', url, '--prompts', 'absent.jsonl']);
  expect([absent.code, absent.errors.trim()]).toEqual([2, 'There is no file absent.jsonl. Check the path.']);
  expect(server?.answers).toHaveLength(0);
});

test('draws lengths for each request, and does not record them as one fixed length', async () => {
  const url = await fake();
  const out = join(folder, 'lengths.jsonl');
  const lengths = ['--input-tokens', 'uniform:100:400', '--output-tokens', 'lognormal:5:0.5'];
  const args = ['--url', url, ...lengths, '--seed', '3', '--requests', '12', '--warmup', '0', '--out', out];
  const { code, errors } = await runMeasure(args);
  expect(code, errors).toBe(0);
  const [{ scenario, results }] = await reportsOf(out);
  expect(scenario).toEqual({ dataset: 'lengths-uniform-100-400-to-lognormal-5-0.5' });
  const [result] = readArtifact(await readFile(out)).results;
  const input = (result?.requests ?? []).map(({ inputTokens }) => inputTokens ?? 0);
  expect(Math.min(...input)).toBeGreaterThanOrEqual(98);
  expect(Math.max(...input)).toBeLessThanOrEqual(402);
  expect(new Set(input).size).toBeGreaterThan(8);
  const asked: number[] = results[0].requests.map((request: { max_tokens: number }) => request.max_tokens);
  expect(new Set(asked).size).toBeGreaterThan(2);
  expect(asked).toEqual(results[0].requests.map((request: { output_tokens: number }) => request.output_tokens));
});

test('replays a trace at its recorded times, or faster if requested', async () => {
  const url = await fake({ ttftMs: 50 });
  const file = join(folder, 'trace.jsonl');
  const times = [5000, 5100, 5100, 5900, 6000];
  const lines = times.map((timestamp, at) =>
    JSON.stringify({ timestamp, input_length: 600, output_length: at + 1, hash_ids: [1, at] }),
  );
  await writeFile(file, lines.join('\n'));
  const out = join(folder, 'replay.jsonl');
  const args = ['--url', url, '--seed', '7', '--replay', file, '--replay-speed', '2', '--out', out];
  const { code, output, errors } = await runMeasure(args);
  expect(code, errors).toBe(0);
  expect(output).toMatch(/trace-[0-9a-f]{8} +8 req\/s +5 +0/);
  expect(output).toMatch(/arrivals of trace\.jsonl, 2 times as fast: the rate is their mean/);
  const [{ scenario, results }] = await reportsOf(out);
  expect(scenario).toEqual({ dataset: expect.stringMatching(/^trace-/) });
  expect(results[0].load).toEqual({ mode: 'rate', level: 8 });
  const records: { sent_s: number; output_tokens: number; input_tokens: number }[] = results[0].requests;
  expect(records.map(({ output_tokens }) => output_tokens)).toEqual([1, 2, 3, 4, 5]);
  for (const { input_tokens } of records) expect(Math.abs(input_tokens - 600)).toBeLessThanOrEqual(2);
  // A busy machine can be late, but never early.
  const due = [0, 0.05, 0.05, 0.45, 0.5];
  for (const [at, { sent_s }] of records.entries()) expect(sent_s).toBeGreaterThanOrEqual(due[at] ?? 0);
});

test('rejects load options with --replay', async () => {
  const url = await fake();
  const args = ['--url', url, '--replay', 'a.jsonl', '--rate', '5', '--output-tokens', '3', '--replay-speed', '0'];
  const { code, errors } = await runMeasure(args);
  expect(code).toBe(2);
  expect(errors).toContain('--replay defines what is sent. Omit --output-tokens and --rate');
  expect(errors).toContain('--replay-speed must be a number above 0');
});

test('sends conversations turn by turn, and numbers them in the records', async () => {
  const url = await fake();
  const out = join(folder, 'turns.jsonl');
  const args = ['--url', url, '--input-tokens', '40', '--output-tokens', '3', '--turns', '3', '--think-s', '0.02'];
  const { code, output, errors } = await runMeasure([...args, '--requests', '2', '--warmup', '0', '--out', out]);
  expect(code, errors).toBe(0);
  expect(errors).toMatch(/1 point, 6 requests, .*single request: 6 of 6 ok/s);
  expect(output).toMatch(/turns-3-think-0\.02-40-to-3 +single request +6 +0/);
  const [{ scenario, results }] = await reportsOf(out);
  expect(scenario).toEqual({ dataset: 'turns-3-think-0.02-40-to-3', output_tokens: 3 });
  const records: { conversation: number; turn: number; sent_s: number; input_tokens: number }[] = results[0].requests;
  expect(records.map(({ conversation, turn }) => [conversation, turn])).toEqual([
    [1, 1],
    [1, 2],
    [1, 3],
    [2, 1],
    [2, 2],
    [2, 3],
  ]);
  expect(requests().map(({ body }) => body.messages.map(({ role }) => role).join(' '))).toEqual(
    Array(2).fill(['user', 'user assistant user', 'user assistant user assistant user']).flat(),
  );
  expect(readArtifact(await readFile(out)).results[0]?.requests).toHaveLength(6);
});

test("sends conversations of a file with the server's responses instead of the recorded ones", async () => {
  const url = await fake();
  const file = join(folder, 'talk.json');
  const messages = ['q1', 'recorded', 'q2', 'recorded'].map((content, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content,
  }));
  await writeFile(file, JSON.stringify([{ messages }]));
  const args = ['--url', url, '--prompts', file, '--turns', '5', '--output-tokens', '2', '--requests', '1'];
  const { code, errors } = await runMeasure([...args, '--warmup', '0']);
  expect(code, errors).toBe(0);
  expect(requests().at(-1)?.body.messages).toEqual([
    { role: 'user', content: 'q1' },
    { role: 'assistant', content: ' the token' },
    { role: 'user', content: 'q2' },
  ]);
});

test('shares prefixes, and alternates between models', async () => {
  const url = await fake();
  const out = join(folder, 'prefix.jsonl');
  const shape = ['--input-tokens', '40', '--output-tokens', '3', '--prefix', '2x100', '--models', 'base,lora-a'];
  const { code, errors } = await runMeasure(['--url', url, ...shape, ...few.with(3, '8'), '--out', out]);
  expect(code, errors).toBe(0);
  const sent = requests().map(({ body }) => body);
  expect(new Set(sent.map(({ messages }) => messages[0]?.content)).size).toBe(2);
  expect(sent.map(({ model }) => model)).toEqual(Array(4).fill(['base', 'lora-a']).flat());
  const [{ scenario, results }] = await reportsOf(out);
  expect(scenario).toEqual({ dataset: 'models-2-prefix-2x100', input_tokens: 140, output_tokens: 3 });
  for (const { input_tokens } of results[0].requests) expect(Math.abs(input_tokens - 140)).toBeLessThanOrEqual(2);
  expect(results[0].requests.map(({ model }: { model: string }) => model).slice(0, 2)).toEqual(['base', 'lora-a']);
});

test('sends a mix by weight under a ramp, and each record names its part', async () => {
  const url = await fake();
  const file = join(folder, 'part.jsonl');
  await writeFile(file, '{"prompt":"of the file","output_tokens":2}\n');
  const out = join(folder, 'mix.jsonl');
  const args = ['--url', url, '--mix', `40x3=2,${file}=1`, '--ramp', '10:40:1s', '--seed', '5', '--warmup', '0'];
  const { code, errors } = await runMeasure([...args, '--out', out]);
  expect(code, errors).toBe(0);
  const [{ scenario, results }] = await reportsOf(out);
  expect(scenario.dataset).toMatch(/^ramp-10-40-1s-mix-40x3-2-/);
  expect(results[0].load).toEqual({ mode: 'rate', level: 25 });
  const records: { workload: string; sent_s: number; max_tokens: number }[] = results[0].requests;
  expect(records).toHaveLength(25);
  expect(new Set(records.map(({ workload, max_tokens }) => `${workload} ${max_tokens}`))).toEqual(
    new Set(['40x3 3', 'part.jsonl 2']),
  );
  // The second half has more arrivals.
  expect(records.filter(({ sent_s }) => sent_s > 0.5).length).toBeGreaterThan(12);
});

test('measures /v1/responses, also in conversations', async () => {
  const url = await fake();
  const out = join(folder, 'responses.jsonl');
  const args = [
    '--url',
    url,
    '--endpoint',
    'responses',
    '--input-tokens',
    '40',
    '--output-tokens',
    '5',
    '--turns',
    '2',
  ];
  const { code, output, errors } = await runMeasure([...args, ...few.with(3, '2'), '--out', out]);
  expect(code, errors).toBe(0);
  expect(output).not.toMatch(/not ok|chunks are counted as tokens/);
  const sent = requests();
  expect(sent.map(({ path }) => path)).toEqual(Array(4).fill('/v1/responses'));
  expect(sent[1]?.body).toMatchObject({
    input: [{ role: 'user' }, { role: 'assistant', content: ' the token of a fake' }, { role: 'user' }],
    max_output_tokens: 5,
  });
  const [result] = readArtifact(await readFile(out)).results;
  expect(result?.requests?.map(({ outputTokens, error }) => [outputTokens, error])).toEqual(Array(4).fill([5, null]));
  expect(result?.requests?.every(({ ttftMs }) => (ttftMs ?? 0) > 4)).toBe(true);
});

test('measures embeddings and rerank by requests per second and the time to their end', async () => {
  const url = await fake();
  const out = join(folder, 'embeddings.jsonl');
  const args = ['--url', url, '--input-tokens', '40', ...few.with(3, '8'), '--model', 'm'];
  const { code, output, errors } = await runMeasure([...args, '--endpoint', 'embeddings', '--out', out]);
  expect(code, errors).toBe(0);
  expect(output).toMatch(/embeddings +single request +8 +0 +- +- +- +\d+ \/ - +[\d.]+ +-/);
  const [{ scenario, results }] = await reportsOf(out);
  expect(scenario).toEqual({ dataset: 'embeddings', input_tokens: 40 });
  expect(results[0].requests[0]).toMatchObject({ ttft_ms: null, itl_ms: null, output_tokens: null, max_tokens: null });
  expect(results[0].requests[0].e2e_ms).toBeGreaterThan(4);
  expect(readArtifact(await readFile(out)).results[0]?.requests).toHaveLength(8);
  const ranked = await runMeasure([...args, '--endpoint', 'rerank', '--documents', '3']);
  expect(ranked.code, ranked.errors).toBe(0);
  expect(ranked.output).toMatch(/rerank-3x40 +single request +8 +0/);
  const body = JSON.parse(server?.answers.at(-1)?.request?.body ?? '');
  expect(body.documents.map((text: string) => text.split(' ').length)).toEqual([40, 40, 40]);
  const wrong = await runMeasure([...args, '--endpoint', 'embeddings', '--turns', '2', '--documents', '0']);
  expect(wrong.errors).toContain('--endpoint embeddings defines what is sent. Omit --turns');
  expect(wrong.errors).toContain('--documents must be a whole number from 1');
});

test('sends images and tool definitions with each request', async () => {
  const url = await fake();
  const tools = [{ type: 'function', function: { name: 'search', parameters: { type: 'object', properties: {} } } }];
  const file = join(folder, 'tools.json');
  await writeFile(file, JSON.stringify(tools));
  const out = join(folder, 'images.jsonl');
  const args = ['--url', url, ...small, '--images', '2x64x32', '--tools', file, '--out', out];
  const { code, errors } = await runMeasure(args);
  expect(code, errors).toBe(0);
  const urls = requests().flatMap(({ body }) => {
    expect(body.tools).toEqual(tools);
    const parts = body.messages[0]?.content as unknown as { type: string; image_url?: { url: string } }[];
    expect(parts.map(({ type }) => type)).toEqual(['text', 'image_url', 'image_url']);
    return parts.flatMap(({ image_url }) => image_url?.url ?? []);
  });
  expect(new Set(urls).size).toBe(8);
  expect(Buffer.from(urls[0]?.replace('data:image/png;base64,', '') ?? '', 'base64').readUInt32BE(16)).toBe(64);
  const [{ scenario, results }] = await reportsOf(out);
  expect(scenario.dataset).toMatch(/^tools-1-[0-9a-f]{8}-images-2x64x32$/);
  expect(results[0].generator.traffic.files).toEqual([expect.objectContaining({ name: 'tools.json', records: 1 })]);
  await writeFile(file, '[{"name": "search"}]');
  const wrong = await runMeasure(['--url', url, '--prompts', join(folder, 'absent.json'), '--tools', file]);
  expect(wrong.code).toBe(2);
  expect(wrong.errors).toMatch(
    /There is no file .*absent\.json\..*\n.*tools\.json: these entries of the list are not definitions of tools: 1\./,
  );
});

test('sends no more requests at once than --max-concurrency, and reports the load with it', async () => {
  const out = join(folder, 'capped.jsonl');
  // Without the maximum, a rate of 200 has all 20 requests of 150 ms in flight.
  const args = ['--url', await fake({ ttftMs: 150 }), ...small.with(7, '20'), '--rate', '200', '--out', out];
  const { code, output } = await runMeasure([...args, '--max-concurrency', '3']);
  expect(code).toBe(0);
  const [result] = readArtifact(await readFile(out)).results;
  expect(result?.load).toMatchObject({ mode: 'rate', level: 200, maxConcurrency: 3 });
  const measured = (server?.answers ?? []).slice(-20);
  const inFlight = measured.map(
    ({ readMs: at }) => measured.filter(({ readMs, writtenMs }) => readMs <= at && (writtenMs.at(-1) ?? 0) > at).length,
  );
  expect(Math.max(...inFlight)).toBe(3);
  expect(output).toMatch(/arrivals were late/);
});
