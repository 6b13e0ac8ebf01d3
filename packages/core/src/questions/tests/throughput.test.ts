import { describe, expect, test } from 'vitest';
import { parseQuestion, type Question } from '../index.ts';

test.each([
  ['most tokens per second at 20 tok/s/user', 'output_tok_s', { min_user_tok_s: 20 }],
  ['highest throughput at 50 tok/s per user', 'output_tok_s', { min_user_tok_s: 50 }],
  ['most tps on h100 with ttft under 1s', 'output_tok_s', { gpu: ['h100'], max_ttft_ms_mean: 1000 }],
  ['most tokens per second per gpu at 20 tok/s/user', 'output_tok_s_per_gpu', { min_user_tok_s: 20 }],
  ['max throughput per GPU at an interactivity of 30', 'output_tok_s_per_gpu', { min_user_tok_s: 30 }],
  [
    'throughput per gpu interactivity 40 deepseek r1',
    'output_tok_s_per_gpu',
    { min_user_tok_s: 40, model: ['deepseek-r1'] },
  ],
  ['throughput per gpu at 100 tok/s/user interactivity', 'output_tok_s_per_gpu', { min_user_tok_s: 100 }],
  ['throughput per gpu at 30 tok/s interactivity', 'output_tok_s_per_gpu', { min_user_tok_s: 30 }],
  ['highest tok/s/gpu while keeping 50 tok/s/user', 'output_tok_s_per_gpu', { min_user_tok_s: 50 }],
])('ranks by the throughput under a limit: %s', (question, rankBy, filters) => {
  expect(parseQuestion(question)).toMatchObject({ rankBy, order: 'desc', saysRank: true, filters });
});

test.each<[string, Question['rankBy'], Question['filters']]>([
  [
    'highest throughput at 256 concurrency deepseek r1 per gpu',
    'output_tok_s_per_gpu',
    { load_mode: ['concurrency'], load_level: [256], model: ['deepseek-r1'] },
  ],
  ['deepseek r1 throughput on h200 per card', 'output_tok_s_per_gpu', { model: ['deepseek-r1'], gpu: ['h200'] }],
  ['tokens per second of deepseek r1 per user', 'user_tok_s', { model: ['deepseek-r1'] }],
  ['output speed of deepseek r1 per user', 'user_tok_s', { model: ['deepseek-r1'] }],
  ['cost of deepseek r1 per million tokens', 'usd_per_mtok_output', { model: ['deepseek-r1'] }],
])('joins a denominator to the metric before it: %s', (question, rankBy, filters) => {
  const read = parseQuestion(question);
  expect(read).toMatchObject({ rankBy, filters, ignored: [] });
  expect(read.interpretation.at(-1)?.meaning).toBe(`rank_by=${rankBy}`);
});

test.each(['ttft of deepseek r1 per gpu', 'cheapest gpu per user', 'best gpu per gpu'])(
  'a denominator without such a metric is not understood: %s',
  (question) => {
    expect(() => parseQuestion(question)).toThrow(/"per (?:gpu|user)" is not understood/);
  },
);

test('without a limit, the response chooses the speed', () => {
  expect(parseQuestion('most tokens per second on h100').saysRank).toBe(false);
});

describe('a percentile apart from its metric', () => {
  test.each<[string, Question['filters']]>([
    ['throughput with ttft below 500 ms p99', { max_ttft_ms_p99: 500 }],
    ['throughput with ttft under 2 s at p99', { max_ttft_ms_p99: 2000 }],
    ['p95 under 2 s ttft', { max_ttft_ms_p95: 2000 }],
  ])('belongs to it: %s', (question, filters) => {
    expect(parseQuestion(question).filters).toEqual(filters);
  });

  test.each<[string, Question['filters']]>([
    ['best gpu with a p99 ttft of 2 s', { max_ttft_ms_p99: 2000 }],
    ['cheapest that meets 2s ttft p99', { max_ttft_ms_p99: 2000 }],
    ['throughput of 8 h100', { gpu: ['h100'], gpu_count: [8] }],
  ])('next to it or to a number: %s', (question, filters) => {
    expect(parseQuestion(question).filters).toEqual(filters);
  });
});
