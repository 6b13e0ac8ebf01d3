import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resolveEngine, resolveGpu, resolveModel, resolveQuantization } from '../catalogue/index.ts';
import { type System, systemKey } from './system.ts';

interface Words {
  model: string;
  quantization: string;
  gpu: string;
  engine: string;
}

function systemOf(words: Partial<Words> = {}, over: Partial<System> = {}): System {
  const { model, quantization, gpu, engine } = {
    model: 'llama-3.1-8b',
    quantization: 'fp8',
    gpu: 'h100-sxm',
    engine: 'vllm',
    ...words,
  };
  const [foundModel, foundGpu] = [resolveModel(model), resolveGpu(gpu)];
  return {
    model: { id: foundModel.id, family: foundModel.family, name: model },
    quantization: {
      id: resolveQuantization(quantization).id,
      name: quantization,
      recipe: resolveQuantization(quantization).recipe,
    },
    gpu: { id: foundGpu.id, family: foundGpu.family, name: gpu },
    gpuCount: 1,
    gpuPowerLimitW: null,
    engine: { id: resolveEngine(engine).id, name: engine, version: null },
    parallelism: { tensor: null, pipeline: null, data: null, expert: null },
    features: {},
    ...over,
  };
}
const base = systemKey(systemOf());

describe('ignores spelling if the catalogue has the entry', () => {
  test.each<Partial<Words>>([
    { model: 'meta-llama/Llama-3.1-8B-Instruct' },
    { gpu: 'NVIDIA H100 80GB HBM3' },
    { quantization: 'FP8-dynamic' },
    { engine: 'vLLM' },
  ])('%j', (words) => {
    expect(systemKey(systemOf(words))).toBe(base);
  });

  test.each<[Partial<Words>, Partial<Words>]>([
    [{ gpu: 'H100' }, { gpu: 'NVIDIA H100' }],
    [{ model: 'llama3.1' }, { model: 'Llama-3.1' }],
    [{ gpu: 'Frobnicator 9000' }, { gpu: ' FROBNICATOR   9000' }],
    [{ model: 'acme/Our-Model-9T' }, { model: 'Acme/our-model-9t' }],
    [{ engine: 'Our Server' }, { engine: 'our server' }],
    [{ gpu: 'unspecified' }, { gpu: 'Unspecified' }],
  ])('gives %j and %j the same key', (one, other) => {
    expect(systemKey(systemOf(one))).toBe(systemKey(systemOf(other)));
  });

  test('ignores the order of features, recipe words and widths', () => {
    const recipe = (words: string[]) =>
      systemOf({}, { quantization: { id: 'w8a8-int8', name: 'w8a8', recipe: words } });
    expect(systemKey(recipe(['smooth', 'gptq']))).toBe(systemKey(recipe(['gptq', 'smooth'])));
    const features = (value: System['features']) => systemKey(systemOf({}, { features: value }));
    expect(features({ a: 1, b: true })).toBe(features({ b: true, a: 1 }));
    const widths = { tensor: 2, pipeline: null, data: null, expert: 4 };
    const reordered = { expert: 4, data: null, pipeline: null, tensor: 2 };
    expect(systemKey(systemOf({}, { parallelism: widths }))).toBe(systemKey(systemOf({}, { parallelism: reordered })));
  });
});

describe('each stated fact identifies the system', () => {
  const others: [string, System][] = [
    ['model', systemOf({ model: 'llama-3.1-70b' })],
    ['unknown model', systemOf({ model: 'Our Model 9T' })],
    ['model family', systemOf({ model: 'llama3.1' })],
    ['quantization', systemOf({ quantization: 'bf16' })],
    ['recipe', systemOf({ quantization: 'w8a8_smooth_gptq' })],
    ['no recipe', systemOf({ quantization: 'w8a8' })],
    ['GPU', systemOf({ gpu: 'h100-pcie' })],
    ['GPU family', systemOf({ gpu: 'H100' })],
    ['engine', systemOf({ engine: 'sglang' })],
    ['engine version', systemOf({}, { engine: { id: 'vllm', name: 'vllm', version: '0.11.0' } })],
    ['other engine version', systemOf({}, { engine: { id: 'vllm', name: 'vllm', version: '0.10.0' } })],
    ['GPU count', systemOf({}, { gpuCount: 2 })],
    ['no GPU count', systemOf({}, { gpuCount: null })],
    ['power limit', systemOf({}, { gpuPowerLimitW: 450 })],
    ['tensor', systemOf({}, { parallelism: { tensor: 2, pipeline: null, data: null, expert: null } })],
    ['pipeline', systemOf({}, { parallelism: { tensor: null, pipeline: 2, data: null, expert: null } })],
    ['feature', systemOf({}, { features: { prefix_caching: true } })],
    ['feature off', systemOf({}, { features: { prefix_caching: false } })],
    ['feature as text', systemOf({}, { features: { prefix_caching: 'true' } })],
    ['other feature', systemOf({}, { features: { flash_attention: true } })],
  ];

  test('gives different keys', () => {
    const keys = [base, ...others.map(([, system]) => systemKey(system))];
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('distinguishes a name from an equal id or family', () => {
    const gpu = (ref: System['gpu']) => systemKey(systemOf({}, { gpu: ref }));
    const keys = [
      gpu({ id: 'h100', family: null, name: 'h100' }),
      gpu({ id: null, family: 'h100', name: 'h100' }),
      gpu({ id: null, family: null, name: 'h100' }),
      gpu({ id: null, family: null, name: 'id:h100' }),
    ];
    expect(new Set(keys).size).toBe(4);
  });
});

describe('two systems', () => {
  const word = fc.oneof(fc.constantFrom('a', 'b', 'id:a', 'name:a', '"', '","', '[]'), fc.string({ maxLength: 6 }));
  const known = fc.constantFrom('x-1', 'x-2');
  const ref = fc.oneof(
    known.map((id) => ({ id, family: 'x', name: id })),
    fc.constant({ id: null, family: 'x', name: 'x' }),
    word.map((name) => ({ id: null, family: null, name })),
  );
  const count = fc.option(fc.integer({ min: 1, max: 3 }));
  const systems: fc.Arbitrary<System> = fc.record({
    model: ref,
    quantization: fc.record({
      id: fc.option(known),
      name: word,
      recipe: fc.uniqueArray(fc.constantFrom('smooth', 'gptq', 'awq')),
    }),
    gpu: ref,
    gpuCount: count,
    gpuPowerLimitW: count,
    engine: fc.record({ id: fc.option(known), name: word, version: fc.option(word) }),
    parallelism: fc.record({ tensor: count, pipeline: count, data: count, expert: count }),
    features: fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.oneof(fc.constantFrom('1', 'true'), fc.constantFrom(0, 1), fc.boolean()),
    ),
  });

  /** The same facts in a simple, fixed order. */
  const facts = (system: System) => {
    const name = (ref: { id: string | null; name: string; family?: string | null }) => {
      if (ref.id !== null) return { id: ref.id };
      if (ref.family != null) return { family: ref.family };
      return { name: ref.name.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase().normalize('NFKC') };
    };
    const { model, quantization, gpu, engine, ...rest } = system;
    return {
      ...rest,
      model: name(model),
      quantization: { ...name(quantization), recipe: new Set(quantization.recipe) },
      gpu: name(gpu),
      engine: { ...name(engine), version: engine.version },
    };
  };
  const equal = (a: unknown, b: unknown) => {
    try {
      expect(a).toEqual(b);
      return true;
    } catch {
      return false;
    }
  };

  test('have the same key if and only if their facts are equal', () => {
    fc.assert(
      fc.property(systems, systems, (a, b) => {
        expect(systemKey(a) === systemKey(b)).toBe(equal(facts(a), facts(b)));
      }),
      { numRuns: 200 },
    );
  });

  test('have different keys if one fact differs, and the same if copied', () => {
    const changes: ((system: System) => System)[] = [
      (system) => ({ ...system, gpuCount: (system.gpuCount ?? 0) + 1 }),
      (system) => ({ ...system, gpuPowerLimitW: (system.gpuPowerLimitW ?? 0) + 1 }),
      (system) => ({ ...system, engine: { ...system.engine, version: `${system.engine.version ?? ''}x` } }),
      (system) => ({ ...system, features: { ...system.features, d: true } }),
      (system) => ({ ...system, gpu: { id: 'y', family: 'y', name: 'y' } }),
      (system) => ({ ...system, model: { id: 'y', family: 'y', name: 'y' } }),
      (system) => ({
        ...system,
        quantization: { ...system.quantization, recipe: [...system.quantization.recipe, 'ptq'] },
      }),
      (system) => ({ ...system, parallelism: { ...system.parallelism, expert: (system.parallelism.expert ?? 0) + 1 } }),
    ];
    fc.assert(
      fc.property(systems, fc.constantFrom(...changes), (system, change) => {
        expect(systemKey(structuredClone(system))).toBe(systemKey(system));
        expect(systemKey(change(system))).not.toBe(systemKey(system));
      }),
    );
  });
});
