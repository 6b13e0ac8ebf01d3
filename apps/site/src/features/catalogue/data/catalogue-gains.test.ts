import { expect, test } from 'vitest';
import type { System } from '../../../lib/api.ts';
import { placesByCounterpart } from './catalogue-gains.ts';

const system = (model: string, gpu: string) => ({ model: { id: model }, gpu: { id: gpu } }) as unknown as System; // only what the places depend on

test('the models and GPUs that were also measured unquantized are first', () => {
  const own = [system('a', 'x'), system('b', 'x'), system('a', 'x'), system('b', 'y')];
  expect(placesByCounterpart(own, [system('b', 'y'), system('c', 'x')])).toEqual([
    JSON.stringify(['b', 'y']),
    JSON.stringify(['a', 'x']),
    JSON.stringify(['b', 'x']),
  ]);
});
