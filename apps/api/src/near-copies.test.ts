import { beforeAll, describe, expect, it } from 'vitest';
import { adminKey, useTestApp } from './testing/index.ts';

const app = useTestApp();
let keys: string[] = [];
beforeAll(async () => {
  keys = await Promise.all(['one', 'two', 'three'].map((name) => app.createAccount(name)));
});

/** A run of forty requests, one after the other; `scale` shifts every time of it, `seed` makes it another run. */
function report(version: string, { scale = 1, seed = 1, gpu = 'h100-sxm' }) {
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
    system: { model: 'llama-3.1-8b', quantization: 'bf16', gpu, gpu_count: 1, engine: { name: 'vllm', version } },
    scenario: 'chatbot',
    results: [{ load: { mode: 'concurrency', level: 1 }, requests }],
  });
}

interface Stored {
  id: string;
  results: { id: string; trust: string; copy_of: string | null; findings: { code: string; message: string }[] }[];
}

async function submit(by: number, version: string, run: Parameters<typeof report>[1]): Promise<Stored> {
  const response = await app.submit(report(version, run), {}, keys[by] ?? '');
  expect(response.status).toBe(201);
  return (await response.json()) as Stored;
}

interface Board {
  data: { trust: string; statistics: { n: number } }[];
}
const board = async (version: string) =>
  (await app.get<Board>(`/v1/leaderboard?rank_by=output_tok_s&engine_version=${version}`)).data.map(
    ({ trust, statistics }) => [trust, statistics.n],
  );
const stored = (id: string) => app.get<Stored>(`/v1/submissions/${id}`);
const copyOf = async ({ id }: Stored) => (await stored(id)).results[0]?.copy_of;
const ask = (path: string, key: string | undefined, body: object) =>
  app.request(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('the requests of another account, shifted by less than a hundredth', () => {
  it('are a copy, told and counted once; another run of the same system replicates', async () => {
    const first = await submit(0, 'n1', {});
    const copy = await submit(1, 'n1', { scale: 0.993 });
    expect(copy.results).toMatchObject([{ copy_of: first.results[0]?.id, trust: 'recomputed' }]);
    expect(copy.results[0]?.findings).toContainEqual({
      code: 'copied_artifact',
      severity: 'warning',
      message:
        'The same requests, the latencies of each within 1 %, were submitted before by another account: they are counted once.',
      evidence: { first_result: first.results[0]?.id, first_submission: first.id },
    });
    expect((await stored(copy.id)).results).toEqual(copy.results);
    expect(await board('n1')).toEqual([['recomputed', 1]]);

    // The copy's own bytes, sent by a third account: what they repeat is still the first.
    const third = await app.submit(report('n1', { scale: 0.993 }), {}, keys[2] ?? '');
    expect(((await third.json()) as Stored).results[0]?.copy_of).toBe(first.results[0]?.id);

    const honest = await submit(1, 'n1', { seed: 2 });
    expect(honest.results).toMatchObject([{ copy_of: null, trust: 'replicated' }]);
    expect(await board('n1')).toEqual([['replicated', 2]]);
  });

  it('are a repetition where the account is the same, and another claim of another system', async () => {
    await submit(0, 'n2', {});
    expect(await copyOf(await submit(0, 'n2', { scale: 0.995 }))).toBeNull();
    expect(await board('n2')).toEqual([['recomputed', 2]]);
    expect(await copyOf(await submit(1, 'n2', { scale: 0.992, gpu: 'h200-sxm' }))).toBeNull();
  });

  it('count from when the first is retracted, and the copies of the copy with them', async () => {
    const first = await submit(0, 'n3', {});
    const second = await submit(1, 'n3', { scale: 0.995 });
    const third = await submit(2, 'n3', { scale: 0.994 });
    expect(await copyOf(third)).toBe(first.results[0]?.id);
    const path = `/v1/submissions/${first.id}/retract`;
    expect((await ask(path, keys[0], { reason: 'Measured with another model.' })).status).toBe(200);
    expect(await copyOf(second)).toBeNull();
    expect(await copyOf(third)).toBe(second.results[0]?.id);
    expect((await stored(second.id)).results[0]?.findings.map(({ code }) => code)).not.toContain('copied_artifact');
    expect(await board('n3')).toEqual([['recomputed', 1]]);
  });

  it('are found when a review gives them the name of the same system', async () => {
    const first = await submit(0, 'n4', {});
    const held = await submit(1, 'n4', { scale: 0.996, gpu: 'my own card' });
    expect(await copyOf(held)).toBeNull();
    const reviewed = await ask(`/v1/submissions/${held.id}/review`, adminKey, {
      decision: 'map',
      gpu: 'h100-sxm',
      note: 'It is an H100, says its owner.',
    });
    expect([reviewed.status, await copyOf(held)]).toEqual([200, first.results[0]?.id]);
    expect(await board('n4')).toEqual([['recomputed', 1]]);
  });

  it('sent by many accounts at once count no more often than one of them sent them', async () => {
    const scales = [1, 0.999, 0.998, 0.997, 0.996, 0.995];
    const all = await Promise.all(scales.map((scale, place) => submit(place % 3, 'n5', { scale })));
    const counted = (await Promise.all(all.map(copyOf))).filter((first) => first === null);
    // Two of each account, of which the later may be a repetition of its own.
    expect(counted.length).toBeLessThanOrEqual(2);
    expect((await board('n5'))[0]?.[0]).toBe('recomputed');
  });
});
