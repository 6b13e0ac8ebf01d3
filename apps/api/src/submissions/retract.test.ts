import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, adminKey, useTestApp } from '../testing/index.ts';

const app = useTestApp();
let [key, otherKey] = ['', ''];
beforeAll(async () => {
  [key, otherKey] = await Promise.all([app.createAccount('owner'), app.createAccount('stranger')]);
});

interface Submission extends Answer {
  duplicate: boolean;
  retraction: { at: string; reason: string } | null;
  results: (Answer['results'][number] & { id: string; copy_of: string | null })[];
}

interface Board {
  data: { value: number; statistics: { n: number } }[];
  excluded: Record<string, number>;
}

/** A report of a separate system, distinguished by its engine version. */
const report = (version: string, ...speeds: number[]) =>
  JSON.stringify({
    schema: 'inferboard/v1',
    system: {
      model: 'llama-3.1-8b',
      quantization: 'bf16',
      gpu: 'h100-sxm',
      gpu_count: 1,
      engine: { name: 'vllm', version },
    },
    scenario: 'chatbot',
    results: speeds.map((speed) => ({ load: { mode: 'concurrency', level: 8 }, metrics: { output_tok_s: speed } })),
  });

async function submit(artifact: string, by = key): Promise<Submission> {
  const response = await app.submit(artifact, {}, by);
  expect(response.status).toBe(201);
  return (await response.json()) as Submission;
}

async function retract(id: string, by = key, body: unknown = { reason: 'The wrong power limit was noted.' }) {
  const response = await app.request(`/v1/submissions/${id}/retract`, {
    method: 'POST',
    headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Submission };
}

const board = (version: string, query = '') =>
  app.get<Board>(`/v1/leaderboard?rank_by=output_tok_s&engine_version=${version}${query}`);

describe('a retraction', () => {
  it('removes all results from the boards, and keeps them readable with the reason', async () => {
    const first = await submit(report('r1', 800, 810));
    await submit(report('r1', 700));
    expect(await board('r1')).toMatchObject({ data: [{ statistics: { n: 3 } }] });
    const { status, body } = await retract(first.id);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'retracted',
      retraction: { reason: 'The wrong power limit was noted.' },
      results: [{ status: 'retracted' }, { status: 'retracted' }],
    });
    expect(await app.get(`/v1/submissions/${first.id}`)).toEqual(body);
    expect(await board('r1')).toMatchObject({ data: [{ value: 700, statistics: { n: 1 } }] });
    expect((await app.request(new URL(first.links.artifact).pathname)).status).toBe(200);
    expect(await app.get('/v1/results?engine_version=r1')).toMatchObject({ data: [{}] });
    expect((await app.get<{ data: unknown[] }>('/v1/results?engine_version=r1&include=retracted')).data).toHaveLength(
      3,
    );
  });

  it('of the only submission empties the point, and the board counts the omitted result', async () => {
    const { id } = await submit(report('r2', 500));
    await retract(id);
    expect(await board('r2')).toMatchObject({ data: [], excluded: { retracted: 1 } });
    expect(await board('r2', '&include=retracted')).toMatchObject({ data: [{ value: 500 }] });
  });

  it('makes the copy of another account count instead', async () => {
    const artifact = report('r3', 640);
    const first = await submit(artifact);
    const copy = await submit(artifact, otherKey);
    expect(copy.results[0]?.copy_of).toBe(first.results[0]?.id);
    await retract(first.id);
    const after = await app.get<Submission>(`/v1/submissions/${copy.id}`);
    expect(after.results[0]?.copy_of).toBeNull();
    expect(after.results[0]?.findings.map(({ code }) => code)).not.toContain('copied_artifact');
    expect(await board('r3')).toMatchObject({ data: [{ value: 640, statistics: { n: 1 } }] });
  });

  it('allows the same bytes again, as a new submission', async () => {
    const artifact = report('r8', 660);
    const first = await submit(artifact);
    await retract(first.id);
    const again = await submit(artifact);
    expect(again).toMatchObject({ status: 'accepted', duplicate: false, retraction: null });
    expect(again.id).not.toBe(first.id);
    expect(again.results[0]?.copy_of).toBeNull();
    expect(again.results[0]?.findings.map(({ code }) => code)).not.toContain('copied_artifact');
    expect(await board('r8')).toMatchObject({ data: [{ value: 660, statistics: { n: 1 } }] });
    // While it is accepted, a repeated upload returns it and not the retracted one.
    const twice = await app.submit(artifact, {}, key);
    expect(twice.status).toBe(200);
    expect(await twice.json()).toMatchObject({ id: again.id, duplicate: true });
    expect((await retract(again.id)).status).toBe(200);
    expect((await submit(artifact)).id).not.toBe(again.id);
  });

  it('allows only one submission if the same bytes are sent twice at once', async () => {
    const artifact = report('r9', 670);
    await retract((await submit(artifact)).id);
    const answers = await Promise.all(Array.from({ length: 4 }, () => app.submit(artifact, {}, key)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
    const ids = await Promise.all(answers.map(async (answer) => ((await answer.json()) as Submission).id));
    expect(new Set(ids).size).toBe(1);
  });

  it('of a copy changes only the copy', async () => {
    const artifact = report('r4', 650);
    await submit(artifact);
    const copy = await submit(artifact, otherKey);
    expect((await retract(copy.id, otherKey)).status).toBe(200);
    expect(await board('r4')).toMatchObject({ data: [{ value: 650, statistics: { n: 1 } }] });
  });

  it('is restricted to the owner and admins', async () => {
    const { id } = await submit(report('r5', 600));
    expect(await retract(id, otherKey)).toMatchObject({ status: 403, body: { code: 'not_yours' } });
    expect(await app.get(`/v1/submissions/${id}`)).toMatchObject({ status: 'accepted', retraction: null });
    expect((await retract('sub_00000000000000000000000000000000')).status).toBe(404);
    const nobody = await app.request(`/v1/submissions/${id}/retract`, { method: 'POST', body: '{}' });
    expect(nobody.status).toBe(401);
    expect((await retract(id, adminKey)).status).toBe(200);
  });

  it('happens once, also if two requests arrive at the same time', async () => {
    const { id } = await submit(report('r6', 600));
    const answers = await Promise.all([retract(id), retract(id), retract(id, adminKey)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('submission_already_retracted');
  });

  it.each([
    [{}],
    [{ reason: '' }],
    [{ reason: 'x'.repeat(2001) }],
    [{ reason: 5 }],
    [{ reason: 'a', more: 1 }],
    [[]],
    [null],
  ])('rejects %j', async (body) => {
    const { id } = await submit(report(`r7 ${JSON.stringify(body).slice(0, 30)}`, 600));
    expect((await retract(id, key, body)).status).toBe(422);
  });
});
