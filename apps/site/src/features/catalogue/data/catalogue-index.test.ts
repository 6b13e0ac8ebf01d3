import { expect, test } from 'vitest';
import { deviceKind, gpuKind, modelKind } from './catalogue-facts.ts';
import { indexCsv, toIndexRows } from './catalogue-index.ts';

test('an unknown entry keeps its name and has no facts', () => {
  const [heading, first, second] = indexCsv(modelKind, [
    { id: 'llama-2-7b', name: 'Llama 2 7B', points: 16 },
    { id: 'my-own', name: 'my-own', points: 1 },
  ]).split('\r\n');
  expect(heading).toMatch(/^id,name,points,developer,/);
  expect(first).toMatch(/^llama-2-7b,Llama 2 7B,16,Meta,/);
  expect(second).toMatch(/^my-own,my-own,1,,+$/);
});

// The list once had NVIDIA B200 SXM 180GB twice: as the device, and as its family without results.
test('a family of one device is not listed beside it, a family of several is', () => {
  const item = (id: string, name: string, points: number) => ({ id, name, points });
  const items = [item('b200-sxm', 'B200 SXM', 3), item('b200', 'B200 SXM', 0), item('h100', 'H100', 0)];
  expect(toIndexRows(gpuKind, items).map(({ id }) => id)).toEqual(['b200-sxm', 'h100']);
});

test('a processor and a system of two kinds of GPU are named as what they are', () => {
  expect(deviceKind('xeon-6787p')?.note).toBe('CPU');
  expect(deviceKind('mi300x-mi325x')?.note).toBe('mixed system');
  expect(deviceKind('mi325x')).toBeNull();
});
