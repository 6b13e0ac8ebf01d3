import { describe, expect, test } from 'vitest';
import { type Fact, noFacts, noScenario, type ParsedResult, type SystemFacts } from '../../adapters/adapter.ts';
import type { Parameters } from '../parameters.ts';
import { resolveSystem, type SystemOutcome } from './resolve-system.ts';

const stated = <T>(value: T): Fact<T> => ({ value, origin: 'stated' });
const inferred = <T>(value: T): Fact<T> => ({ value, origin: 'inferred' });

function parsed(system: Partial<SystemFacts>, kind: ParsedResult['kind'] = 'serving'): ParsedResult {
  return {
    kind,
    system: { ...noFacts, ...system },
    scenario: noScenario,
    load: { mode: 'concurrency', level: 1 },
    repetition: null,
    metrics: { itl_ms_mean: 10 },
    definitions: {},
    repeats: null,
    requests: null,
    limits: null,
    extra: {},
    notes: [],
    measuredAt: null,
    lines: { from: 1, to: 1 },
  };
}

const resolve = (facts: Partial<SystemFacts>, given: Parameters = {}) => resolveSystem(parsed(facts), given);
const faultsOf = ({ faults }: SystemOutcome) => faults.map((fault) => `${fault.code} ${fault.parameter}`);
const codesOf = ({ findings }: SystemOutcome) => findings.map((finding) => finding.code);

/** Complete facts, for tests of a single fact. */
const complete = { model: stated('llama-3.1-8b'), quantization: stated('fp8'), gpu: stated('h100-sxm') };

describe('required facts', () => {
  test.each<[ParsedResult['kind'], string[]]>([
    ['serving', ['model_missing model', 'gpu_missing gpu', 'quantization_missing quantization']],
    ['kernel', ['gpu_missing gpu']],
    ['training', ['model_missing model', 'gpu_missing gpu']],
  ])('of a %s result are %j, all reported at once', (kind, expected) => {
    expect(faultsOf(resolveSystem(parsed({}, kind), {}))).toEqual(expected);
  });

  test('are reported with how to pass or decline them', () => {
    const [fault] = resolve({}).faults;
    expect(fault?.message).toBe('The artifact does not state the model.');
    expect(fault?.hint).toContain('model=meta-llama/Llama-3.1-8B-Instruct');
    expect(fault?.hint).toContain('model=unspecified');
  });

  test('can be declined', () => {
    const { system, faults } = resolve({}, { model: 'unspecified', gpu: 'unspecified', quantization: 'unspecified' });
    expect(faults).toEqual([]);
    expect(system).toMatchObject({
      model: { id: null, family: null, name: 'unspecified' },
      quantization: { id: null, name: 'unspecified' },
      gpu: { id: null, family: null, name: 'unspecified' },
      gpuCount: null,
    });
  });

  // Rows, labels and checks use one spelling of the word.
  test.each(['Unspecified', 'UNSPECIFIED'])('can be declined with %s', (word) => {
    const { system } = resolve({}, { model: word, gpu: word, quantization: word });
    expect([system.model.name, system.gpu.name, system.quantization.name]).toEqual(Array(3).fill('unspecified'));
  });

  test('do not include the model and quantization of a kernel', () => {
    const { system, faults } = resolveSystem(parsed({ gpu: stated('h100-sxm') }, 'kernel'), {});
    expect(faults).toEqual([]);
    expect(system.model).toEqual({ id: null, family: null, name: 'n/a' });
    expect(system.quantization).toEqual({ id: null, name: 'n/a', recipe: [] });
    expect(system.engine).toEqual({ id: null, name: 'unspecified', version: null });
  });

  test('do not include the engine', () => {
    expect(resolve(complete)).toMatchObject({ faults: [], system: { engine: { id: null, name: 'unspecified' } } });
  });
});

describe('two spellings of one GPU', () => {
  const gpuOf = (given: string, found: Fact<string>, rest: Partial<SystemFacts> = {}) =>
    resolve({ ...complete, gpu: found, ...rest }, { gpu: given });

  test.each([
    ['the same', 'h100-sxm', 'NVIDIA H100 80GB HBM3', 'h100-sxm'],
    ['the family and the variant', 'H100', 'NVIDIA H100 80GB HBM3', 'h100-sxm'],
    ['the variant and the family', 'h100-sxm', 'H100', 'h100-sxm'],
    ['case', 'FROBNICATOR 9000', 'Frobnicator  9000', null],
  ])('match: %s', (_, given, found, id) => {
    const { system, faults } = gpuOf(given, stated(found));
    expect(faults).toEqual([]);
    expect(system.gpu.id).toBe(id);
  });

  test('match if both are the same family', () => {
    expect(gpuOf('H100', stated('NVIDIA H100'))).toMatchObject({
      faults: [],
      system: { gpu: { id: null, family: 'h100' } },
    });
  });

  test.each([
    ['variants of one family', 'h100-sxm', 'h100-pcie'],
    ['families', 'H100', 'A100'],
    ['a variant and another family', 'h100-sxm', 'A100'],
    ['a known and an unknown one', 'h100-sxm', 'Frobnicator 9000'],
    ['an unknown and a known one', 'Frobnicator 9000', 'h100-sxm'],
    ['counts', '4xH100', '8xH100'],
  ])('contradict: %s', (_, given, found) => {
    expect(faultsOf(gpuOf(given, stated(found)))).toContain('facts_contradict gpu');
  });

  test('override a hint with the given value, with a finding', () => {
    const outcome = gpuOf('h100-sxm', inferred('a100-sxm4-80gb'));
    expect(outcome.system.gpu.id).toBe('h100-sxm');
    expect(codesOf(outcome)).toContain('gpu_hint_differs');
  });

  // Throughput per GPU would be eight times too high.
  test.each([
    ['given with the family, found without', '8xH100', 'H100'],
    ['given with the family, found with the variant', '8xH100', 'NVIDIA H100 80GB HBM3'],
    ['found with the family, given the variant', 'h100-sxm', '8xH100'],
    ['found with the variant, given the variant', 'h100-sxm', '8x NVIDIA H100 80GB HBM3'],
    ['given and found', '8xH100', '8 x H100 SXM'],
  ])('keep the count in a name: %s', (_, given, found) => {
    const outcome = gpuOf(given, stated(found));
    expect(outcome.faults).toEqual([]);
    expect(outcome.system.gpuCount).toBe(8);
    expect(codesOf(outcome)).not.toContain('gpu_count_assumed');
  });
});

describe('the number of GPUs', () => {
  test.each<[string, Partial<SystemFacts>, Parameters, number]>([
    ['is the given one', {}, { gpu_count: 4 }, 4],
    ['is that of the artifact', { gpuCount: stated(4) }, {}, 4],
    ['is the given one if the artifact agrees', { gpuCount: stated(4) }, { gpu_count: 4 }, 4],
    ["is read from the GPU's name", { gpu: stated('4xH100') }, {}, 4],
    ['is the given one if the name agrees', { gpu: stated('4xH100') }, { gpu_count: 4 }, 4],
    ['is read from names listed once per device', { gpu: stated('NVIDIA L4, NVIDIA L4') }, {}, 2],
    ['is the tensor-parallel width', { parallelism: { tensor: 2 } }, {}, 2],
    ['is the given tensor-parallel width', {}, { tensor_parallel: 2 }, 2],
    ['is the given one, regardless of the width', { parallelism: { tensor: 2 } }, { gpu_count: 8 }, 8],
    ['is read from the name before the width', { gpu: stated('8xH100'), parallelism: { tensor: 4 } }, {}, 8],
  ])('%s', (_, facts, given, count) => {
    const outcome = resolve({ ...complete, ...facts }, given);
    expect(outcome.faults).toEqual([]);
    expect(outcome.system.gpuCount).toBe(count);
    expect(codesOf(outcome)).toEqual([]);
  });

  test('is assumed to be one if not stated, with a finding', () => {
    const outcome = resolve(complete);
    expect(outcome.system.gpuCount).toBe(1);
    expect(codesOf(outcome)).toEqual(['gpu_count_assumed']);
  });

  test('is unknown for an unspecified GPU', () => {
    const outcome = resolve({ ...complete, gpu: null }, { gpu: 'unspecified' });
    expect(outcome.system.gpuCount).toBeNull();
    expect(codesOf(outcome)).toEqual([]);
  });

  test.each<[string, Partial<SystemFacts>, Parameters]>([
    ['given and stated', { gpuCount: stated(4) }, { gpu_count: 8 }],
    ['given and named', { gpu: stated('4xH100') }, { gpu_count: 8 }],
    ['stated and named in the parameters', { gpu: null, gpuCount: stated(8) }, { gpu: '4xH100' }],
  ])('is rejected if contradictory: %s', (_, facts, given) => {
    expect(faultsOf(resolve({ ...complete, ...facts }, given))).toEqual(['facts_contradict gpu_count']);
  });

  test('is read from the name of an unknown GPU', () => {
    expect(resolve({ ...complete, gpu: stated('8x Frobnicator 9000') }).system.gpuCount).toBe(8);
  });

  // Four stages of two are eight GPUs. Counting two would make each GPU four times as fast.
  test('includes pipeline stages and tensor-parallel width', () => {
    expect(resolve({ ...complete, parallelism: { tensor: 2, pipeline: 4 } }).system.gpuCount).toBe(8);
  });
});

describe('tensor-parallel width', () => {
  test('is kept with the other widths', () => {
    const parallelism = { tensor: 2, pipeline: 1, data: 4, expert: 8 };
    expect(resolve({ ...complete, gpuCount: stated(8), parallelism }).system.parallelism).toEqual(parallelism);
  });

  test('is rejected if it contradicts the artifact', () => {
    expect(faultsOf(resolve({ ...complete, parallelism: { tensor: 2 } }, { tensor_parallel: 4 }))).toEqual([
      'facts_contradict tensor_parallel',
    ]);
  });
});

describe('two spellings of a model', () => {
  const modelOf = (given: string | undefined, found: Fact<string>) =>
    resolve({ ...complete, model: found }, given === undefined ? {} : { model: given });

  test.each([
    ['a repository and an id', 'llama-3.1-8b', 'meta-llama/Llama-3.1-8B-Instruct', 'llama-3.1-8b'],
    ['a path and a repository', 'meta-llama/Llama-3.1-8B-Instruct', '/models/Llama-3.1-8B-Instruct', 'llama-3.1-8b'],
    ['an anonymous file', 'llama-3.1-8b', '/srv/model.gguf', 'llama-3.1-8b'],
    ['an unknown fine-tune, twice', 'acme/Our-Model-9T', 'Acme/our-model-9t', null],
  ])('match: %s', (_, given, found, id) => {
    const { system, faults } = modelOf(given, stated(found));
    expect(faults).toEqual([]);
    expect(system.model.id).toBe(id);
  });

  test.each([
    ['two known models', 'llama-3.1-8b', 'llama-3.1-70b'],
    ['an unknown and a known one', 'Our Model 9T', 'llama-3.1-8b'],
    ['two unknown ones', 'Our Model 9T', 'Their Model 3T'],
    ['a model and the family of another', 'qwen3-30b-a3b', 'llama3.1'],
  ])('contradict: %s', (_, given, found) => {
    expect(faultsOf(modelOf(given, stated(found)))).toContain('facts_contradict model');
  });

  // As with GPUs, a less specific fact does not contradict a more specific one.
  test.each([
    ['given the family, found the model', 'llama3.1', 'llama-3.1-8b'],
    ['given the model, found the family', 'llama-3.1-8b', 'llama3.1'],
  ])('match if one is the family of the other: %s', (_, given, found) => {
    const { system, faults } = modelOf(given, stated(found));
    expect(faults).toEqual([]);
    expect(system.model.id).toBe('llama-3.1-8b');
  });
});

describe('a quantization', () => {
  test.each([
    ['b200', 'nvfp4'],
    ['mi355x', 'mxfp4'],
  ])('fp4 on %s is resolved to %s', (gpu, id) => {
    const { system, faults } = resolve({ ...complete, gpu: stated(gpu), quantization: stated('fp4') });
    expect(faults).toEqual([]);
    expect(system.gpu.id).not.toBeNull();
    expect(system.quantization).toMatchObject({ id, name: 'fp4' });
  });

  test('fp4 of a model that is published in MXFP4 is resolved to it on every GPU', () => {
    const { system } = resolve({
      ...{ ...complete, model: stated('gpt-oss-120b') },
      ...{ gpu: stated('h100-sxm'), quantization: stated('fp4') },
    });
    expect(system.quantization).toMatchObject({ id: 'mxfp4', name: 'fp4' });
  });

  const quantizationOf = (given: string, found: Fact<string>) =>
    resolve({ ...complete, quantization: found }, { quantization: given });

  test('is read from the model name if not stated', () => {
    const { system, faults } = resolve({ ...complete, quantization: null, model: stated('Llama-3.1-8B-Q4_K_M.gguf') });
    expect(faults).toEqual([]);
    expect(system.quantization).toEqual({ id: 'gguf-q4_k_m', name: 'Q4_K_M', recipe: [] });
  });

  test('keeps the recipe that one of two spellings has', () => {
    for (const [given, found] of [
      ['w8a8_smooth_gptq', 'w8a8'],
      ['w8a8', 'w8a8_smooth_gptq'],
    ] as const) {
      const { system, faults } = quantizationOf(given, stated(found));
      expect(faults).toEqual([]);
      expect(system.quantization).toEqual({ id: 'w8a8-int8', name: 'w8a8_smooth_gptq', recipe: ['smooth', 'gptq'] });
    }
  });

  test.each([
    ['two widths', 'fp8', 'Q4_K_M'],
    ['a known and an unknown one', 'fp8', 'q77_frob'],
    ['two recipes of one width', 'w8a8_smooth_gptq', 'w8a8_smooth_ptq'],
    ['recipes of different lengths', 'w8a8_awq', 'w8a8_sparse_smooth_gptq'],
  ])('contradicts another: %s', (_, given, found) => {
    expect(faultsOf(quantizationOf(given, stated(found)))).toEqual(['facts_contradict quantization']);
  });

  test('"original" is resolved to the published precision of the model', () => {
    expect(resolve({ ...complete, quantization: stated('original') }).system.quantization).toEqual({
      id: 'bf16',
      name: 'original',
      recipe: [],
    });
  });

  // A run named "original" agrees with a caller's bf16 for a bf16 model.
  test('"original" matches the published precision', () => {
    const outcome = quantizationOf('bf16', stated('original'));
    expect(outcome.faults).toEqual([]);
    expect(outcome.system.quantization.id).toBe('bf16');
  });

  test('overrides a hint in the run name', () => {
    const outcome = quantizationOf('fp8', inferred('w8a8_smooth_gptq'));
    expect(outcome.system.quantization.id).toBe('fp8');
    expect(codesOf(outcome)).toContain('quantization_hint_differs');
  });
});

describe('engine and power', () => {
  test('match spellings of one engine, and contradict other engines', () => {
    expect(resolve({ ...complete, engine: stated('llama.cpp') }, { engine: 'llama-server' }).faults).toEqual([]);
    expect(faultsOf(resolve({ ...complete, engine: stated('vllm') }, { engine: 'sglang' }))).toEqual([
      'facts_contradict engine',
    ]);
  });

  test('may name a fork of llama.cpp that the catalogue does not have', () => {
    const outcome = resolve({ ...complete, engine: stated('llama.cpp') }, { engine: 'llama-cpp-turboquant' });
    expect([outcome.faults, outcome.system.engine]).toEqual([
      [],
      { id: null, name: 'llama-cpp-turboquant', version: null },
    ]);
    const bitnet = resolve({ ...complete, engine: stated('llama.cpp') }, { engine: 'bitnet.cpp' });
    expect([bitnet.faults, bitnet.system.engine.id]).toEqual([[], 'bitnet.cpp']);
  });

  test('may name an engine that is built on the one in the artifact, not the reverse', () => {
    const outcome = resolve({ ...complete, engine: stated('llama.cpp') }, { engine: 'ik_llama.cpp' });
    expect([outcome.faults, outcome.system.engine.id]).toEqual([[], 'ik_llama.cpp']);
    expect(faultsOf(resolve({ ...complete, engine: stated('ollama') }, { engine: 'llama.cpp' }))).toEqual([
      'facts_contradict engine',
    ]);
  });

  // A client's protocol is only a hint.
  test('override a hinted engine', () => {
    const outcome = resolve({ ...complete, engine: inferred('vllm') }, { engine: 'tensorrt-llm' });
    expect(outcome.faults).toEqual([]);
    expect(outcome.system.engine.id).toBe('tensorrt-llm');
  });

  test('report contradictory versions and power limits', () => {
    const facts = { ...complete, engineVersion: stated('0.11.0'), gpuPowerLimitW: stated(600) };
    expect(faultsOf(resolve(facts, { engine_version: '0.10.0', gpu_power_limit_w: 450 }))).toEqual([
      'facts_contradict engine_version',
      'facts_contradict gpu_power_limit_w',
    ]);
    expect(resolve(facts, { engine_version: '0.11.0', gpu_power_limit_w: 600 }).faults).toEqual([]);
  });
});

test('reports all errors at once', () => {
  const outcome = resolve(
    { model: stated('llama-3.1-8b'), gpuCount: stated(2), engine: stated('vllm') },
    { model: 'llama-3.1-70b', gpu_count: 4, engine: 'sglang' },
  );
  expect(faultsOf(outcome)).toEqual([
    'gpu_missing gpu',
    'quantization_missing quantization',
    'facts_contradict model',
    'facts_contradict engine',
    'facts_contradict gpu_count',
  ]);
});

test('keeps features', () => {
  const features = { prefix_caching: true, draft_tokens: 3 };
  expect(resolve({ ...complete, features }).system.features).toEqual(features);
});
