import { expect, test } from 'vitest';
import type { Run } from '../../../lib/api.ts';
import { omittedText, runFacts, toPointView, toRunVerdict } from './run-view.ts';

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

test.each([
  ['agentic, burst of 256', 'agentic, burst of 256: more requests at a time than the limit'],
  // Of an earlier release.
  [null, 'agentic/burst:256/1: more requests at a time than the limit'],
])('a skipped point with the title %j', (title, text) => {
  expect(omittedText({ key: 'agentic/burst:256/1', title, reason: 'above_concurrency' })).toBe(text);
});

const limits = { requests: null, tokens: null, duration_s: null, concurrency: null, max_errors: null };
const request = { repetitions: null, until: null, warmup: null, seed: 1, slo: null, limits };
const times = { started_at: null, ended_at: null };
const noFacts = {
  ...{ gpu: null, gpu_count: null, gpu_power_limit_w: null, quantization: null },
  ...{ engine: null, engine_version: null, tensor_parallel: null },
};

test.each([
  [{}, ['not stated', 'not stated', 'not stated']],
  [{ gpu: 'h100-sxm', quantization: 'bf16', engine: 'vllm' }, ['h100-sxm', 'bf16', 'vllm']],
  [
    { gpu: 'h100-sxm', gpu_count: 2, gpu_power_limit_w: 500, engine: 'vllm', engine_version: '0.11.0' },
    ['2x h100-sxm, 500 W', 'not stated', 'vllm 0.11.0'],
  ],
])('the system of an endpoint with %j', (facts, values) => {
  const endpoint = { id: 'ep', name: null, model: 'm', facts: { ...noFacts, ...facts } };
  const run = {
    endpoint,
    plan: [],
    ...{ request, points: [], omitted: [], capacity: null },
    created_at: '2026-01-15T09:30:00Z',
    ...times,
  } as unknown as Run;
  const shown = new Map(runFacts(run).map(({ fact, value }) => [fact, value]));
  expect(['GPU', 'Quantization', 'Engine'].map((fact) => shown.get(fact))).toEqual(values);
});

const retry = {
  ...{ message: 'The request to the endpoint failed: it refused the connection.', failed_at: '2026-01-15T09:30:00Z' },
  ...{ next_attempt_at: '2026-01-15T09:30:10Z', attempts_failed: 2, attempts_max: 6 },
};
const progress = { points_done: 0, points_total: 2, requests_done: 0, requests_total: 20, eta_s: null };

test.each([
  ['pending', retry, 'Waiting to try again', [`${retry.message} Attempt 2 of 6 failed. Next attempt at 09:30:10 UTC.`]],
  ['running', { ...retry, next_attempt_at: null }, 'Measuring', [`${retry.message} Attempt 2 of 6 failed.`]],
  ['claimed', { ...retry, next_attempt_at: null, attempts_failed: null }, 'Preparing', [retry.message]],
  ['pending', null, 'Waiting', []],
])('a run in the state %s that is retried because of %j', (state, reason, title, reasons) => {
  const run = {
    state,
    progress,
    request,
    capacity: null,
    cut_short: null,
    submissions: [],
    failure: null,
    retry: reason,
  } as unknown as Run;
  expect(toRunVerdict(run)).toMatchObject({ title, reasons });
});

test.each([
  ['processed', null, 'Done', 'good', []],
  [
    ...(['processed', { points: 1, last_error: 'status 503: "overloaded"' }, 'Done, with partial points'] as const),
    ...(['warn', ['1 of 3 measured points is partial. Last error: status 503: "overloaded".']] as const),
  ],
  ['canceled', { points: 2, last_error: null }, 'Canceled', 'bad', ['2 of 3 measured points are partial.']],
])('a run that ended as %s with points cut short: %j', (state, cut_short, title, tone, reasons) => {
  const ended = { ...progress, points_done: 3, points_total: 3 };
  const run = {
    state,
    progress: ended,
    request,
    capacity: null,
    cut_short,
    submissions: [],
    failure: null,
    retry: null,
  };
  expect(toRunVerdict(run as unknown as Run)).toMatchObject({ title, tone, reasons });
});
