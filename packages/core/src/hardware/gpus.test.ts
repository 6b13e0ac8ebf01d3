import { describe, expect, test } from 'vitest';
import { makeSystem, type SystemWords } from '../testing/result.ts';
import { gpuFigures } from './gpus.ts';

const figures = (words: SystemWords) => gpuFigures(makeSystem({ gpu: 'h100-sxm', ...words }));
const layout = (over: Partial<NonNullable<SystemWords['parallelism']>>) => ({
  parallelism: { tensor: null, pipeline: null, data: null, expert: null, ...over },
});

describe('figures of a GPU', () => {
  test('are in bytes, watts and operations per second', () => {
    expect(figures({ gpu: 'h100-pcie' })).toEqual({
      name: 'NVIDIA H100 PCIe 80GB',
      bandwidth: 2000e9,
      bandwidthMost: 2039e9,
      memoryBytes: 80 * 2 ** 30,
      isUnified: false,
      tdpW: 350,
      flops: { bf16: 756.5e12, fp16: 756.5e12, fp8: 1513e12, int8: 1513e12 },
      isCertain: true,
      count: 1,
      decoding: 1,
      width: 1,
      prefillWidth: 1,
    });
  });

  // Of PCIe, SXM and NVL, the NVL has the highest bandwidth and memory, the SXM the highest power and compute.
  test('of a family are the largest of its members', () => {
    expect(figures({ gpu: 'H100' })).toMatchObject({
      name: 'H100',
      bandwidth: null,
      bandwidthMost: 3900e9,
      memoryBytes: 94 * 2 ** 30,
      tdpW: 700,
      flops: { bf16: 989e12, fp8: 1979e12 },
      isCertain: true,
    });
  });

  test('of a family are uncertain if one member has a single source', () => {
    expect(figures({ gpu: 'rtx-pro-6000' })?.isCertain).toBe(false);
    expect(figures({ gpu: 'rtx-pro-6000-blackwell-ws' })?.isCertain).toBe(true);
  });

  test('are missing instead of zero', () => {
    expect(figures({ gpu: 'mi350x' })?.flops).toEqual({});
    expect(figures({ gpu: 'a10g' })?.tdpW).toBeNull();
    expect(figures({ gpu: 'apple-m1' })).toMatchObject({ isUnified: true, tdpW: null, flops: {} });
  });

  test('are null for unknown GPUs or an unknown count', () => {
    expect(figures({ gpu: 'x' })).toBeNull();
    expect(figures({ gpuCount: null })).toBeNull();
  });
});

test.each<[string, SystemWords, [decoding: number, width: number, prefillWidth: number]]>([
  ['no layout', {}, [8, 8, 8]],
  ['tensor 4', layout({ tensor: 4 }), [8, 4, 4]],
  ['tensor 2, pipeline 2', layout({ tensor: 2, pipeline: 2 }), [8, 2, 4]],
  ['tensor 2, expert 2', layout({ tensor: 2, expert: 2 }), [8, 4, 4]],
  ['expert 8', layout({ expert: 8 }), [8, 8, 8]],
  ['tensor 16', layout({ tensor: 16, pipeline: 2 }), [8, 8, 8]],
  ['data 4', layout({ data: 4 }), [8, 2, 2]],
  ['pipeline 4, data 2', layout({ pipeline: 4, data: 2 }), [8, 1, 4]],
  ['pipeline 16', layout({ pipeline: 16 }), [8, 1, 8]],
  ['4 for decoding', { features: { decode_gpus: 4 } }, [4, 4, 8]],
  ['4 for decoding, tensor 2', { ...layout({ tensor: 2 }), features: { decode_gpus: 4 } }, [4, 2, 8]],
  ['decode_gpus that is not a number', { features: { decode_gpus: 'some' } }, [8, 8, 8]],
  ['no GPU for decoding', { features: { decode_gpus: 0 } }, [8, 8, 8]],
])('counts eight GPUs with %s', (_, words, [decoding, width, prefillWidth]) => {
  expect(figures({ gpuCount: 8, ...words })).toMatchObject({ count: 8, decoding, width, prefillWidth });
});
