import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { adminKey, answerOf, baseUrl, useTestApp } from '../testing/index.ts';

const sample = (file: string) => new URL(file, import.meta.resolve('@inferboard/db/sample/manifest.json'));
const artifact = (file: string) => readFile(sample(file));

interface Manifest {
  file: string;
  parameters: Record<string, string>;
}
const manifest: Manifest[] = JSON.parse(await readFile(sample('manifest.json'), 'utf8'));

const app = useTestApp();
let key = '';
beforeAll(async () => {
  key = await app.createAccount('newcomer');
});

const llama = 'llama-bench/llama-2-7b-600w.txt';
const row = JSON.stringify({
  run_name: 'original_base_run1',
  batch_size: 1,
  input_len: 128,
  output_len: 64,
  latency: 0.51,
  output_throughput: 138.03,
  overall_throughput: 377.82,
});
const facts = { model: 'unspecified', gpu: 'unspecified', quantization: 'unspecified' };

describe('POST /v1/submissions', () => {
  it.each(manifest)('stores $file unchanged', async ({ file, parameters }) => {
    const bytes = await artifact(file);
    const response = await app.submit(bytes, parameters, key);
    const body = await answerOf(response);
    expect(body.errors ?? []).toEqual([]);
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBe(body.links.self);
    expect(body).toMatchObject({ status: 'accepted', duplicate: false, artifact: { bytes: bytes.length } });
    expect(body.results.length).toBeGreaterThan(0);
    for (const result of body.results) {
      expect(result.system.id).toMatch(/^sys_/);
      expect(Object.values(result.metrics).some((value) => value !== null)).toBe(true);
      expect(result.findings.filter((finding) => finding.severity === 'violation')).toEqual([]);
    }
    const download = await app.request(new URL(body.links.artifact).pathname);
    expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true);
    expect(download.headers.get('etag')).toBe(`"${body.artifact.sha256}"`);
    expect(download.headers.get('content-disposition')).toContain('attachment');

    expect(await answerOf(await app.request(new URL(body.links.self).pathname))).toEqual(body);

    const board = new URL(body.links.leaderboard);
    const named = JSON.stringify(body.results[0]?.system);
    // Training runs have no board with a highlighted row; results with an unspecified fact are on no board.
    if (board.hash !== '' && !named.includes('"unspecified"')) {
      const { data } = await app.get<{ data: { system: { id: string } }[] }>(`/v1/leaderboard${board.search}`);
      expect(data.map(({ system }) => system.id)).toContain(board.hash.slice(1));
    }

    const again = await app.submit(bytes, parameters, key);
    expect(again.status).toBe(200);
    expect(await answerOf(again)).toEqual({ ...body, duplicate: true });
  });

  it('accepts a multipart form with the parameters as fields', async () => {
    const form = new FormData();
    form.set('artifact', new Blob([row]), 'result.jsonl');
    for (const [name, value] of Object.entries(facts)) form.set(name, value);
    const headers = { authorization: `Bearer ${key}` };
    const response = await app.request('/v1/submissions', { method: 'POST', headers, body: form });
    expect(response.status).toBe(201);
  });

  it('accepts dry_run as a form field', async () => {
    const post = (form: FormData, query = '') =>
      app.request(`/v1/submissions${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: form,
      });
    const form = new FormData();
    form.set('artifact', new Blob([`${row}\n\n`]), 'result.jsonl');
    for (const [name, value] of Object.entries({ ...facts, dry_run: 'true' })) form.set(name, value);
    const response = await post(form);
    expect(response.status).toBe(200);
    expect(await answerOf(response)).toMatchObject({ id: null, dry_run: true });
    expect((await post(form, '?dry_run=false')).status).toBe(422);
    form.set('dry_run', 'perhaps');
    expect((await post(form)).status).toBe(422);
  });

  it('rejects a measurement time in the future', async () => {
    const response = await app.submit(`${row}\n`, { ...facts, measured_at: '2099-01-01T00:00:00Z' }, key);
    expect(response.status).toBe(422);
  });

  it('derives figures and stores nothing in a dry run', async () => {
    const before = await app.get<{ data: unknown[] }>('/v1/submissions?limit=200');
    const response = await app.submit(`${row}\n`, { ...facts, notes: 'only asking', dry_run: 'true' }, key);
    expect(response.status).toBe(200);
    expect(await answerOf(response)).toMatchObject({
      id: null,
      dry_run: true,
      links: null,
      results: [{ scenario: { id: 'interactive' } }],
    });
    expect((await app.get<{ data: unknown[] }>('/v1/submissions?limit=200')).data).toHaveLength(before.data.length);
  });

  it('accepts a block without a load as unspecified, and lets the client add it', async () => {
    const log = (await artifact('vllm/shisa-v2-unphi4-14b-c-max.txt')).toString('utf8');
    const block = log.slice(log.indexOf('============ Serving'));
    const query = { ...facts, model: 'Qwen/Qwen3-8B', gpu: 'h100-sxm' };
    const unspecified = await app.submit(block, query, key);
    expect(unspecified.status).toBe(201);
    expect((await answerOf(unspecified)).results[0]?.load).toMatchObject({ mode: 'unspecified', level: null });
    const stated = await app.submit(block, { ...query, load_mode: 'burst', load_level: '1000' }, key);
    expect((await answerOf(stated)).results[0]?.load).toMatchObject({ mode: 'burst', level: 1000 });
    const half = await app.submit(block, { ...query, load_mode: 'burst' }, key);
    expect((await answerOf(half)).errors).toMatchObject([{ parameter: 'load_level' }]);
    const wrong = await app.submit(log, { ...facts, load_mode: 'batch', load_level: '4' }, key);
    expect((await answerOf(wrong)).code).toBe('facts_contradict');
    const board = await app.get<{ data: unknown[] }>(
      '/v1/best?subject=engine&rank_by=output_tok_s&load_mode=unspecified',
    );
    expect(board.data).toHaveLength(1);
  });

  it("keeps the artifact's notes if the client sends none", async () => {
    const response = await app.submit(await artifact('native/qwen3.5-35b-a3b-fp8-h100.json'), { dry_run: 'true' }, key);
    expect((await answerOf(response)).notes).toContain('chatbot 131, rag 84');
  });

  it('stores one submission if the same bytes are sent many times at once', async () => {
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => app.submit(row, { ...facts, notes: 'race' }, key)),
    );
    expect(responses.filter((response) => response.status === 201)).toHaveLength(1);
    const ids = await Promise.all(responses.map(async (response) => (await answerOf(response)).id));
    expect(new Set(ids).size).toBe(1);
  });

  it('counts the same bytes once, regardless of the account', async () => {
    const other = await app.createAccount('copyist');
    const bytes = await artifact('sglang/result.jsonl');
    const response = await app.submit(bytes, { model: 'unspecified', gpu: 'unspecified' }, other);
    expect(response.status).toBe(201);
    const body = await answerOf(response);
    expect(await answerOf(await app.request(new URL(body.links.self).pathname))).toEqual(body);
    const { results } = body;
    expect(results).toHaveLength(147);
    for (const result of results) {
      expect(result.findings).toContainEqual(expect.objectContaining({ code: 'copied_artifact', severity: 'warning' }));
    }
    const board = await app.get<{ data: { statistics: { n: number; runs: unknown[] } }[] }>(
      '/v1/best?full=true&subject=quantization&rank_by=decode_tok_s&scenario=decode-bound&gpu=unspecified',
    );
    expect(board.data.map(({ statistics }) => [statistics.n, statistics.runs.length])).toEqual(Array(7).fill([3, 3]));
    // With another model they are still a copy. The original sender corrects the facts by sending the results again.
    const relabelled = { model: 'Qwen/Qwen3-8B', gpu: 'h100-sxm' };
    const copiesOf = async (by: string) => {
      const { results: sent } = await answerOf(await app.submit(bytes, relabelled, by));
      return sent.filter(({ findings }) => findings.some(({ code }) => code === 'copied_artifact')).length;
    };
    expect([await copiesOf(other), await copiesOf(key)]).toEqual([147, 0]);
  });

  it('keeps the statistics of a point correct after many concurrent submissions', async () => {
    const lines = [101.2, 99.8, 100.4, 100.9, 98.7, 101.5].map((value) => row.replace('138.03', String(value)));
    const query = { ...facts, model: 'meta-llama/Llama-3.1-8B-Instruct' };
    await Promise.all(lines.map((line) => app.submit(line, query, key)));
    const board = await app.get<{ data: { value: number; statistics: { n: number } }[] }>(
      '/v1/best?subject=engine&rank_by=decode_tok_s&model=llama-3.1-8b',
    );
    expect(board.data[0]?.statistics.n).toBe(6);
    expect(board.data[0]?.value).toBeCloseTo(602.5 / 6, 9);
  });
});

describe('an error', () => {
  const refusal = async (response: Response) => {
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const body = await answerOf(response);
    expect(body).toMatchObject({ status: response.status, request_id: expect.any(String), title: expect.any(String) });
    return body;
  };

  it('for unrecognised bytes lists the known formats', async () => {
    const response = await app.submit('certainly not a benchmark', facts, key);
    expect(response.status).toBe(422);
    const body = await refusal(response);
    expect(body.code).toBe('tool_unrecognised');
    expect(body.errors.length).toBeGreaterThan(4);
  });

  it('for an empty body explains how to send one', async () => {
    const response = await app.submit('', facts, key);
    expect(response.status).toBe(422);
    expect((await refusal(response)).code).toBe('body_empty');
  });

  it('for truncated JSONL names the line', async () => {
    const whole = (await artifact('sglang/result.jsonl')).toString('utf8').trimEnd().split('\n');
    const cut = [...whole.slice(0, 20), whole[20]?.slice(0, 60)].join('\n');
    const response = await app.submit(cut, { model: 'unspecified', gpu: 'unspecified' }, key);
    expect(response.status).toBe(422);
    expect((await refusal(response)).errors).toMatchObject([{ line: 21 }]);
    const single = await app.submit(row.slice(0, 60), facts, key);
    expect((await refusal(single)).errors).toContainEqual(expect.objectContaining({ line: 1 }));
  });

  it('for a missing GPU and model names both and how to add them', async () => {
    const response = await app.submit(row, {}, key);
    expect(response.status).toBe(422);
    const { code, errors } = await refusal(response);
    expect(code).toBe('facts_missing');
    expect(errors.map((fault) => fault.parameter).sort()).toEqual(['gpu', 'model']);
    expect(errors[0]?.hint).toContain('=');
  });

  it('for a contradiction names both sides', async () => {
    const response = await app.submit(await artifact(llama), { gpu: 'h100-sxm' }, key);
    expect(response.status).toBe(422);
    const { code, errors } = await refusal(response);
    expect(code).toBe('facts_contradict');
    expect(errors[0]?.message).toContain('RTX PRO 6000');
  });

  it('for an unknown, malformed, missing or misplaced key says which', async () => {
    const post = (headers: Record<string, string>, query = '') =>
      app.request(`/v1/submissions${query}`, { method: 'POST', headers, body: row });
    for (const wrong of [
      'Bearer ib_wrong',
      `Bearer ${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`,
      'Basic abc',
      'Bearer',
      `Bearer ${'x'.repeat(40)}`,
    ]) {
      const response = await post({ authorization: wrong });
      expect(response.status).toBe(401);
      expect((await refusal(response)).code).toBe('key_unknown');
    }
    expect((await refusal(await post({}))).code).toBe('key_missing');
    const misplaced = await post({}, `?notes=${key}`);
    expect(misplaced.status).toBe(400);
    expect(JSON.stringify(await refusal(misplaced))).not.toContain(key);
  });

  it('for an unknown parameter names the closest known one', async () => {
    const response = await app.submit(row, { ...facts, gpus: '8' }, key);
    expect(response.status).toBe(422);
    expect((await refusal(response)).errors).toMatchObject([{ parameter: 'gpus', hint: 'Did you mean "gpu"?' }]);
  });

  it('for a body over 16 MiB is a 413', async () => {
    const response = await app.submit(new Uint8Array(16 * 1024 * 1024 + 1), facts, key);
    expect(response.status).toBe(413);
    expect((await refusal(response)).code).toBe('body_too_large');
  });

  it('for characters that the database cannot store is a 422', async () => {
    const nul = await app.submit(row.replace('original', 'ori\\u0000ginal'), facts, key);
    expect(nul.status).toBe(422);
    const surrogate = await app.submit(row.replace('original', 'ori\\ud800ginal'), facts, key);
    expect(surrogate.status).toBe(422);
    const raw = await app.submit(row.replace('original', 'ori\u0000ginal'), facts, key);
    expect(raw.status).toBe(422);
    const named = await app.submit(row, { ...facts, notes: 'a\u0000b' }, key);
    expect(named.status).toBe(422);
  });
});

describe('a GPU missing from the catalogue', () => {
  it('is stored under its own name, off the boards, with the reason', async () => {
    const response = await app.submit(
      row,
      { model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'Frobnicator 9000' },
      key,
    );
    expect(response.status).toBe(201);
    const body = await answerOf(response);
    expect(await answerOf(await app.request(new URL(body.links.self).pathname))).toEqual(body);
    expect(body.status).toBe('quarantined');
    expect(body.results[0]?.system.gpu).toMatchObject({ id: null, name: 'Frobnicator 9000' });
    expect(body.results[0]?.findings).toContainEqual(expect.objectContaining({ code: 'gpu_unknown' }));
    const board = '/v1/leaderboard?rank_by=decode_tok_s&gpu=Frobnicator%209000';
    expect(await app.get(board)).toMatchObject({ data: [], excluded: { quarantined: 1 } });
    expect((await app.get<{ data: unknown[] }>(`${board}&include=quarantined`)).data).toHaveLength(1);
  });

  it('accepts a result that contradicts no other result', async () => {
    const lie = row.replace('377.82', '777.82');
    const response = await app.submit(`${row}\n${lie}\n`, { ...facts, notes: 'one of two' }, key);
    const { results } = await answerOf(response);
    expect(results.map((result) => result.status)).toEqual(['accepted', 'quarantined']);
  });
});

describe('POST /v1/accounts', () => {
  const post = (headers: Record<string, string>, body: string) =>
    app.request('/v1/accounts', { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
  const admin = { authorization: `Bearer ${adminKey}` };

  it('is restricted to admins while registration is closed', async () => {
    expect((await post({}, '{"name":"x"}')).status).toBe(401);
    expect((await post({ authorization: `Bearer ${key}` }, '{"name":"x"}')).status).toBe(403);
  });

  it('rejects an existing name, unknown fields and invalid JSON', async () => {
    expect((await post(admin, '{"name":"Newcomer"}')).status).toBe(409);
    const unknown = await post(admin, '{"nam":"x"}');
    expect(unknown.status).toBe(422);
    const { errors } = await answerOf(unknown);
    expect(errors).toContainEqual(expect.objectContaining({ pointer: '/nam', hint: 'Did you mean "name"?' }));
    expect((await post(admin, '{')).status).toBe(422);
  });
});

describe('read requests', () => {
  it('return a problem document for missing resources', async () => {
    for (const path of [
      '/v1/submissions/sub_nope',
      '/v1/submissions/sub_nope/artifact',
      '/v1/systems/sys_nope',
      '/v1/nope',
    ]) {
      const response = await app.request(path);
      expect([path, response.status, response.headers.get('content-type')]).toEqual([
        path,
        404,
        'application/problem+json',
      ]);
    }
  });

  it('return the allowed methods for a wrong method', async () => {
    const response = await app.request('/v1/leaderboard', { method: 'DELETE' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
  });

  it('have a strong ETag and return 304 if it matches', async () => {
    const first = await app.request('/v1/systems');
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"/);
    expect((await app.request('/v1/systems', { headers: { 'if-none-match': tag } })).status).toBe(304);
  });

  it('list results and systems with the same filters', async () => {
    const results = await app.get<{ data: { id: string; load: { level: number } }[] }>(
      '/v1/results?scenario=sharegpt&min_load_level=100',
    );
    expect(results.data.map((result) => result.load.level).sort((a, b) => a - b)).toEqual([128, 256, 512, 1000]);
    const systems = await app.get<{ data: { id: string }[] }>('/v1/systems?scenario=tg128&model=llama-2-7b');
    expect(systems.data.length).toBeGreaterThanOrEqual(8);
    const system = await app.get<{ points: { scenario: { id: string } }[] }>(`/v1/systems/${systems.data[0]?.id}`);
    expect(system.points.map((point) => point.scenario.id)).toEqual(['pp512', 'tg128']);
  });

  it('accept a tool by its id and by its name', async () => {
    const count = async (tool: string) => {
      const answer = await app.get<{ data: unknown[] }>(
        `/v1/results?${new URLSearchParams({ tool, scenario: 'sharegpt' })}`,
      );
      return answer.data.length;
    };
    expect(await count('vllm-bench-serve')).toBeGreaterThan(5);
    expect(await count('vllm-bench-serve')).toBe(await count('vllm bench serve'));
  });

  it('return links under PUBLIC_URL', async () => {
    const { data } = await app.get<{ data: { links: { self: string } }[] }>('/v1/systems?limit=1');
    expect(data[0]?.links.self.startsWith(`${baseUrl}/v1/systems/`)).toBe(true);
  });
});
