import { expect, test } from 'vitest';
import { sharedFacts } from './compare-view.ts';

type System = Parameters<typeof sharedFacts>[0][number];

const system = (quantization: string) =>
  ({
    model: { id: 'deepseek-r1', name: 'dsr1', title: 'DeepSeek R1' },
    quantization: { id: quantization, name: 'fp4', title: quantization },
    gpu: { id: 'b200-sxm', name: 'b200', title: 'B200' },
    engine: { id: 'sglang', name: 'sglang', title: 'SGLang' },
    gpu_count: 8,
    gpu_power_limit_w: null,
    parallelism: {},
    features: {},
  }) as unknown as System; // only the fields of the shared facts

const sharedOf = (...formats: string[]) => sharedFacts(formats.map(system)).map(({ fact }) => fact);

test('a bare fp4 is a shared fact only of systems with the same format', () => {
  expect(sharedOf('nvfp4', 'nvfp4')).toContain('Quantization');
  expect(sharedOf('nvfp4', 'mxfp4')).toEqual(['Model', 'GPU', 'GPUs', 'Engine']);
});
