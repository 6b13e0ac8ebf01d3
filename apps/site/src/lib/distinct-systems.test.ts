import { expect, test } from 'vitest';
import type { System } from './api.ts';
import { distinguishingFacts, hardwareTexts, rowNames } from './distinct-systems.ts';

const widths = { tensor: null, pipeline: null, data: null, expert: null };

/** A system with these features; a new id for each. */
const systemOf = (
  id: string,
  features: System['features'] = {},
  parallelism: Partial<System['parallelism']> = {},
  name = 'Qwen3 8B',
) =>
  ({
    ...{ id, features, parallelism: { ...widths, ...parallelism } },
    ...{ model: { title: name }, quantization: { recipe: [] } },
  }) as unknown as System;

const factsOf = (...systems: System[]) => {
  const facts = distinguishingFacts(systems, ({ model }) => model.title);
  return systems.map(({ id }) => facts.get(id));
};

test('systems of the same name get the facts in which they differ', () => {
  const eagle = { speculative_algorithm: 'EAGLE3', speculative_num_draft_tokens: 16, flash_attention: true };
  expect(factsOf(systemOf('a', eagle), systemOf('b', { flash_attention: true }))).toEqual([
    ['speculative decoding with EAGLE3'],
    [],
  ]);
  expect(factsOf(systemOf('a', eagle), systemOf('b', { ...eagle, speculative_num_draft_tokens: 4 }))).toEqual([
    ['16 draft tokens'],
    ['4 draft tokens'],
  ]);
});

test.each([
  [systemOf('a', {}, { expert: 8 }), ['expert parallelism 8']],
  [systemOf('a', { prefill_workers: 2, decode_workers: 4 }), ['2 prefill + 4 decode workers']],
  [systemOf('a', { speculative_decoding: true }), ['speculative decoding']],
  [systemOf('a', { enable_chunked_prefill: false }), ['without chunked prefill']],
  [systemOf('a', { disable_radix_cache: true }), ['without radix cache']],
  [systemOf('a', { prefill_tensor_parallel: 8 }), ['prefill tensor parallelism 8']],
  [systemOf('a', { kv_cache_dtype: 'fp8' }), ['kv cache dtype fp8']],
])('writes a fact in words: %#', (system, facts) => {
  expect(factsOf(system, systemOf('b'))).toEqual([facts, []]);
});

test('all systems of a name get at most three facts, and none that separates no further systems', () => {
  const made = [1, 2, 4, 8, 16].flatMap((tensor) =>
    ['fp8', 'bf16'].map((kv_cache_dtype) =>
      systemOf(`${tensor}${kv_cache_dtype}`, { kv_cache_dtype, replicas: tensor }, { tensor }),
    ),
  );
  for (const facts of factsOf(...made)) expect(facts).toHaveLength(2);
  const different = [0, 1, 2, 3, 4].map((at) => systemOf(`${at}`, { [`feature_${at}`]: true }));
  for (const facts of factsOf(...different)) expect(facts?.length).toBeLessThanOrEqual(3);
});

test('the submitter comes before names that only the submitter knows', () => {
  const published = (id: string, submitter: string) =>
    systemOf(id, { platform: `${submitter}_8x_TRT`, server: `Server of ${submitter}`, submitter });
  expect(factsOf(published('a', 'Dell'), published('b', 'Cisco'))).toEqual([['submitter Dell'], ['submitter Cisco']]);
});

test('systems that are equal in these three get further facts', () => {
  const systems = [1, 2, 3, 4, 5, 6].map((at) =>
    systemOf(`${at}`, { ...Object.fromEntries(Array.from({ length: 6 }, (_, name) => [`f${name}`, name < at])) }),
  );
  const names = factsOf(...systems).map((facts) => JSON.stringify(facts));
  expect(new Set(names).size).toBe(6);
});

test('a system with its own name, or with several rows, gets no facts', () => {
  const one = systemOf('a', { replicas: 2 });
  expect(factsOf(one, systemOf('b', {}, {}, 'Llama 3.1 8B'))).toEqual([[], []]);
  expect(factsOf(one, one)).toEqual([[], []]);
});

test('rows and lists have the facts after the hardware', () => {
  const full = (id: string, features: System['features']) =>
    ({
      ...systemOf(id, features),
      quantization: { name: 'fp8', recipe: [] },
      ...{ gpu: { name: 'h100', title: 'H100' }, gpu_count: 1, gpu_power_limit_w: null },
      engine: { name: 'sglang', title: 'SGLang 0.5.3' },
      model: { name: 'qwen3-8b', title: 'Qwen3 8B' },
    }) as unknown as System;
  const systems = [full('a', { speculative_algorithm: 'EAGLE3' }), full('b', {})];
  const texts = ['H100 · SGLang 0.5.3 · speculative decoding with EAGLE3', 'H100 · SGLang 0.5.3'];
  expect([...rowNames(systems, null).values()].map(({ rest }) => rest)).toEqual(texts);
  expect([...hardwareTexts(systems).values()]).toEqual(texts);
});
