import { afterEach, describe, expect, test } from 'vitest';
import { gpuFigures } from '../../hardware/gpus.ts';
import { parseQuestion } from '../../questions/index.ts';
import { systemLabel } from '../../subjects/system-label.ts';
import {
  engines,
  findGpu,
  findModel,
  gpuFamilies,
  gpus,
  modelFamilies,
  models,
  quantizations,
  resolveEngine,
  resolveGpu,
  resolveModel,
  resolveQuantization,
} from '../index.ts';
import type { Addition } from './additions.ts';
import { additionFaults, extendCatalogue, meaningOf } from './extend.ts';

afterEach(() => void extendCatalogue([]));

const gpu: Addition = {
  kind: 'gpu',
  id: 'frobnicator-9000',
  facts: {
    name: 'Acme Frobnicator 9000',
    vendor: 'amd',
    architecture: 'Frob',
    formFactor: 'PCIe',
    memoryGb: 96,
    memoryType: 'HBM3',
    memoryBandwidthGbs: 2000,
    tflopsDense: { bf16: 300 },
  },
  aliases: ['Frobnicator 9k'],
};
const model: Addition = {
  kind: 'model',
  id: 'wundermodell-7b',
  facts: {
    name: 'Wundermodell 7B',
    developer: 'Acme',
    architecture: 'dense',
    paramsTotalB: 7.2,
    paramsActiveB: 7.2,
    nativePrecision: 'bf16',
    contextLength: 32768,
  },
  aliases: ['Wunder 7B'],
};
const derivative: Addition = {
  kind: 'model',
  id: 'acme-tune-8b',
  facts: { name: 'Acme Tune 8B', developer: 'Acme', base: 'llama-3.1-8b' },
  aliases: [],
};
const quantization: Addition = {
  kind: 'quantization',
  id: 'zint5',
  facts: { family: 'int', weightBits: 5, bitsPerWeight: 5.5, bitsPerWeightMin: 5 },
  aliases: ['zint5-g64'],
};
const engine: Addition = { kind: 'engine', id: 'hyperserve', facts: { name: 'HyperServe' }, aliases: ['hs'] };
const names: Addition = { kind: 'gpu', id: 'h100-sxm', facts: null, aliases: ['Cloud Card X'] };
const all = [gpu, model, derivative, quantization, engine, names];

describe('an extended catalogue', () => {
  test('resolves additions by id, name and alias, and clears cached misses', () => {
    expect([resolveGpu('Frobnicator 9k').id, resolveModel('acme/Wundermodell-7B').id]).toEqual([null, null]);
    expect(extendCatalogue(all)).toEqual([]);
    expect(resolveGpu('8x Frobnicator 9k')).toMatchObject({ id: gpu.id, count: 8, family: gpu.id });
    expect(resolveGpu('Acme Frobnicator 9000').id).toBe(gpu.id);
    expect(resolveModel('acme/Wundermodell-7B-FP8')).toMatchObject({ id: model.id, quantization: 'FP8' });
    expect(resolveModel('Wunder 7B').id).toBe(model.id);
    expect(resolveQuantization('ZINT5 g64').id).toBe(quantization.id);
    expect(resolveEngine('HyperServe 1.2.0')).toMatchObject({ id: engine.id, version: '1.2.0' });
    expect(resolveGpu('cloud card x').id).toBe('h100-sxm');
    expect(meaningOf('engine', 'HS')).toBe(engine.id);
  });

  test('lists additions with missing facts as null, and derivatives with the facts of their base', () => {
    extendCatalogue(all);
    expect(findGpu(gpu.id)).toMatchObject({ memoryBandwidthGbsMaxPublished: 2000, tdpW: null, verified: 'one-source' });
    expect(findModel(model.id)).toMatchObject({ family: model.id, layers: null, base: null });
    expect(findModel(derivative.id)).toMatchObject({
      ...{ base: 'llama-3.1-8b', family: 'llama-3.1', aliases: [], developer: 'Acme' },
      layers: findModel('llama-3.1-8b')?.layers,
    });
    expect([gpus, models, quantizations, engines].map((rows) => rows.at(-1)?.id)).toEqual([
      ...[gpu.id, derivative.id, quantization.id, engine.id],
    ]);
    expect(gpuFamilies.at(-1)).toEqual({ id: gpu.id, name: 'Acme Frobnicator 9000', members: [gpu.id] });
    expect(modelFamilies.find(({ id }) => id === 'llama-3.1')?.members).toContain(derivative.id);
    expect(Object.isFrozen(findGpu(gpu.id)?.aliases)).toBe(true);
  });

  test('equals the release again without additions', () => {
    const before = { gpus, models };
    extendCatalogue(all);
    expect(gpus).not.toBe(before.gpus);
    extendCatalogue([]);
    expect({ gpus, models }).toEqual(before);
    expect([resolveGpu('Frobnicator 9k').id, findModel(model.id)]).toEqual([null, null]);
  });

  // The physical bounds must use the added GPU's figures.
  test('is used to compute limits', () => {
    const system = {
      ...{ model: { id: null, name: 'x', family: null }, quantization: { id: null, name: 'x', recipe: [] } },
      ...{ gpu: { id: gpu.id, name: gpu.id, family: gpu.id }, gpuCount: 1, gpuPowerLimitW: null, features: {} },
      engine: { id: null, name: 'x', version: null },
      parallelism: { tensor: null, pipeline: null, data: null, expert: null },
    };
    expect(gpuFigures(system)).toBeNull();
    extendCatalogue(all);
    expect(gpuFigures(system)).toMatchObject({ bandwidth: 2e12, isCertain: false, flops: { bf16: 3e14 } });
    expect(systemLabel(system)).toContain('Acme Frobnicator 9000');
  });

  test('is used to parse questions', () => {
    const question = 'fastest gpu for wundermodell 7b on frobnicator 9k with hyperserve';
    expect(() => parseQuestion(question)).toThrow();
    extendCatalogue(all);
    expect(parseQuestion(question).filters).toMatchObject({ model: [model.id], gpu: [gpu.id], engine: [engine.id] });
  });

  test('keeps the entries of the release over additions', () => {
    const older: Addition[] = [
      { ...gpu, id: 'h100-sxm', aliases: ['H100 of a friend', 'RTX 4090'] },
      { ...gpu, id: 'my-4090', facts: { ...gpu.facts, name: 'RTX 4090' } },
      { ...model, id: 'half-a-model', facts: { name: 'Half' } },
    ];
    expect(extendCatalogue(older)).toEqual([
      'alias "RTX 4090" of the added gpu h100-sxm: it names rtx-4090',
      'the added gpu my-4090: "RTX 4090" names rtx-4090',
      'the added model half-a-model: its facts are not complete',
    ]);
    expect(findGpu('h100-sxm')).toMatchObject({ memoryBandwidthGbs: 3350 });
    expect(resolveGpu('H100 of a friend').id).toBe('h100-sxm');
    expect(resolveGpu('RTX 4090').id).toBe('rtx-4090');
  });
});

describe('an addition', () => {
  const faultsOf = (addition: Addition) =>
    additionFaults(addition).map(({ code, pointer, message }) => `${code} ${pointer}: ${message}`);

  test.each(all.map((addition) => [addition.id, addition] as const))('%s is valid', (_id, addition) => {
    expect(additionFaults(addition)).toEqual([]);
    expect(meaningOf(addition.kind, addition.aliases[0] ?? addition.id)).toBeNull();
  });

  test('with names of other entries is rejected, with all errors at once', () => {
    const facts = { ...gpu.facts, name: 'NVIDIA GeForce RTX 4090' };
    expect(faultsOf({ ...gpu, facts, aliases: ['rtx-3090', 'Frobnicator 9k', 'H100'] })).toEqual([
      'name_taken /facts/name: "NVIDIA GeForce RTX 4090" is already a name of the gpu rtx-4090, so it cannot name frobnicator-9000.',
      'name_taken /aliases/0: "rtx-3090" is already a name of the gpu rtx-3090, so it cannot name frobnicator-9000.',
      'name_taken /aliases/2: "H100" is already a name of the family h100, so it cannot name frobnicator-9000.',
    ]);
    expect(faultsOf({ ...gpu, id: 'h100-sxm' })[0]).toBe(
      'name_taken /id: The catalogue already has the gpu h100-sxm ("NVIDIA H100 SXM5 80GB").',
    );
    expect(faultsOf({ ...model, aliases: ['meta-llama/Llama-3.1-8B-Instruct-FP8'] })).toEqual([
      expect.stringContaining('is already a name of the model llama-3.1-8b'),
    ]);
  });

  test('is compared with earlier additions', () => {
    extendCatalogue(all);
    expect(faultsOf({ ...gpu, id: 'frobnicator-9001' })).toEqual([
      'name_taken /facts/name: "Acme Frobnicator 9000" is already a name of the gpu frobnicator-9000, so it cannot name frobnicator-9001.',
      'name_taken /aliases/0: "Frobnicator 9k" is already a name of the gpu frobnicator-9000, so it cannot name frobnicator-9001.',
    ]);
    expect(faultsOf({ ...names, id: gpu.id, facts: null, aliases: ['Frob Classic'] })).toEqual([]);
  });

  test('with an alias that is not a name, or contains another fact, is rejected', () => {
    expect(faultsOf({ ...gpu, aliases: ['8x Frobnicator', '???'] })).toEqual([
      'value_invalid /aliases/0: "8x Frobnicator" contains a GPU count (8), which is another fact.',
      'value_invalid /aliases/1: "???" contains no letter or digit.',
    ]);
    expect(faultsOf({ ...engine, aliases: ['unspecified'] })).toEqual([
      'value_invalid /aliases/0: "unspecified" would not resolve to the engine hyperserve.',
    ]);
  });

  test('with unknown references is rejected', () => {
    expect(faultsOf({ ...derivative, facts: { ...derivative.facts, base: 'no-such' } })).toEqual([
      'value_unknown /facts/base: The catalogue has no model "no-such".',
    ]);
    expect(faultsOf({ ...model, facts: { ...model.facts, nativePrecision: 'zint5' } })).toEqual([
      'value_unknown /facts/native_precision: The catalogue has no quantization "zint5".',
    ]);
    expect(faultsOf({ ...gpu, facts: { ...gpu.facts, family: 'no-such' } })).toEqual([
      'value_unknown /facts/family: The catalogue has no family of GPUs "no-such".',
    ]);
    expect(faultsOf({ ...names, id: 'no-such' })).toEqual([
      'value_unknown /id: The catalogue has no gpu "no-such" to add names to.',
    ]);
  });
});
