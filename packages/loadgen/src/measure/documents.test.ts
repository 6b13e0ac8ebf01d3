import { expect, test } from 'vitest';
import type { FakeOptions } from '../fake-server/options.ts';
import { withFakeServer } from '../fake-server/testing/with-fake-server.ts';
import { summariseLoad } from './records/summarise-load.ts';
import { measureHere } from './testing/measure-here.ts';
import { planFor } from './testing/plans.ts';

const measure = (options: Partial<FakeOptions>, path = '/v1/embeddings') =>
  withFakeServer({ ttftMs: 20, ...options }, (port) => {
    const body = JSON.stringify({ model: 'm', input: 'one two three', query: 'q', documents: ['a', 'b'] });
    const bodies = Array.from({ length: 4 }, () => body);
    return measureHere(
      planFor(port, 4, { path, bodies, hasDocuments: true, pace: { mode: 'closed', concurrency: 1 } }),
    );
  });

test.each(['/v1/embeddings', '/v1/rerank'])('%s: measures the time to the end of the document', async (path) => {
  const record = await measure({}, path);
  const summary = summariseLoad(record, { asked: 1 });
  expect(summary.by_outcome.ok).toBe(4);
  expect(summary.latencies).toMatchObject({ ttft_from_sent: null, itl_per_chunk: null, tpot_per_token: null });
  expect(summary.latencies.e2e_from_sent?.p50).toBeGreaterThan(19);
  expect(summary.throughput?.req_s).toBeGreaterThan(1);
  expect(summary.prompt_tokens).toBeGreaterThan(0);
  expect(summary).toMatchObject({ token_source: null, shortfall: null, output_tokens: 0 });
});

test.each([
  ['status_500', 'http_5xx', /out of memory/],
  ['empty', 'empty', /^$/],
  ['cut', 'disconnected', /./],
] as const)('records a document that is %s', async (kind, outcome, words) => {
  const record = await measure({ fault: { kind, every: 2, at: 0 } });
  expect(record.requests.map((request) => request.outcome)).toEqual(['ok', outcome, 'ok', outcome]);
  expect(record.requests[1]?.outcome_detail ?? '').toMatch(words);
});

test('records a document without results as empty', async () => {
  const record = await measure({}, '/v1/completions');
  expect(record.requests.every(({ outcome }) => outcome === 'empty')).toBe(true);
});
