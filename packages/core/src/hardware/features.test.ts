import { describe, expect, test } from 'vitest';
import type { Result } from '../subjects/result.ts';
import { makeRequest } from '../testing/requests.ts';
import { makeResult, makeSystem, type SystemWords } from '../testing/result.ts';
import { isOffloaded } from './offload.ts';
import { uncachedShare } from './prefix-cache.ts';
import { tokensPerStep } from './speculation.ts';
import { isOn } from './switches.ts';

type Features = SystemWords['features'];
type Extra = Result['extra'];

test.each([true, 1, -1, 'on', 'true', 'eagle', '1', 'q8_0'])('treats %j as on', (value) =>
  expect(isOn(value)).toBe(true),
);
test.each([undefined, null, false, 0, '', '0', 'off', 'Off ', 'no', 'none', 'FALSE', 'disabled'])(
  'treats %j as off',
  (value) => expect(isOn(value)).toBe(false),
);

describe('tokens per step', () => {
  test.each<[Features, Extra, number | null]>([
    [{}, {}, 1],
    [{ flash_attention: true }, {}, 1],
    [{ draft_tokens: 3 }, {}, 4],
    [{ num_speculative_tokens: 5, speculative_decoding: true }, {}, 6],
    [{ speculative_num_steps: 3, speculative_num_draft_tokens: 16 }, {}, 17],
    [{ draft_tokens: '3' }, {}, 4],
    [{ draft_tokens: 0 }, {}, 1],
    [{ draft_tokens: 0, speculative_decoding: true }, {}, null],
    [{ draft_tokens: 'many' }, {}, null],
    [{ draft_tokens: -1 }, {}, null],
    [{ speculative_decoding: true }, {}, null],
    [{ speculative_decoding: false }, {}, 1],
    [{ spec_decode: 'off' }, {}, 1],
    [{ mtp: true }, {}, null],
    [{ draft_model: 'llama-3.2-1b' }, {}, null],
    [{}, { acc_length: 2.5 }, null],
    [{}, { acc_length: 1 }, 1],
    [{ draft_tokens: 3 }, { acc_length: 2.5 }, 4],
    [{}, { drafts: 200, draft_tokens: 600 }, 4],
    [{}, { acceptance_rate_percent: 60 }, null],
    [{}, { drafts: 0, draft_tokens: 0 }, 1],
  ])('for %j, counted %j: %j', (features = {}, extra, expected) => {
    expect(tokensPerStep(makeSystem({ features }), extra)).toBe(expected);
  });
});

describe('weights outside GPU memory', () => {
  test.each<[Features, Extra, boolean]>([
    [{}, {}, false],
    [{ offload: true }, {}, true],
    [{ offload: 20 }, {}, true],
    [{ offload: 'none' }, {}, false],
    [{ offload: 0 }, {}, false],
    [{ cpu_offload_gb: 10 }, {}, true],
    [{ n_cpu_moe: 12 }, {}, true],
    [{ n_cpu_moe: 0 }, {}, false],
    [{ override_tensor: 'exps=CPU' }, {}, true],
    [{ override_tensor: 'exps=CUDA1' }, {}, false],
    // Llama 3.1 8B has 32 layers.
    [{}, { n_gpu_layers: 31 }, true],
    [{}, { n_gpu_layers: 32 }, false],
    [{}, { n_gpu_layers: 99 }, false],
    [{}, { n_gpu_layers: -1 }, false],
    [{ n_gpu_layers: 0 }, {}, true],
  ])('for %j, %j: %j', (features = {}, extra, expected) => {
    expect(isOffloaded(makeResult({ system: { model: 'llama-3.1-8b', features }, extra }))).toBe(expected);
  });

  test('are assumed for n_gpu_layers 40 but not 99 if the number of layers is unknown', () => {
    expect(isOffloaded(makeResult({ extra: { n_gpu_layers: 40 } }))).toBe(true);
    expect(isOffloaded(makeResult({ extra: { n_gpu_layers: 99 } }))).toBe(false);
  });
});

describe('prompt tokens not served from a cache', () => {
  const share = (features: Features, counted: readonly [input: number | null, cached: number | null][] | null) => {
    const requests = counted?.map(([inputTokens, cachedTokens]) => makeRequest({ inputTokens, cachedTokens })) ?? [];
    const records = { requests, stated: {}, statedDefinitions: {}, figures: [], certificates: {} };
    return uncachedShare(
      makeResult({ system: { features: features ?? {} }, records: counted === null ? null : records }),
    );
  };

  test.each<[Features, readonly [number | null, number | null][] | null, number | null]>([
    [{}, null, 1],
    [{ prefix_caching: false }, null, 1],
    [{ prefix_caching: true }, null, null],
    [{ prefix_caching: true }, [[100, null]], null],
    [{ prefix_caching: true }, [[null, 100]], null],
    [
      { prefix_caching: true },
      [
        [100, 50],
        [300, 50],
      ],
      0.75,
    ],
    [
      {},
      [
        [100, 50],
        [300, null],
      ],
      0.5,
    ],
    [{}, [[100, 130]], 0],
    [{}, [[0, 0]], 1],
  ])('for %j, counted %j: %j', (features, counted, expected) => {
    expect(share(features, counted)).toBe(expected);
  });
});
