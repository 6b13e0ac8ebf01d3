import { beforeAll, describe, expect, it } from 'vitest';
import { fast, impossible, report, type Submission, useReviews } from '../testing/reviews.ts';

const { app, submit, post, submitterKey } = useReviews();

describe('a rejected review', () => {
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

  it('returns an error to clients that are not admins', async () => {
    expect(await refusal(await post(held.id, clear, { authorization: `Bearer ${submitterKey()}` }))).toMatchObject({
      status: 403,
      code: 'scope_missing',
    });
    const nobody = await app.request(`/v1/submissions/${held.id}/review`, { method: 'POST', body: '{}' });
    expect(await refusal(nobody)).toMatchObject({ status: 401, code: 'key_missing' });
    expect((await app.request(`/v1/submissions/${held.id}/review`)).status).toBe(405);
  });

  it('returns 404 for missing submissions', async () => {
    for (const id of ['sub_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f', 'sub_', 'nonsense'])
      expect(await refusal(await post(id, clear))).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('lists all errors of a body, with the closest known names', async () => {
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
    ['an empty object', {}, ['/decision', '/note']],
    ['a body that is not an object', [], ['']],
    ['an unknown decision', { ...clear, decision: 'approve' }, ['/decision']],
    ['a mapping without a target', { decision: 'map', note: 'x' }, ['/decision']],
    ['a mapping target and another decision', { ...clear, gpu: 'h100-sxm', model: 'llama-3.1-8b' }, ['/gpu', '/model']],
    ['a GPU count in the target', { decision: 'map', note: 'x', gpu: '8xH100 SXM' }, ['/gpu']],
    ['a fact that is already known', { decision: 'map', note: 'x', model: 'llama-3.1-8b' }, ['/model']],
    ['an empty note', { decision: 'clear', note: ' \n' }, ['/note']],
    ['a long note', { decision: 'clear', note: 'x'.repeat(2001) }, ['/note']],
    [
      'a note that contains a key',
      { decision: 'clear', note: 'export OPENAI_API_KEY=sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD' },
      ['/note'],
    ],
    [
      'an unknown result',
      { ...clear, results: ['res_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f', 'x'] },
      ['/results/0', '/results/1'],
    ],
  ])('with %s states the location', async (_, body, pointers) => {
    const { status, code, errors = [] } = await refusal(await post(held.id, body));
    expect([status, code]).toEqual([422, 'request_invalid']);
    expect(errors.map(({ pointer }) => pointer)).toEqual(pointers);
  });

  it('names results that are not held, or of another submission', async () => {
    const other = await submit(report('refuse.2', {}, [fast, impossible]));
    const results = [other.results[0]?.id, held.results[0]?.id];
    const { status, errors } = await refusal(await post(other.id, { ...clear, results }));
    expect(status).toBe(422);
    expect(errors).toMatchObject([
      { pointer: '/results/0', message: expect.stringContaining('is not quarantined') },
      { pointer: '/results/1', message: expect.stringContaining('not a result of this submission') },
    ]);
  });

  it('has a body that is not JSON or too large', async () => {
    expect((await post(held.id, '{')).status).toBe(422);
    expect((await post(held.id, { ...clear, note: 'a\u0000b' })).status).toBe(422);
    expect((await post(held.id, clear, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(held.id, ' '.repeat(1024 * 1024 + 1))).status).toBe(413);
  });

  it('is for a submission that has no held results, is retracted, or reads differently now', async () => {
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

  it('changes nothing', async () => {
    expect(await app.get(`/v1/submissions/${held.id}`)).toEqual({ ...held, duplicate: false });
  });
});
