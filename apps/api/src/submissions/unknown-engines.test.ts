import { beforeAll, describe, expect, it } from 'vitest';
import { adminKey, answerOf, useTestApp } from '../testing/index.ts';

// An engine that is not in the catalogue is a user-supplied name. Until an admin approves it, it appears only on the submitter's
// own pages.

const app = useTestApp();
const engine = 'Zzyzx Serve';
const artifact = JSON.stringify({
  schema: 'inferboard/v1',
  system: { model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'h100-sxm', gpu_count: 1, engine: { name: engine } },
  scenario: 'chatbot',
  results: [{ load: { mode: 'concurrency', level: 8 }, metrics: { output_tok_s: 900 } }],
});
let key = '';
let submission = '';
let system = '';

beforeAll(async () => {
  key = await app.createAccount('sender');
  const response = await app.submit(artifact, {}, key);
  expect(response.status).toBe(201);
  const { id, status, results } = await answerOf(response);
  expect(status).toBe('quarantined');
  submission = id;
  system = results[0]?.system.id ?? '';
});

const read = async (path: string) => {
  const response = await app.request(path);
  expect(response.status, path).toBe(200);
  return response.text();
};

/** All lists that show system names to the public. */
const elsewhere = [
  '/v1/catalogue/engines',
  '/v1/leaderboard?rank_by=output_tok_s',
  '/v1/leaderboard?rank_by=output_tok_s&model=llama-3.1-8b',
  '/v1/matrix?rows=engine&columns=gpu&metric=output_tok_s',
  '/v1/pareto?x=output_tok_s&y=output_tok_s_per_gpu',
  '/v1/best?q=fastest+engine+on+H100',
  '/v1/results',
  '/v1/submissions',
  '/v1/changes',
  '/feed.xml',
];

describe('an engine missing from the catalogue', () => {
  it('is shown to its submitter, with the reason for the review', async () => {
    expect(await read(`/v1/submissions/${submission}`)).toContain(engine);
    expect(await read(`/v1/submissions/${submission}`)).toContain('engine_unknown');
    expect(await read(`/v1/systems/${system}`)).toContain(engine);
  });

  it.each(elsewhere)('is not shown at %s', async (path) => {
    expect(await read(path)).not.toContain(engine);
  });

  it('is shown after an admin clears it', async () => {
    const cleared = await app.request(`/v1/submissions/${submission}/review`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ decision: 'clear', note: 'A real one.' }),
    });
    expect(cleared.status).toBe(200);
    expect(await read('/v1/catalogue/engines')).toContain(engine);
    expect(await read('/v1/leaderboard?rank_by=output_tok_s')).toContain(engine);
  });

  it.each(['Buy GPUs at evil.example!', 'vLLМ', 'vllm\u200b', 'Cheap <b>GPUs</b>'])(
    '%j is rejected, and not stored',
    async (name) => {
      const count = () => app.deps.database.sql`select count(*)::int as n from submissions`;
      const before = await count();
      const response = await app.submit(artifact.replace(engine, name), {}, key);
      expect(response.status).toBe(422);
      expect(JSON.stringify(await response.json())).toMatch(/engine/);
      expect(await count()).toEqual(before);
    },
  );
});
