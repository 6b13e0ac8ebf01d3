import { expect, it } from 'vitest';
import { adminKey, answerOf, useTestApp } from '../testing/index.ts';
import { useSubmissions } from '../testing/submissions.ts';

// Findings and histories link to results by id: every link must work, even after the result left the boards.

const app = useTestApp();
const submissions = useSubmissions(app);

it('returns a result as in its submission, also after a retraction', async () => {
  const submission = await answerOf(await submissions.post());
  const { would_rank: _, ...whole } = submission.results[0] as unknown as { id: string; would_rank: null };
  const path = `/v1/results/${whole.id}`;
  expect(await app.get(path)).toEqual(whole);
  await submissions.change(submission.id, 'retract', { reason: 'The wrong file.' }, {}, adminKey);
  expect(await app.get(path)).toMatchObject({ id: whole.id, status: 'retracted' });
});

it('returns 404 for other ids', async () => {
  for (const id of ['res_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f', 'sub_1', 'x'])
    expect((await app.request(`/v1/results/${id}`)).status).toBe(404);
  expect((await app.request('/v1/results/res_1?bogus=1')).status).toBe(422);
});
