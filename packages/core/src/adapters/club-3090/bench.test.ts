import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/club-3090-bench/${name}`, import.meta.url), 'utf8');
const read = (text: string, options = {}) => readArtifact(new TextEncoder().encode(text), options);
const dual = fixture('2026-05-dual.txt');
const prefill = fixture('2026-07-prefill.md');

// results/v0.20-migration/dual-bench.txt of noonghunna/club-3090
test('reads each prompt as a result of one user, with its runs as repeats', () => {
  const { tool, results } = read(dual);
  expect(tool.name).toBe('club-3090 bench.sh');
  expect(results.map(({ scenario }) => scenario.dataset?.value)).toEqual(['club-3090 narrative', 'club-3090 code']);
  expect(results[0]).toMatchObject({
    load: { mode: 'concurrency', level: 1 },
    metrics: {
      decode_tok_s: 69.25,
      user_tok_s: 69.25,
      ttft_ms_mean: 136,
      ttft_ms_max: 150,
      requests_ok: 5,
      output_tokens: 5000,
      // 5000 tokens in 14.79 + 14.54 + 14.33 + 14.32 + 14.91 s.
      output_tok_s: expect.closeTo(68.5965, 4),
    },
    definitions: { decode_tok_s: 'client', user_tok_s: 'client', ttft_ms: 'send_to_first_token', e2e_ms: 'request' },
    scenario: { lengths: { inputTokens: null, outputTokens: 1000 } },
    repeats: { n: 5, sd: { decode_tok_s: 1.29 }, samples: { decode_tok_s: [68.29, 69.49, 70.47, 70.42, 67.58] } },
    extra: { request_tok_s_mean: 68.61 },
  });
});

// https://github.com/noonghunna/club-3090/issues/707
test('reads the prefill speed of long prompts, but not of a log excerpt', () => {
  const { results, ignored } = read(prefill);
  expect(results[0]?.metrics).toEqual({
    requests_ok: 5,
    decode_tok_s: 88.89,
    user_tok_s: 88.89,
    ttft_ms_mean: 94,
    ttft_ms_min: 67,
    ttft_ms_max: 102,
  });
  expect(ignored).toEqual(['PP tok/s of code']);
  expect(results[1]).toMatchObject({
    system: { model: { value: 'qwen3.6-27b', origin: 'inferred' } },
    metrics: { prefill_tok_s: 1195.35, ttft_ms_mean: 8569, input_tokens: 30731 },
    definitions: { prefill_tok_s: 'client' },
    repeats: { n: 3, samples: { prefill_tok_s: [1201.34, 1201.03, 1183.68] } },
  });
  expect(results[1]?.metrics).not.toHaveProperty('output_tok_s');
});

test('omits a decode speed that was not measured', () => {
  const derived = prefill.replace('decode_TPS     mean=  88.89', 'decode_TPS     mean=  87.59');
  const [code] = read(derived).results;
  expect(code?.metrics).not.toHaveProperty('decode_tok_s');
  expect(code?.notes).toContainEqual(expect.objectContaining({ code: 'not_streamed' }));
});

test('reads the complete lines of a truncated summary', () => {
  const [first, second] = read(dual.slice(0, dual.lastIndexOf('max=95.43') + 7)).results;
  expect(first?.metrics.decode_tok_s).toBe(69.25);
  expect(second?.metrics).not.toHaveProperty('decode_tok_s');
});

test.each(['=== summary [all] (n=5) ===\n  mean=5\n', '=== 5 passed, summary [narrative] ===\n'])(
  'does not claim %j',
  (text) => {
    expect(() => read(text, { tool: 'club-3090-bench' })).toThrow(
      expect.objectContaining({ code: 'tool_unrecognised' }),
    );
  },
);
