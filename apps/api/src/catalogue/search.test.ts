import { beforeAll, describe, expect, it } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';

const app = useTestApp({ sampleData: true, registration: 'open' });

interface Found {
  kind: string;
  id: string;
  name: string;
  detail: string | null;
  match: string;
}
const find = async (q: string) => (await app.get<{ data: Found[] }>(`/v1/search?${new URLSearchParams({ q })}`)).data;

const report = (gpu: string) =>
  JSON.stringify({
    schema: 'inferboard/v1',
    system: { model: 'llama-3.1-8b', gpu, gpu_count: 1, quantization: 'fp8', engine: 'vllm 0.77.7' },
    scenario: 'chatbot',
    results: [{ load: { mode: 'concurrency', level: 8 }, metrics: { output_tok_s: 800 } }],
  });

let submission: { id: string; artifact: { sha256: string }; results: { id: string; system: { id: string } }[] };
beforeAll(async () => {
  submission = (await (await app.submit(report('h100-sxm'), {}, adminKey)).json()) as typeof submission;
  const registered = await app.request('/v1/accounts', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'zebra-lab' }),
  });
  const stranger = ((await registered.json()) as { key: { key: string } }).key.key;
  await app.submit(report('Frobnicator 9'), {}, adminKey);
  await app.submit(report('l40s'), {}, stranger);
});

describe('a search', () => {
  it('finds entries of the catalogue, the exact id first', async () => {
    expect((await find('h100-sxm'))[0]).toMatchObject({ kind: 'gpu', id: 'h100-sxm', match: 'exact' });
    expect((await find('Llama 3.1 8B'))[0]).toMatchObject({ kind: 'model', id: 'llama-3.1-8b', match: 'exact' });
    expect((await find('vllm'))[0]).toMatchObject({ kind: 'engine', id: 'vllm', match: 'exact' });
  });

  it('finds a system by words of its label in any order, after better matches', async () => {
    const found = await find('fp8 h100 llama 0.77');
    expect(found[0]).toMatchObject({ kind: 'system', id: submission.results[0]?.system.id, match: 'words' });
    expect(found.some(({ kind }) => kind === 'model')).toBe(true);
  });

  it('finds a system, a submission and an artifact by their ids', async () => {
    const system = submission.results[0]?.system.id ?? '';
    expect(await find(system)).toMatchObject([{ kind: 'system', id: system, match: 'exact' }]);
    expect((await find(system.slice(0, 16))).map(({ id }) => id)).toContain(system);
    const { id } = submission;
    expect(await find(id)).toMatchObject([{ kind: 'submission', id, match: 'exact' }]);
    expect((await find(id.slice(0, 30))).map((found) => found.id)).toContain(id);
    expect(await find(submission.artifact.sha256)).toMatchObject([{ kind: 'submission', id, match: 'exact' }]);
    expect(await find(submission.results[0]?.id ?? '')).toMatchObject([{ kind: 'submission', id, match: 'exact' }]);
  });

  it('finds accounts by the start of their names, but not new accounts', async () => {
    expect(await find('ADM')).toContainEqual(
      expect.objectContaining({ kind: 'account', name: 'admin', match: 'prefix' }),
    );
    expect(await find('zebra')).toEqual([]);
    expect(await find('%')).toEqual([]);
  });

  it('finds no system that is on no board', async () => {
    expect((await find('vllm 0.77.7')).filter(({ kind }) => kind === 'system').map(({ id }) => id)).toEqual([
      submission.results[0]?.system.id,
    ]);
    expect(await find('frobnicator')).toEqual([]);
  });

  it('groups by kind and returns at most ten of each', async () => {
    const kinds = (await find('llama')).map(({ kind }) => kind);
    const runs = kinds.filter((kind, place) => kind !== kinds[place - 1]);
    expect(new Set(runs).size).toBe(runs.length);
    for (const kind of runs) expect(kinds.filter((each) => each === kind).length).toBeLessThanOrEqual(10);
  });

  it.each(['', '   ', 'x'.repeat(201), '\u0000', 'h100\u0000sxm'])('rejects %j', async (q) => {
    expect((await app.request(`/v1/search?${new URLSearchParams({ q })}`)).status).toBe(422);
  });

  it.each(["'; drop table systems; --", "a':* & 'b", '\\', '🦙', "o'neill", ': | & !'])('accepts %j', async (q) => {
    expect((await app.request(`/v1/search?${new URLSearchParams({ q })}`)).status).toBe(200);
  });
});

describe('the list of systems', () => {
  const listed = async (query: Record<string, string>) =>
    (await app.get<{ data: { id: string; label: string }[] }>(`/v1/systems?${new URLSearchParams(query)}`)).data;

  it('is limited to systems whose labels contain the words, in any order', async () => {
    const found = await listed({ q: 'fp8 h100 llama 0.77' });
    expect(found.map(({ id }) => id)).toEqual([submission.results[0]?.system.id]);
    const all = await listed({ q: 'llama', limit: '200' });
    expect(all.length).toBeGreaterThan(1);
    for (const { label } of all) expect(label.toLowerCase()).toContain('llama');
  });

  it('combines words with filters', async () => {
    expect(await listed({ q: 'llama', engine: 'vllm', gpu: 'h100-sxm' })).toHaveLength(1);
    expect(await listed({ q: 'qwen', gpu: 'h100-sxm' })).toEqual([]);
  });

  it.each(["'; drop table systems; --", '🦙', ': | & !', '%'])('has no matches for %j', async (q) => {
    expect(await listed({ q })).toEqual([]);
  });

  it.each(['', '   ', 'x'.repeat(201), '\u0000'])('rejects %j', async (q) => {
    expect((await app.request(`/v1/systems?${new URLSearchParams({ q })}`)).status).toBe(422);
  });
});
