import { expect, it } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';
import { useSubmissions } from '../testing/submissions.ts';

// Without a final newline, a shell prints its prompt right after the response.

const app = useTestApp({ sampleData: true });
const submissions = useSubmissions(app);
const authorization = `Bearer ${adminKey}`;

it('every JSON response ends with one newline, cached or new, success or error', async () => {
  const id = await submissions.make();
  const answers = [
    await submissions.post(),
    await submissions.post({ dry_run: 'true' }),
    await submissions.post({ full: 'true' }),
    await submissions.post({ bogus: '1' }),
    await app.request('/v1/me', { headers: { authorization } }),
    ...(await Promise.all(
      [`/v1/submissions/${id}`, '/v1/leaderboard', '/v1/leaderboard', '/v1/results', '/openapi.json', '/healthz'].map(
        (path) => app.request(path),
      ),
    )),
    await app.request('/v1/nothing'),
    await app.request('/v1/leaderboard?bogus=1'),
  ];
  for (const answer of answers) {
    const text = await answer.text();
    expect(text, answer.url).toMatch(/[^\n]\n$/);
    expect(answer.headers.get('content-type')).toMatch(/json/);
    JSON.parse(text);
  }
});
