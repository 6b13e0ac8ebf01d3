import { readFile } from 'node:fs/promises';
import { pointStatistics } from '@inferboard/core/statistics/point-statistics';
import { refreshPointStatistics } from '@inferboard/db/queries/point-statistics-refresh';
import { listResultsBySubmission } from '@inferboard/db/queries/result-list';
import { beforeAll, describe, expect, it } from 'vitest';
import { reviewExamples } from './schemas/review.ts';
import { type Answer, adminKey, useTestApp } from './testing/index.ts';

const app = useTestApp();
let key = '';
beforeAll(async () => {
  key = await app.createAccount('submitter');
});

interface Finding {
  code: string;
  severity: string;
  message: string;
  evidence: Record<string, unknown>;
}

interface Submission extends Omit<Answer, 'results'> {
  reviews: {
    decision: string;
    note: string;
    mapping: Record<string, { from: string; to: string }> | null;
    results: string[];
    at: string;
    by: string;
  }[];
  results: (Omit<Answer['results'][number], 'findings'> & {
    id: string;
    findings: Finding[];
    copy_of: string | null;
  })[];
}

interface Board {
  data: {
    value: number;
    statistics: { n: number; mean: number; ci95: [number, number] | null; runs: { result_id: string }[] };
    system: { id: string; gpu: { id: string | null; name: string } };
  }[];
  excluded: Record<string, number>;
}

interface Line {
  metrics: Record<string, number>;
  level?: number;
}

const fast: Line = { metrics: { output_tok_s: 800, ttft_ms_mean: 100 } };
const slow: Line = { metrics: { output_tok_s: 400, ttft_ms_mean: 50 }, level: 4 };
/** The first token comes after the last one. */
const impossible: Line = { metrics: { output_tok_s: 500, ttft_ms_mean: 900, e2e_ms_mean: 200 }, level: 2 };

/** A report of our own format. Every test has a system of its own, told from the others by the engine's version. */
function report(version: string, system: Record<string, unknown>, lines: Line[]): string {
  return JSON.stringify({
    schema: 'inferboard/v1',
    system: {
      model: 'llama-3.1-8b',
      quantization: 'bf16',
      gpu: 'h100-sxm',
      gpu_count: 1,
      engine: { name: 'vllm', version },
      ...system,
    },
    scenario: 'chatbot',
    results: lines.map(({ metrics, level = 8 }) => ({ load: { mode: 'concurrency', level }, metrics })),
  });
}

async function submit(artifact: string, query: Record<string, string> = {}, by = key): Promise<Submission> {
  const response = await app.submit(artifact, query, by);
  const body = (await response.json()) as Submission;
  expect([response.status, body.errors]).toEqual([201, undefined]);
  return body;
}

const post = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  app.request(`/v1/submissions/${id}/review`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

async function review(id: string, body: Record<string, unknown>): Promise<Submission> {
  const response = await post(id, { note: 'looked at', ...body });
  const answer = (await response.json()) as Submission;
  expect([response.status, answer.errors]).toEqual([200, undefined]);
  expect(answer).toEqual(await app.get(`/v1/submissions/${id}`));
  return answer;
}

const board = (version: string, filters: Record<string, string> = {}) =>
  app.get<Board>(
    `/v1/leaderboard?${new URLSearchParams({ rank_by: 'output_tok_s', engine_version: version, ...filters })}`,
  );
const codes = (submission: Submission, place = 0) => submission.results[place]?.findings.map(({ code }) => code);
const statuses = (submission: Submission) => submission.results.map(({ status }) => status);

/** The stored statistics of all points; computing them anew from the stored results must change nothing. */
async function expectStatisticsCurrent(): Promise<void> {
  const { sql, db } = app.deps.database;
  const read = () => sql`
    select to_jsonb(t) - 'updated_at' - 'changed_in' as row from point_statistics t order by t.point_id, t.status, t.variant`;
  const before = await read();
  await db.transaction(async (tx) => {
    const points = (await tx.execute('select id from points')) as unknown as { id: string }[];
    await refreshPointStatistics(
      tx,
      points.map(({ id }) => Number(id)),
    );
  });
  expect(before).toEqual(await read());
}

describe('mapping an unknown GPU', () => {
  it('moves its results to the GPU that it is, under the name as written', async () => {
    const gpu = 'Frobnicator 9000';
    const held = await submit(report('map.1', { gpu }, [fast]));
    expect(held).toMatchObject({ status: 'quarantined', reviews: [] });
    expect(held.results[0]?.findings).toContainEqual(
      expect.objectContaining({
        code: 'gpu_unknown',
        evidence: expect.objectContaining({ nearest: expect.any(Array) }),
      }),
    );
    expect(await board('map.1')).toMatchObject({ data: [], excluded: { quarantined: 1 } });
    expect((await board('map.1', { include: 'quarantined' })).data).toHaveLength(1);

    const path = `/v1/submissions/${held.id}`;
    const tag = (await app.request(path)).headers.get('etag') ?? '';
    const mapped = await review(held.id, { decision: 'map', gpu: 'NVIDIA H100 SXM5', note: 'A cloud calls it so.' });
    expect(mapped.status).toBe('accepted');
    expect(mapped.results[0]).toMatchObject({
      id: held.results[0]?.id,
      status: 'accepted',
      system: { gpu: { id: 'h100-sxm', name: gpu } },
    });
    expect(codes(mapped)).not.toContain('gpu_unknown');
    expect(mapped.results[0]?.findings).toContainEqual({
      code: 'reviewed',
      severity: 'info',
      message: `An admin looked at this result and mapped the GPU "${gpu}" to h100-sxm: A cloud calls it so.`,
      evidence: { review: expect.stringMatching(/^rev_/), decision: 'map', gpu: { from: gpu, to: 'h100-sxm' } },
    });
    expect(mapped.reviews).toEqual([
      {
        decision: 'map',
        note: 'A cloud calls it so.',
        mapping: { gpu: { from: gpu, to: 'h100-sxm' } },
        results: [held.results[0]?.id],
        at: expect.any(String),
        by: expect.any(String),
      },
    ]);

    const ranked = await board('map.1', { gpu: 'h100' });
    expect(ranked).toMatchObject({ data: [{ value: 800, system: { gpu: { id: 'h100-sxm', name: gpu } } }] });
    expect(ranked.excluded.quarantined).toBeUndefined();
    // Whoever looks for it as they wrote it finds it, too.
    expect((await board('map.1', { gpu })).data).toHaveLength(1);
    expect((await app.request(path, { headers: { 'if-none-match': tag } })).status).toBe(200);
    const artifact = await app.request(`${path}/artifact`);
    expect(await artifact.text()).toContain(gpu);
    await expectStatisticsCurrent();
  });

  it('joins them to the results that are there, and takes a family for an answer', async () => {
    await submit(report('map.2', { gpu: 'H100' }, [fast]));
    const held = await submit(report('map.2', { gpu: 'Frobnicator 2' }, [{ metrics: { output_tok_s: 820 } }]));
    await review(held.id, { decision: 'map', gpu: 'h100' });
    const { data } = await board('map.2');
    expect(data).toMatchObject([{ value: 810, statistics: { n: 2 }, system: { gpu: { id: null } } }]);
    await expectStatisticsCurrent();
  });

  it('holds them back where that GPU cannot hold the weights', async () => {
    const whole = await readFile(
      new URL('llama-bench/llama-3.3-70b-q4_k_m.txt', import.meta.resolve('@inferboard/db/sample/manifest.json')),
      'utf8',
    );
    const held = await submit(whole.replace(/NVIDIA RTX PRO 6000[^,]*/, 'Frobnicator 3'));
    expect(statuses(held)).toEqual(['quarantined', 'quarantined']);
    const mapped = await review(held.id, { decision: 'map', gpu: 'rtx-4090' });
    expect(mapped.status).toBe('quarantined');
    for (const result of mapped.results) {
      expect(result).toMatchObject({ status: 'quarantined', system: { gpu: { id: 'rtx-4090' } } });
      expect(result.findings).toContainEqual(
        expect.objectContaining({ code: 'weights_exceed_memory', severity: 'violation' }),
      );
    }
    expect(codes(mapped)).toContain('reviewed');
    const ranked = (filters: Record<string, string>) =>
      app.get<Board>(`/v1/leaderboard?${new URLSearchParams({ rank_by: 'decode_tok_s', ...filters })}`);
    expect(await ranked({ gpu: 'rtx-4090' })).toMatchObject({ data: [], excluded: { quarantined: 2 } });
    const cleared = await review(held.id, { decision: 'clear', note: 'Offloaded to the CPU.' });
    expect(cleared).toMatchObject({ status: 'accepted', reviews: [{ decision: 'map' }, { decision: 'clear' }] });
    expect(codes(cleared)?.filter((code) => code === 'reviewed')).toHaveLength(2);
    expect((await ranked({ gpu: 'rtx-4090' })).data).toHaveLength(1);
    await expectStatisticsCurrent();
  });

  it('keeps what was mapped before when a second name is mapped', async () => {
    const system = { gpu: 'Frobnicator 4', model: 'acme/unheard-of', quantization: 'original' };
    const held = await submit(report('map.4', system, [fast]));
    expect(held.results[0]?.system).toMatchObject({ quantization: { id: null, name: 'original' } });
    const half = await review(held.id, { decision: 'map', gpu: 'h100-sxm' });
    expect(half.results[0]).toMatchObject({ status: 'quarantined', system: { gpu: { id: 'h100-sxm' } } });
    expect(codes(half)).toContain('model_unknown');
    const whole = await review(held.id, { decision: 'map', model: 'meta-llama/Llama-3.1-8B-Instruct' });
    expect(whole.results[0]).toMatchObject({
      status: 'accepted',
      system: {
        gpu: { id: 'h100-sxm', name: 'Frobnicator 4' },
        model: { id: 'llama-3.1-8b', name: 'acme/unheard-of' },
        quantization: { id: 'bf16', name: 'original' },
      },
    });
    expect(codes(whole)?.filter((code) => code === 'reviewed')).toHaveLength(2);
  });

  it('is of one unknown name at a time', async () => {
    const artifact = [
      report('map.5', { gpu: 'Frobnicator 5' }, [fast]),
      report('map.5', { gpu: 'Grobnicator 5' }, [slow]),
      report('map.5', {}, [impossible]),
    ].join('\n');
    const held = await submit(artifact);
    expect(statuses(held)).toEqual(['quarantined', 'quarantined', 'quarantined']);
    const refused = await post(held.id, { decision: 'map', gpu: 'h100-sxm', note: 'x' });
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({
      errors: [{ pointer: '/gpu', message: expect.stringContaining('Frobnicator 5, Grobnicator 5') }],
    });
    const [first, second, third] = held.results.map(({ id }) => id);
    const wrong = await post(held.id, { decision: 'map', gpu: 'h100-sxm', note: 'x', results: [first, third] });
    expect(await wrong.json()).toMatchObject({ errors: [{ pointer: '/results/1' }] });
    const one = await review(held.id, { decision: 'map', gpu: 'h100-sxm', results: [first] });
    expect(statuses(one)).toEqual(['accepted', 'quarantined', 'quarantined']);
    // The one that contradicts itself has no unknown name, so it is not what is mapped.
    const two = await review(held.id, { decision: 'map', gpu: 'h200' });
    expect(statuses(two)).toEqual(['accepted', 'accepted', 'quarantined']);
    expect(two.reviews[1]?.results).toEqual([second]);
    expect(two.status).toBe('quarantined');
  });
});

describe('clearing', () => {
  it('lets in what contradicts itself, and leaves the doubt and its neighbours as they are', async () => {
    const held = await submit(report('clear.1', {}, [fast, impossible, slow]));
    expect(statuses(held)).toEqual(['accepted', 'quarantined', 'accepted']);
    expect(held.results[1]?.findings).toContainEqual(expect.objectContaining({ severity: 'violation' }));
    const level = (at: string) => board('clear.1', { load_level: at });
    expect((await level('8')).data).toHaveLength(1);
    expect(await level('2')).toMatchObject({ data: [], excluded: { quarantined: 1 } });
    const cleared = await review(held.id, { decision: 'clear', note: 'The clock was read twice.' });
    expect(statuses(cleared)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(cleared.status).toBe('accepted');
    const { findings: before = [] } = held.results[1] ?? {};
    const { findings: after = [] } = cleared.results[1] ?? {};
    expect(after.filter(({ code }) => code !== 'reviewed')).toEqual(before);
    expect(after).toContainEqual(
      expect.objectContaining({ code: 'reviewed', message: expect.stringContaining('The clock was read twice.') }),
    );
    expect(cleared.results[0]).toEqual(held.results[0]);
    expect((await level('2')).data).toMatchObject([{ value: 500 }]);
    expect((await level('8')).data).toMatchObject([{ value: 800 }]);
    await expectStatisticsCurrent();
  });

  it('lets in what beats the hardware, once an admin believes it', async () => {
    const tooFast: Line = { metrics: { user_tok_s: 400 }, level: 1 };
    const held = await submit(report('clear.4', {}, [tooFast, { metrics: { user_tok_s: 150 }, level: 2 }]));
    expect(statuses(held)).toEqual(['quarantined', 'accepted']);
    expect(held.results[0]?.findings).toContainEqual(
      expect.objectContaining({
        code: 'above_roofline',
        severity: 'violation',
        message: expect.stringMatching(/^400 tok\/s per user would need 6\.058 TB\/s; .*3\.35 TB\/s/),
        evidence: expect.objectContaining({ check: 'P2', claimed: 400, bound: expect.closeTo(221.2, 1) }),
      }),
    );
    const speeds = () => board('clear.4', { rank_by: 'user_tok_s' });
    expect((await speeds()).data).toMatchObject([{ value: 150 }]);
    await review(held.id, { decision: 'clear', note: 'A draft model was at work and not declared.' });
    expect((await speeds()).data).toMatchObject([{ value: 400 }]);
  });

  it('ranks an unknown GPU under its own words', async () => {
    const gpu = 'Frobnicator 6';
    const held = await submit(report('clear.2', { gpu }, [fast]));
    const cleared = await review(held.id, { decision: 'clear' });
    expect(cleared.results[0]?.system.gpu).toMatchObject({ id: null, name: gpu });
    expect(codes(cleared)).toContain('gpu_unknown');
    expect((await board('clear.2', { gpu })).data).toHaveLength(1);
  });

  it('is of the results that are named', async () => {
    const held = await submit(report('clear.3', { gpu: 'Frobnicator 7' }, [fast, slow]));
    const one = await review(held.id, { decision: 'clear', results: [held.results[1]?.id] });
    expect(statuses(one)).toEqual(['quarantined', 'accepted']);
    expect(one.status).toBe('quarantined');
    expect(await board('clear.3')).toMatchObject({ data: [{ value: 400 }], excluded: { quarantined: 1 } });
  });
});

describe('keeping', () => {
  it('changes nothing but what is told', async () => {
    const held = await submit(report('keep.1', { gpu: 'Frobnicator 8' }, [fast]));
    const kept = await review(held.id, { decision: 'keep', note: 'Nobody has seen this card.' });
    expect(kept).toEqual({
      ...held,
      reviews: [expect.objectContaining({ decision: 'keep', note: 'Nobody has seen this card.', mapping: null })],
    });
    expect((await board('keep.1')).data).toEqual([]);
  });
});

describe('the same bytes from two accounts', () => {
  const artifact = report('copy.1', { gpu: 'Frobnicator 10' }, [fast]);
  let first: Submission;
  let second: Submission;
  beforeAll(async () => {
    first = await submit(artifact);
    second = await submit(artifact, {}, await app.createAccount('copyist'));
  });

  it('count once wherever they stand, while one after the other is mapped', async () => {
    expect(second.results[0]?.copy_of).toBe(first.results[0]?.id);
    await review(first.id, { decision: 'map', gpu: 'h100-sxm' });
    // The copy stays behind, and is now what is held there.
    const alone = await app.get<Submission>(`/v1/submissions/${second.id}`);
    expect(alone.results[0]).toMatchObject({ status: 'quarantined', copy_of: null });
    expect(await board('copy.1')).toMatchObject({ data: [{ statistics: { n: 1 } }], excluded: { quarantined: 1 } });
    const mapped = await review(second.id, { decision: 'map', gpu: 'h100-sxm' });
    expect(mapped.results[0]).toMatchObject({ status: 'accepted', copy_of: first.results[0]?.id });
    expect(codes(mapped)?.filter((code) => code === 'copied_artifact')).toHaveLength(1);
    const { data, excluded } = await board('copy.1');
    expect(data).toMatchObject([{ statistics: { n: 1, runs: [{ result_id: first.results[0]?.id }] } }]);
    expect(excluded.quarantined).toBeUndefined();
    await expectStatisticsCurrent();
  });

  it('count by the one that was let in', async () => {
    const held = report('copy.2', {}, [impossible]);
    const original = await submit(held);
    const copy = await submit(held, {}, await app.createAccount('other-copyist'));
    const cleared = await review(copy.id, { decision: 'clear' });
    expect(cleared.results[0]?.copy_of).toBeNull();
    expect((await board('copy.2')).data).toMatchObject([{ statistics: { n: 1 } }]);
    await review(original.id, { decision: 'clear' });
    const { data } = await board('copy.2');
    expect(data).toMatchObject([{ statistics: { n: 1, runs: [{ result_id: original.results[0]?.id }] } }]);
    await expectStatisticsCurrent();
  });
});

describe('a refusal', () => {
  let held: Submission;
  beforeAll(async () => {
    held = await submit(report('refuse.1', { gpu: 'Frobnicator 11' }, [fast]));
  });
  const refusal = async (response: Response) => {
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const body = (await response.json()) as { code: string; errors?: Record<string, string>[] };
    return { status: response.status, ...body };
  };
  const clear = { decision: 'clear', note: 'x' };

  it('of who may not', async () => {
    expect(await refusal(await post(held.id, clear, { authorization: `Bearer ${key}` }))).toMatchObject({
      status: 403,
      code: 'scope_missing',
    });
    const nobody = await app.request(`/v1/submissions/${held.id}/review`, { method: 'POST', body: '{}' });
    expect(await refusal(nobody)).toMatchObject({ status: 401, code: 'key_missing' });
    expect((await app.request(`/v1/submissions/${held.id}/review`)).status).toBe(405);
  });

  it('of what is not there', async () => {
    for (const id of ['sub_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f', 'sub_', 'nonsense'])
      expect(await refusal(await post(id, clear))).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('of a body names every fault at once, and the nearest known name', async () => {
    const body = {
      decision: 'map',
      nots: 'x',
      note: '',
      results: [],
      gpu: 'H10O SXM',
      model: 'llama-3.1',
      quantization: 'fp7',
    };
    const { status, errors = [] } = await refusal(await post(held.id, body));
    expect(status).toBe(422);
    expect(new Set(errors.map(({ pointer }) => pointer))).toEqual(
      new Set(['/nots', '/note', '/results', '/gpu', '/model', '/quantization']),
    );
    const hints = Object.fromEntries(errors.map(({ pointer, hint }) => [pointer, hint]));
    expect(hints['/nots']).toBe('Did you mean "note"?');
    expect(hints['/gpu']).toContain('h100');
    expect(hints['/model']).toContain('llama-3.1-8b');
    expect(hints['/quantization']).toContain('fp8');
  });

  it.each<[string, unknown, string[]]>([
    ['nothing', {}, ['/decision', '/note']],
    ['no object', [], ['/']],
    ['an unknown decision', { ...clear, decision: 'approve' }, ['/decision']],
    ['a mapping of nothing', { decision: 'map', note: 'x' }, ['/decision']],
    ['names beside another decision', { ...clear, gpu: 'h100-sxm', model: 'llama-3.1-8b' }, ['/gpu', '/model']],
    ['a count', { decision: 'map', note: 'x', gpu: '8xH100 SXM' }, ['/gpu']],
    ['a fact that is known', { decision: 'map', note: 'x', model: 'llama-3.1-8b' }, ['/model']],
    ['a blank note', { decision: 'clear', note: ' \n' }, ['/note']],
    ['a long note', { decision: 'clear', note: 'x'.repeat(2001) }, ['/note']],
    [
      'a note with a key',
      { decision: 'clear', note: 'export OPENAI_API_KEY=sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD' },
      ['/note'],
    ],
    [
      'a result of nobody',
      { ...clear, results: ['res_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f', 'x'] },
      ['/results/0', '/results/1'],
    ],
  ])('of %s says where', async (_, body, pointers) => {
    const { status, code, errors = [] } = await refusal(await post(held.id, body));
    expect([status, code]).toEqual([422, 'request_invalid']);
    expect(errors.map(({ pointer }) => pointer)).toEqual(pointers);
  });

  it('of results that are not held, or of another submission', async () => {
    const other = await submit(report('refuse.2', {}, [fast, impossible]));
    const results = [other.results[0]?.id, held.results[0]?.id];
    const { status, errors } = await refusal(await post(other.id, { ...clear, results }));
    expect(status).toBe(422);
    expect(errors).toMatchObject([
      { pointer: '/results/0', message: expect.stringContaining('is not quarantined') },
      { pointer: '/results/1', message: expect.stringContaining('no result of this submission') },
    ]);
  });

  it('of what is no JSON, or too much', async () => {
    expect((await post(held.id, '{')).status).toBe(422);
    expect((await post(held.id, { ...clear, note: 'a\u0000b' })).status).toBe(422);
    expect((await post(held.id, clear, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(held.id, ' '.repeat(1024 * 1024 + 1))).status).toBe(413);
  });

  it('of a submission that holds nothing back, was retracted, or reads differently today', async () => {
    const fine = await submit(report('refuse.3', {}, [fast]));
    expect(await refusal(await post(fine.id, clear))).toMatchObject({ status: 409, code: 'nothing_to_review' });
    const { sql } = app.deps.database;
    const gone = await submit(report('refuse.4', { gpu: 'Frobnicator 12' }, [fast]));
    await sql`update submissions set status = 'retracted' where id = ${gone.id}`;
    expect(await refusal(await post(gone.id, clear))).toMatchObject({
      status: 409,
      code: 'submission_already_retracted',
    });
    const changed = await submit(report('refuse.5', { gpu: 'Frobnicator 13' }, [fast]));
    await sql`update results set line_to = line_to + 1 where submission_id = ${changed.id}`;
    const map = { decision: 'map', note: 'x', gpu: 'h100-sxm' };
    expect(await refusal(await post(changed.id, map))).toMatchObject({
      status: 409,
      code: 'artifact_reads_differently',
    });
    expect((await post(changed.id, clear)).status).toBe(200);
  });

  it('leaves everything as it was', async () => {
    expect(await app.get(`/v1/submissions/${held.id}`)).toEqual({ ...held, duplicate: false });
  });
});

describe('the examples of the reference', () => {
  it('are taken', async () => {
    const held = await submit(report('example.1', { gpu: 'Frobnicator 14' }, [fast, impossible]));
    await review(held.id, reviewExamples.map);
    expect((await review(held.id, reviewExamples.clear)).status).toBe('accepted');
  });
});

describe('at the same time', () => {
  it('one of two reviews decides, and the other finds nothing left', async () => {
    for (let round = 0; round < 5; round += 1) {
      const held = await submit(report(`race.${round}`, { gpu: 'Frobnicator 15' }, [fast, slow]));
      const answers = await Promise.all([
        post(held.id, { decision: 'map', gpu: 'h100-sxm', note: 'x' }),
        post(held.id, { decision: 'clear', note: 'y' }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(await app.get<Submission>(`/v1/submissions/${held.id}`)).toMatchObject({
        reviews: [{}],
        status: 'accepted',
      });
    }
    await expectStatisticsCurrent();
  });

  it('reviews and submissions that meet on a point all count', async () => {
    const held = await Promise.all(
      [1, 2, 3, 4].map((of) =>
        submit(report('meet', { gpu: `Frobnicator ${of}` }, [{ metrics: { output_tok_s: 100 + of } }])),
      ),
    );
    await Promise.all([
      ...held.map(({ id }) => review(id, { decision: 'map', gpu: 'h100-sxm' })),
      ...[5, 6, 7, 8].map((of) => submit(report('meet', {}, [{ metrics: { output_tok_s: 100 + of } }]))),
    ]);
    const { data } = await board('meet');
    expect(data).toMatchObject([{ value: 104.5, statistics: { n: 8 } }]);
    await expectStatisticsCurrent();
  });
});

describe('statistics after reviews', () => {
  it('are those of the results that stand there', async () => {
    const lines = (from: number): Line[] =>
      Array.from({ length: 12 }, (_, at) => ({
        metrics: {
          output_tok_s: 100 + ((from + at * 37) % 23),
          ttft_ms_mean: 40 + at,
          e2e_ms_mean: at % 4 === 0 ? 20 : 2200 * (1 + (at % 3)),
        },
        level: 1 + (at % 3),
      }));
    const held = await Promise.all(
      [0, 1, 2, 3, 4, 5].map((of) => submit(report('many', of % 2 === 0 ? {} : { gpu: 'Frobnicator 16' }, lines(of)))),
    );
    for (const [at, { id }] of held.entries()) {
      if (at % 2 === 1) await review(id, { decision: 'map', gpu: 'h100-sxm' });
      if (at % 3 === 0) await review(id, { decision: 'clear' });
    }
    const results = (await Promise.all(held.map(({ id }) => listResultsBySubmission(app.deps.database.db, id)))).flat();
    for (const level of [1, 2, 3]) {
      const values = results
        .filter((result) => result.status === 'accepted' && result.load_level === level)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .flatMap(({ output_tok_s: value }) => (value == null ? [] : [{ value, repeats: null }]));
      const { n, mean, ci95 } = pointStatistics(values);
      const { data, excluded } = await board('many', { load_level: String(level) });
      expect(data).toMatchObject([{ statistics: { n, mean, ci95 } }]);
      expect(excluded.quarantined).toBe(1);
    }
    await expectStatisticsCurrent();
  });
});
