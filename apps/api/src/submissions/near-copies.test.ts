import { beforeAll, describe, expect, it } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';

const app = useTestApp();
let keys: string[] = [];
beforeAll(async () => {
  keys = await Promise.all(['one', 'two', 'three'].map((name) => app.createAccount(name)));
});

/** A run of forty sequential requests; `scale` multiplies all its times, `seed` makes it a different run. */
function report(model: string, { scale = 1, seed = 1, gpu = 'h100-sxm' }) {
  let sent_s = 0;
  const requests = Array.from({ length: 40 }, (_, place) => {
    const ttft_ms = scale * (80 + ((place * 37 * seed) % 29));
    const gap_ms = scale * (9 + ((place * 11 * seed) % 7) / 10);
    const e2e_ms = ttft_ms + 4 * gap_ms;
    const request = { sent_s, input_tokens: 64, output_tokens: 5, ttft_ms, e2e_ms, itl_ms: Array(4).fill(gap_ms) };
    sent_s += e2e_ms / 1000;
    return request;
  });
  return JSON.stringify({
    schema: 'inferboard/v1',
    system: { model, quantization: 'bf16', gpu, gpu_count: 1, engine: { name: 'vllm', version: '0.9' } },
    scenario: 'chatbot',
    results: [{ load: { mode: 'concurrency', level: 1 }, requests }],
  });
}

interface Stored {
  id: string;
  results: { id: string; trust: string; copy_of: string | null; findings: { code: string; message: string }[] }[];
}

async function submit(by: number, model: string, run: Parameters<typeof report>[1]): Promise<Stored> {
  const response = await app.submit(report(model, run), {}, keys[by] ?? '');
  expect(response.status).toBe(201);
  return (await response.json()) as Stored;
}

interface Board {
  data: { trust: string; statistics: { n: number } }[];
}
const board = async (model: string) =>
  (await app.get<Board>(`/v1/leaderboard?rank_by=output_tok_s&model=${model}`)).data.map(({ trust, statistics }) => [
    trust,
    statistics.n,
  ]);
const stored = (id: string) => app.get<Stored>(`/v1/submissions/${id}`);
const copyOf = async ({ id }: Stored) => (await stored(id)).results[0]?.copy_of;
const ask = (path: string, key: string | undefined, body: object) =>
  app.request(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function map({ id }: Stored, names: Record<string, string>): Promise<void> {
  const body = { decision: 'map', ...names, note: 'Its owner says so.' };
  expect((await ask(`/v1/submissions/${id}/review`, adminKey, body)).status).toBe(200);
}

// Copies are found among all systems of the same model, so every test uses a different model.
describe("another account's requests, shifted by less than 1 %", () => {
  it('are marked as a copy; another run of the same system replicates', async () => {
    const first = await submit(0, 'llama-3.1-8b', {});
    const copy = await submit(1, 'llama-3.1-8b', { scale: 0.993 });
    expect(copy.results).toMatchObject([{ copy_of: first.results[0]?.id, trust: 'recomputed' }]);
    const finding = copy.results[0]?.findings.find(({ code }) => code === 'copied_artifact');
    expect(finding).toMatchObject({
      severity: 'warning',
      message:
        'The records of its requests equal those of a submission by another account, except for a common shift or factor. It is counted once.',
      evidence: { reason: 'records', requests: 40, first_result: first.results[0]?.id, first_submission: first.id },
    });
    expect((await stored(copy.id)).results).toEqual(copy.results);
    expect(await board('llama-3.1-8b')).toEqual([['recomputed', 1]]);

    // A third account sends the copy's bytes: the original is still the first report.
    const third = await app.submit(report('llama-3.1-8b', { scale: 0.993 }), {}, keys[2] ?? '');
    expect(((await third.json()) as Stored).results[0]?.copy_of).toBe(first.results[0]?.id);

    const honest = await submit(1, 'llama-3.1-8b', { seed: 2 });
    expect(honest.results).toMatchObject([{ copy_of: null, trust: 'replicated' }]);
    // Two claims, of which the earlier counts; their runs are not added up.
    expect(await board('llama-3.1-8b')).toEqual([['replicated', 1]]);
  });

  it('are a repetition for the same account', async () => {
    await submit(0, 'llama-3-8b', {});
    expect(await copyOf(await submit(0, 'llama-3-8b', { scale: 0.995 }))).toBeNull();
    expect(await board('llama-3-8b')).toEqual([['recomputed', 2]]);
  });

  it('are a copy at another system too, and stay one if other results there change', async () => {
    const gpu = 'h200-sxm';
    const first = await submit(0, 'qwen2.5-7b', {});
    const copy = await submit(1, 'qwen2.5-7b', { scale: 0.992, gpu });
    expect(await copyOf(copy)).toBe(first.results[0]?.id);
    const honest = await submit(2, 'qwen2.5-7b', { seed: 3, gpu });
    expect(await copyOf(honest)).toBeNull();
    expect((await ask(`/v1/submissions/${honest.id}/retract`, keys[2], { reason: 'A wrong driver.' })).status).toBe(
      200,
    );
    expect(await copyOf(copy)).toBe(first.results[0]?.id);
    expect(await board('qwen2.5-7b')).toEqual([['recomputed', 1]]);
  });

  it('count after the original is retracted, and their own copies refer to them', async () => {
    const first = await submit(0, 'llama-2-7b', {});
    const second = await submit(1, 'llama-2-7b', { scale: 0.995 });
    const third = await submit(2, 'llama-2-7b', { scale: 0.994 });
    expect(await copyOf(third)).toBe(first.results[0]?.id);
    const path = `/v1/submissions/${first.id}/retract`;
    expect((await ask(path, keys[0], { reason: 'Measured with another model.' })).status).toBe(200);
    expect(await copyOf(second)).toBeNull();
    expect(await copyOf(third)).toBe(second.results[0]?.id);
    expect((await stored(second.id)).results[0]?.findings.map(({ code }) => code)).not.toContain('copied_artifact');
    expect(await board('llama-2-7b')).toEqual([['recomputed', 1]]);
  });

  it('are a copy if the GPU is unknown, also after a review names it', async () => {
    const first = await submit(0, 'mistral-7b-v0.3', {});
    const held = await submit(1, 'mistral-7b-v0.3', { scale: 0.996, gpu: 'my own card' });
    expect(await copyOf(held)).toBe(first.results[0]?.id);
    await map(held, { gpu: 'h100-sxm' });
    expect(await copyOf(held)).toBe(first.results[0]?.id);
    expect(await board('mistral-7b-v0.3')).toEqual([['recomputed', 1]]);
  });

  it('are detected when a review names the model, also against the reviewed result', async () => {
    const first = await submit(0, 'qwen3-1.7b', {});
    const [disguised, honest] = await Promise.all([
      submit(1, 'my own model', { scale: 0.996, gpu: 'h200-sxm' }),
      submit(1, 'another own model', { seed: 4 }),
    ]);
    expect([await copyOf(disguised), await copyOf(honest)]).toEqual([null, null]);
    await map(disguised, { model: 'qwen3-1.7b' });
    await map(honest, { model: 'qwen3-1.7b' });
    expect([await copyOf(disguised), await copyOf(honest)]).toEqual([first.results[0]?.id, null]);
    const codes = (await stored(disguised.id)).results[0]?.findings.map(({ code }) => code);
    expect(codes?.filter((code) => code === 'copied_artifact')).toHaveLength(1);
    const third = await submit(2, 'qwen3-1.7b', { seed: 4, scale: 1.004, gpu: 'h200-sxm' });
    expect(await copyOf(third)).toBe(honest.results[0]?.id);
    // Both counted claims are for one point.
    expect(await board('qwen3-1.7b')).toEqual([['replicated', 1]]);
  });

  it('count no more often if many accounts send them at once', async () => {
    const scales = [1, 0.999, 0.998, 0.997, 0.996, 0.995];
    const all = await Promise.all(scales.map((scale, place) => submit(place % 3, 'qwen3-8b', { scale })));
    const counted = (await Promise.all(all.map(copyOf))).filter((first) => first === null);
    // Two from each account; the later one may be a repetition by the same account.
    expect(counted.length).toBeLessThanOrEqual(2);
    expect((await board('qwen3-8b'))[0]?.[0]).toBe('recomputed');
  });
});
