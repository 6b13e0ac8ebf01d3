import { expect, test } from 'vitest';
import { findModel, findSloPreset, presetLimits, sloPresets } from './index.ts';

// A preset with an unknown model name would never be offered.
test('refer to models of the catalogue', () => {
  expect(sloPresets).toHaveLength(11);
  for (const { id, model } of sloPresets) expect(findModel(model)?.id, id).toBe(model);
});

test.each([
  ['mlperf-llama3.1-8b-server', 2000, 100],
  ['mlperf-llama3.1-8b-interactive', 500, 30],
  ['mlperf-llama2-70b-server', 2000, 200],
  ['mlperf-llama2-70b-interactive', 450, 40],
  ['mlperf-llama3.1-405b-server', 6000, 175],
  ['mlperf-llama3.1-405b-interactive', 4500, 80],
  ['mlperf-mixtral-8x7b-server', 2000, 200],
  ['mlperf-deepseek-r1-server', 2000, 80],
  ['mlperf-deepseek-r1-interactive', 1500, 15],
  ['mlperf-gpt-oss-120b-server', 3000, 80],
  ['mlperf-gpt-oss-120b-interactive', 2000, 15],
])('%s has a TTFT limit of %d ms and a TPOT limit of %d ms', (id, ttftMs, tpotMs) => {
  const preset = findSloPreset(id);
  expect(preset && presetLimits(preset)).toEqual({ ttftMs, itlMs: null, tpotMs, e2eMs: null });
});

test('returns null for an unknown id', () => {
  expect(findSloPreset('mlperf-llama3.1-8b')).toBeNull();
});
