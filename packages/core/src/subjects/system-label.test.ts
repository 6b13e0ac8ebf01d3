import { describe, expect, test } from 'vitest';
import type { System } from './system.ts';
import { engineTitle, gpuTitle, modelTitle, quantizationTitle, systemLabel } from './system-label.ts';

const system: System = {
  model: { id: 'llama-2-7b', family: 'llama-2', name: '/models/llama-2-7b.Q4_0.gguf' },
  quantization: { id: 'gguf-q4_0', name: 'Q4_0', recipe: [] },
  gpu: { id: 'rtx-pro-6000-blackwell-ws', family: 'rtx-pro-6000', name: 'NVIDIA RTX PRO 6000' },
  gpuCount: 1,
  gpuPowerLimitW: 600,
  engine: { id: 'llama.cpp', name: 'llama.cpp', version: 'b6413' },
  parallelism: { tensor: null, pipeline: null, data: null, expert: null },
  features: {},
};
const label = (over: Partial<System>) => systemLabel({ ...system, ...over });

describe('the label of a system', () => {
  test('names model, quantization, GPU with its limit, and engine with its version', () => {
    expect(label({})).toMatch(/^Llama 2 7B · Q4_0 · RTX PRO 6000 .*at 600 W · llama\.cpp b6413$/);
  });

  test('shows the number of GPUs from two', () => {
    expect(label({ gpuCount: 8 })).toContain(' · 8x RTX PRO 6000');
    expect(label({ gpuCount: 1 })).not.toContain('1x');
    expect(label({ gpuCount: null })).not.toContain('x RTX');
  });

  test('omits a missing limit, version or engine', () => {
    expect(label({ gpuPowerLimitW: null })).not.toMatch(/ at \d+ W/);
    expect(label({ engine: { id: 'vllm', name: 'vllm', version: null } })).toMatch(/ · vLLM$/);
    expect(label({ engine: { id: null, name: 'unspecified', version: null } })).toMatch(/ 600 W$/);
  });

  test('shows unspecified facts', () => {
    const withheld = { id: null, family: null, name: 'unspecified' };
    expect(
      label({
        model: withheld,
        quantization: { ...withheld, recipe: [] },
        gpu: withheld,
        gpuCount: null,
        gpuPowerLimitW: null,
      }),
    ).toBe('unspecified model · unspecified quantization · unspecified GPU · llama.cpp b6413');
  });

  test('omits the model of a kernel', () => {
    const none = { id: null, family: null, name: 'n/a' };
    expect(label({ model: none, quantization: { ...none, recipe: [] } })).toMatch(/^RTX PRO 6000/);
  });
});

test('modelTitle is the name in the catalogue, otherwise the last part of the name', () => {
  expect(modelTitle(system.model)).toBe('Llama 2 7B');
  expect(modelTitle({ id: null, family: null, name: 'acme/Our-Model-9T' })).toBe('Our-Model-9T');
  expect(modelTitle({ id: null, family: 'llama-3.1', name: 'llama3.1' })).toBe('llama3.1');
  expect(modelTitle({ id: 'gone-from-the-catalogue', family: null, name: 'a/b' })).toBe('b');
});

test('gpuTitle omits the vendor, and is the family if the variant is unknown', () => {
  expect(gpuTitle({ id: 'rtx-4090', family: 'rtx-4090', name: 'x' })).toBe('RTX 4090');
  expect(gpuTitle({ id: null, family: 'h100', name: '8xH100' })).toBe('H100');
  expect(gpuTitle({ id: null, family: null, name: 'Frobnicator 9000' })).toBe('Frobnicator 9000');
});

test('engineTitle is the name in the catalogue, with the version', () => {
  expect(engineTitle({ id: 'sglang', name: 'sgl', version: '0.5.0' })).toBe('SGLang 0.5.0');
  expect(engineTitle({ id: null, name: 'Our Server', version: null })).toBe('Our Server');
  expect(engineTitle({ id: null, name: 'unspecified', version: null })).toBe('');
});

test.each([
  [{ id: 'gguf-q4_k_m', name: 'Q4_K - Medium', recipe: [] }, 'Q4_K_M'],
  [{ id: 'mxfp4', name: 'fp4', recipe: [] }, 'MXFP4'],
  [{ id: 'w8a8-int8', name: 'w8a8_smooth_gptq', recipe: ['smooth', 'gptq'] }, 'w8a8_smooth_gptq'],
  // The bits of these formats vary.
  [{ id: 'gguf-ud', name: 'UD-Q4_K_XL', recipe: [] }, 'UD-Q4_K_XL'],
  [{ id: 'exl2', name: 'exl2 4.5bpw', recipe: [] }, 'exl2 4.5bpw'],
  [{ id: null, name: 'Q9_Z', recipe: [] }, 'Q9_Z'],
])('quantizationTitle of %j is %s', (quantization, title) => {
  expect(quantizationTitle(quantization)).toBe(title);
});
