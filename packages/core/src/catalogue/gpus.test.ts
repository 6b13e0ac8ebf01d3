import { expect, test } from 'vitest';
import { findGpu, findGpuFamily, gpuFamilies, resolveGpu } from './gpus.ts';
import { gpus, namedGpuFamilies } from './records.ts';

test.each([
  ['8 x H100', 'h100', 8],
  ['8× H100', 'h100', 8],
  ['4*H100', 'h100', 4],
  ['H100 x8', 'h100', 8],
  ['h100x8', 'h100', 8],
  ['H100 (x2)', 'h100', 2],
  ['H100:8', 'h100', 8],
  ['8 H100', 'h100', 8],
])('resolves %s to %s, count %d', (text, family, count) => {
  expect(resolveGpu(text)).toEqual({ id: null, family, name: text, count, suggestions: [] });
});

test.each([
  ['2x RTX PRO 6000 Max-Q', 'rtx-pro-6000-blackwell-maxq', 2],
  ['NVIDIA H100 80GB HBM3 x 4', 'h100-sxm', 4],
  ['2x4090', 'rtx-4090', 2],
  ['NVIDIA L4, NVIDIA L4', 'l4', 2],
])('resolves %s to %s, count %d', (text, id, count) => {
  expect(resolveGpu(text)).toMatchObject({ id, count });
});

test.each([
  ['H100 80GB SXM5', 'h100-sxm'],
  ['h100 sxm5 80 GB', 'h100-sxm'],
  ['H100 94GB', 'h100-nvl'],
  ['A100-80GB PCIe', 'a100-pcie-80gb'],
  ['rtx4070tisuper', 'rtx-4070-ti-super'],
  ['NVIDIA® GeForce RTX™ 4090', 'rtx-4090'],
  ['RTX 4090 24GB', 'rtx-4090'],
  ['GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-5fd4)', 'h100-sxm'],
  ['NVIDIA RTX PRO 6000 Blackwell Workstation Edition, compute capability 12.0, VMM: yes', 'rtx-pro-6000-blackwell-ws'],
  ['AMD Radeon 8060S Graphics', 'strix-halo'],
  ['AMD Radeon Graphics (RADV GFX1151)', 'strix-halo'],
  ['AMD Radeon RX 7900 XTX (RADV NAVI31) (radv)', 'rx-7900-xtx'],
  ['ggml_vulkan: 0 = AMD Radeon RX 7900 XTX (RADV NAVI31) (radv) | uma: 0 | fp16: 1', 'rx-7900-xtx'],
  ['Apple M4 Max 64GB', 'apple-m4-max'],
  ['Apple M4 Max (40-core GPU)', 'apple-m4-max'],
  ['Intel(R) Gaudi 3', 'gaudi3'],
])('resolves %s to %s', (text, id) => {
  expect(resolveGpu(text)).toMatchObject({ id, family: findGpu(id)?.family, count: null });
});

// The wrong variant's bandwidth would flag honest results, so an ambiguous variant stays unresolved.
test.each([
  ['H100 80GB', 'h100'],
  ['A100 40GB', 'a100'],
  ['H200 141GB', 'h200'],
  ['V100', 'v100'],
  ['V100 32GB', 'v100'],
  ['V100-SXM2-16GB', 'v100'],
  ['RTX 3060 8GB', 'rtx-3060'],
  ['RTX 6000 Pro', 'rtx-pro-6000'],
])('resolves %s to the family %s without a variant', (text, family) => {
  expect(resolveGpu(text)).toMatchObject({ id: null, family });
});

test.each([
  ['NVIDIA GeForce RTX 4090 Laptop GPU', ['rtx-4090']],
  ['NVIDIA H100 80GB HBM3 MIG 1g.10gb', ['h100-sxm']],
  ['unspecified', []],
  ['', []],
  ['n/a', []],
])('does not resolve %s', (text, suggestions) => {
  const found = resolveGpu(text);
  expect(found).toMatchObject({ id: null, family: null });
  expect(found.suggestions.slice(0, 1)).toEqual(suggestions);
});

test('reads a count from an unknown name if it is unambiguous', () => {
  expect(resolveGpu('8x Frobnicator').count).toBe(8);
  expect(resolveGpu('2x cluster x 4')).toMatchObject({ id: null, count: null });
});

test('reads no count from the model number of an unknown name', () => {
  expect(resolveGpu('NVIDIA GeForce GTX 970').count).toBeNull();
});

test('suggests the entry for a misspelt name, and does not resolve it', () => {
  expect(resolveGpu('rtx 4091')).toMatchObject({
    id: null,
    family: null,
    suggestions: expect.arrayContaining(['rtx-4090']),
  });
  expect(resolveGpu('H10O').suggestions).toContain('h100');
});

test('lists every GPU in one family, and every family with a name', () => {
  expect(gpuFamilies.flatMap(({ members }) => members).sort()).toEqual(gpus.map(({ id }) => id).sort());
  expect(findGpuFamily('h100')).toMatchObject({ name: 'H100', members: ['h100-pcie', 'h100-sxm', 'h100-nvl'] });
  expect(findGpuFamily('rtx-4090')?.members).toEqual(['rtx-4090']);
  expect(findGpuFamily('nothing')).toBeNull();
});

test('resolves every family alias to the family without a variant', () => {
  for (const { id, aliases } of namedGpuFamilies) {
    for (const alias of [id, ...aliases]) expect(resolveGpu(alias), alias).toMatchObject({ id: null, family: id });
  }
});

test.each([
  ['Arc Pro B60', 'arc-pro-b60'],
  ['MS-Intel Arc Pro B60 Dual 48G Turbo', 'arc-pro-b60-dual'],
  ['Strix Halo', 'strix-halo'],
  ['AMD Radeon 8060S Graphics (RADV GFX1151)', 'strix-halo'],
  ['AMD Radeon Graphics, gfx1151', 'strix-halo'],
  ['NVIDIA B200-SXM-180GB', 'b200-sxm'],
  ['NVIDIA H200-NVL-141GB', 'h200-nvl'],
  ['NVIDIA Jetson AGX Thor 128G', 'jetson-agx-thor'],
  ['AMD Instinct MI355X 288GB HBM3e', 'mi355x'],
  ['MI300X + MI325X', 'mi300x-mi325x'],
  ['INTEL(R) XEON(R) 6787P', 'xeon-6787p'],
])('resolves %s to %s', (text, id) => {
  expect(resolveGpu(text).id).toBe(id);
});
