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
test('omits a family of one device next to the device, and lists a family of several', () => {
  const item = (id: string, name: string, points: number) => ({ id, name, points });
  const items = [item('b200-sxm', 'B200 SXM', 3), item('b200', 'B200 SXM', 0), item('h100', 'H100', 0)];
  expect(toIndexRows(gpuKind, items).map(({ id }) => id)).toEqual(['b200-sxm', 'h100']);
});

test('labels a CPU and a mixed system', () => {
  expect(deviceKind('xeon-6787p')?.note).toBe('CPU');
  expect(deviceKind('mi300x-mi325x')?.note).toBe('mixed system');
  expect(deviceKind('mi325x')).toBeNull();
});
