import { expect, test } from 'vitest';
import type { Run } from '../../../lib/api.ts';
import { toPointView } from './run-view.ts';

type Point = Run['points'][number];

const viewOf = (metrics: Record<string, number | null>) =>
  toPointView({
    ...{ key: 'chatbot/concurrency:8/1', repetition: 1, requests: 16, measured_at: '2026-01-15T09:30:00Z' },
    scenario: { id: 'chatbot', input_tokens: 1024, output_tokens: 256, dataset: null, depth: null, kernel: null },
    load: { mode: 'concurrency', level: 8, burstiness: null, max_concurrency: null },
    summary: { requests: { total: 16, ok: 16 }, metrics },
  } as Point);

test.each([
  [{ goodput_req_s: 12.25, goodput_share: 0.953 }, '12.25 (95 %)'],
  [{ goodput_req_s: 0, goodput_share: 0 }, '0 (0 %)'],
  // A single request has no rate.
  [{ goodput_req_s: null, goodput_share: 1 }, '100 %'],
  [{ goodput_req_s: null, goodput_share: null }, null],
  [{}, null],
])('the goodput of a point with %j is %j', (metrics, text) => {
  expect(viewOf(metrics).goodput).toBe(text);
});
