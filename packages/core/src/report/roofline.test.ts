import { describe, expect, test } from 'vitest';
import type { System } from '../subjects/system.ts';
import { pointOf } from '../testing/report-grid.ts';
import { reportOf } from './index.ts';

const system = (over: Partial<System> = {}): System => ({
  model: { id: 'llama-3.1-8b', family: null, name: 'Llama 3.1 8B' },
  quantization: { id: 'fp8', name: 'fp8', recipe: [] },
  gpu: { id: 'h100-sxm', family: 'h100', name: 'H100 SXM' },
  gpuCount: 1,
  gpuPowerLimitW: null,
  engine: { id: 'vllm', name: 'vLLM', version: null },
  parallelism: { tensor: null, pipeline: null, data: null, expert: null },
  features: {},
  ...over,
});

const points = [
  pointOf('chatbot', ['concurrency', 1], { user_tok_s: 200 }),
  pointOf('chatbot', ['concurrency', 32], { user_tok_s: 100 }),
  pointOf('tool-calling', ['concurrency', 32], { user_tok_s: 20 }),
];

describe('hardware limits', () => {
  const report = reportOf(points, 3, system());
  const [chatbot, tools] = report.peak?.rooflineUserTokS ?? [];

  // Weights of 7.505 billion bytes and 1,024 tokens of 131,072 bytes at 3350 GB/s.
  test('bound a single user by reads of the weights and one context', () => {
    const alone = chatbot?.values[0];
    expect(alone).toMatchObject({ metric: 'user_tok_s', unit: 'tok/s', definition: 'at_most', derived: true, n: null });
    expect(alone?.value).toBeCloseTo(3350e9 / (7.505e9 + 1024 * 131_072), 1);
  });

  test('bound each of 32 users by a step that reads all contexts', () => {
    expect(chatbot?.values[1]?.value).toBeCloseTo(3350e9 / (7.505e9 + 32 * 1024 * 131_072), 1);
    expect(tools?.values[0]?.value).toBeCloseTo(3350e9 / (7.505e9 + 32 * 32_768 * 131_072), 1);
  });

  test('are stated in the sentence, with the share reached', () => {
    const found = report.findings.find(({ id }) => id === 'peak_roofline');
    expect(found?.sentence).toMatch(
      /^The fastest user got 200 tok\/s \(Chatbot, single request\); .* allow at most 438\.5 tok\/s there: 46 % of the roofline\./,
    );
    // 20 of 23.11 tok/s.
    expect(found?.sentence).toMatch(
      /Closest to its roofline is 20 tok\/s \(Tool-calling agent, 32 concurrent\), with 87 %\.$/,
    );
  });
});

test('lists the unknown facts instead of a bound', () => {
  const unknown = reportOf(points, 3, system({ gpu: { id: null, family: null, name: 'secret' } }));
  expect(unknown.peak?.rooflineUserTokS).toEqual([]);
  expect(unknown.peak?.rooflineMissing).toEqual(['a GPU of the catalogue and how many']);
  expect(unknown.findings.find(({ id }) => id === 'peak_roofline')).toBeUndefined();
});

test('are missing without a system', () => {
  expect(reportOf(points).peak?.rooflineUserTokS).toEqual([]);
});

describe('a speed above the roofline', () => {
  // The limit is 438.5 tok/s.
  const impossible = reportOf(
    [pointOf('chatbot', ['concurrency', 1], { user_tok_s: 900, itl_ms_mean: 1.1 })],
    3,
    system(),
  );
  const judged = impossible.findings.filter(({ evidence }) => evidence.length > 0);

  test('is never judged as good', () => {
    expect(judged.map(({ id }) => id)).toEqual(expect.arrayContaining(['peak_decode_speed', 'peak_speed', 'peak_itl']));
    expect(judged.filter(({ severity }) => severity === 'good')).toEqual([]);
    for (const id of ['peak_decode_speed', 'peak_speed', 'peak_itl'])
      expect(judged.find((each) => each.id === id)?.sentence).toMatch(/above the limit of the stated hardware/);
  });

  test('is judged as bad in the sentence on the roofline', () => {
    const found = impossible.findings.find(({ id }) => id === 'peak_roofline');
    expect(found?.severity).toBe('bad');
    expect(found?.sentence).toMatch(
      /205 % of the roofline\. Above 100 % the figure or the stated hardware is wrong\.$/,
    );
  });

  test('does not affect a possible speed', () => {
    const report = reportOf([pointOf('chatbot', ['concurrency', 1], { user_tok_s: 400 })], 3, system());
    expect(report.findings.find(({ id }) => id === 'peak_speed')?.severity).toBe('good');
  });
});
