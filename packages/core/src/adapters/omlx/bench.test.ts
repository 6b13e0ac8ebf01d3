import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/omlx-bench/${name}`, import.meta.url), 'utf8');
const read = (text: string, options = {}) => readArtifact(new TextEncoder().encode(text), options).results;
const batches = read(fixture('2026-batches.md'));

// A report from a page of notes
test('reads all metrics of a single request', () => {
  expect(batches[0]).toMatchObject({
    system: {
      model: { value: 'MLX-Qwen3.5-27B-Claude-4.6-Opus-Reasoning-Distilled-4bit', origin: 'stated' },
      engine: { value: 'mlx', origin: 'inferred' },
    },
    scenario: { inputTokens: { value: 1024 }, outputTokens: { value: 128 } },
    load: { mode: 'concurrency', level: 1 },
    metrics: {
      ttft_ms_mean: 5093.5,
      tpot_ms_mean: 45.03,
      e2e_ms_mean: 10813,
      prefill_tok_s: 201,
      user_tok_s: 22.4,
      total_tok_s: 106.5,
    },
    definitions: { tpot_ms: 'without_first_token', prefill_tok_s: 'in_process', e2e_ms: 'request' },
    extra: { peak_memory_gb: 15.77 },
  });
  expect(batches).toHaveLength(8);
});

test('reads several requests as bursts, and no prefill speed from cache hits', () => {
  const [same, , different] = batches.slice(4);
  expect(same).toMatchObject({ load: { mode: 'burst', level: 2 }, system: { features: { prefix_caching: true } } });
  expect(same?.metrics).toEqual({ ttft_ms_mean: 19700.6, duration_s: 46.518, requests_ok: 2, decode_tok_s: 9.5 });
  expect(different?.metrics).toMatchObject({ prefill_tok_s: 100.9, decode_tok_s: 19.9, duration_s: 33.146 });
});

test('omits the decode speed if decoding began before the last prefill ended', () => {
  const staggered = fixture('2026-batches.md').replace('20306.5      33.146', '12306.5      33.146');
  expect(read(staggered)[6]?.metrics).not.toHaveProperty('decode_tok_s');
  expect(read(staggered)[6]?.extra).toMatchObject({ batch_tg_tok_s: 19.9 });
});

// https://github.com/jundot/omlx/issues/1097
test('reads a TTFT of minutes', () => {
  expect(read(fixture('2026-05-two-runs.md'))[1]?.metrics).toMatchObject({
    ttft_ms_mean: 510303.7,
    e2e_ms_mean: 515059,
  });
});

// https://github.com/jundot/omlx/issues/808
test('notes a short response of four tokens', () => {
  const [short, whole] = read(fixture('2026-short-answer.txt'));
  expect(short?.scenario.outputTokens).toBeNull();
  expect(short?.notes).toContainEqual(expect.objectContaining({ code: 'short_answers' }));
  expect(whole?.notes).toEqual([]);
});

test('rejects a truncated row', () => {
  expect(() => read(fixture('2026-cut.refused.txt'))).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ code: 'row_unreadable', line: 3 })] }),
  );
});

test.each(['Test  TTFT(ms)  TPOT(ms)\npp1024/tg128  5.0  4.0\n', 'Batch  tg TPS\n2x  5.0\n'])(
  'does not claim %j',
  (text) => {
    expect(() => read(text, { tool: 'omlx-bench' })).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
  },
);
