import { equal, ok } from 'node:assert/strict';
import { ask, askAll, isProblem, type Step } from './world.ts';

const lines = (text: string) => text.trimEnd().split('\n').length;

export const asking: readonly Step[] = [
  [
    'every process returns the same boards, answers, comparisons and pivots',
    async (world) => {
      const mine = `account=${world.accountName}`;
      const board = await askAll(world, `/v1/leaderboard?rank_by=decode_tok_s&${mine}&limit=200&full=true`);
      ok(board.data.length > 2);
      for (const { statistics, value } of board.data) ok(statistics.runs.length > 0 && Number.isFinite(value));
      const best = await askAll(world, `/v1/best?q=${encodeURIComponent('fastest quantization in decode-bound')}`);
      ok(best.interpretation.phrases.length > 0 && best.data.length > 0);
      isProblem(await ask(world, '/v1/best?q=purple+llamas', { expect: 422 }), 'query_not_understood');
      ok((await askAll(world, '/v1/pareto?x=itl_ms_mean&y=decode_tok_s')).data.length > 0);
      ok((await askAll(world, '/v1/matrix?rows=model&columns=gpu&metric=decode_tok_s')).rows.headings.length > 0);
      const [first, second] = world.systems;
      const compared = await askAll(world, `/v1/compare?system=${first}&system=${second}`);
      equal(compared.systems.length, 2);
      await askAll(world, `/v1/systems/${first}/report`);
      for (const kind of ['models', 'gpus', 'metrics', 'tools']) await askAll(world, `/v1/catalogue/${kind}`);
    },
  ],
  [
    'exports are complete',
    async (world) => {
      const query = `account=${world.accountName}`;
      const stored = world.submissions.reduce((sum, { results }) => sum + results, 0);
      const jsonl = await ask(world, `/v1/results.jsonl?${query}`);
      const csv = await ask(world, `/v1/results.csv?${query}`);
      equal(lines(csv.text), lines(jsonl.text) + 1);
      ok(lines(jsonl.text) > 200 && lines(jsonl.text) <= stored, `${lines(jsonl.text)} of ${stored}`);
      equal((await ask(world, `/v1/results.parquet?${query}`)).bytes.subarray(-4).toString(), 'PAR1');
    },
  ],
  [
    'responses support ETag, compression and HEAD',
    async (world) => {
      const path = '/v1/leaderboard?rank_by=decode_tok_s';
      const answer = await ask(world, path);
      const tag = answer.headers.get('etag') ?? '';
      ok(/^".+"$/.test(tag), `tag ${tag}`);
      ok(/^(?:br|gzip)$/.test(answer.headers.get('content-encoding') ?? ''), 'it is not packed');
      equal((await ask(world, path, { headers: { 'if-none-match': tag }, expect: 304 })).bytes.byteLength, 0);
      equal((await ask(world, path, { method: 'HEAD' })).headers.get('etag'), tag);
      const id = 'acceptance-request-1';
      equal((await ask(world, '/healthz', { headers: { 'x-request-id': id } })).headers.get('x-request-id'), id);
    },
  ],
  [
    'every page loads with its styles, and pasted text is checked without a key',
    async (world) => {
      const [first, second] = world.systems;
      const submission = world.submissions[0]?.id;
      const paths = ['/', '/matrix', '/submit', '/glossary', '/methodology', '/models', '/gpus', '/kernels'];
      const own = [`/systems/${first}`, `/compare?system=${first}&system=${second}`, `/submissions/${submission}`];
      for (const path of [...paths, ...own]) {
        const page = await ask(world, path);
        equal(page.headers.get('content-type'), 'text/html; charset=utf-8', path);
        ok(page.text.includes('</html>') && !page.text.includes('is not available'), path);
        const style = /<link rel="stylesheet" href="([^"]+)"/.exec(page.text)?.[1];
        if (style !== undefined) ok((await ask(world, style)).headers.get('content-type')?.startsWith('text/css'));
      }
      isPage404((await ask(world, '/no-such-page', { expect: 404 })).text);
      const body = new FormData();
      body.append('artifact', '| model | size | params | backend | ngl | test | t/s |\n');
      const tried = await ask(world, '/submit', { method: 'POST', body, expect: [200, 422] });
      ok(tried.text.includes('id="understood"'), 'the paste was not read');
      ok(!tried.text.includes('key is required'), 'the site may not try for its visitors');
      equal((await ask(world, '/og/board.png')).headers.get('content-type'), 'image/png');
    },
  ],
];

function isPage404(html: string): void {
  ok(html.includes('<title>Not found'), html.slice(0, 200));
}
