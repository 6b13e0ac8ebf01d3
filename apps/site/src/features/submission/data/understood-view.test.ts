import { expect, test } from 'vitest';
import type { Submission } from '../../../lib/api.ts';
import { toUnderstoodSystems } from './understood-view.ts';

const noteOf = (gpu: { id: string | null; name: string; family: string | null; title: string }) => {
  const named = { id: null, name: 'n/a', family: null, title: 'n/a' };
  const system = {
    ...{ id: 'sys_1', label: '', model: named, quantization: named, engine: { ...named, version: null } },
    ...{ gpu, gpu_count: 4, gpu_power_limit_w: null, parallelism: {}, features: {} },
  };
  const result = { system, scenario: { id: 'sharegpt', kernel: null }, load: { mode: 'concurrency', level: 32 } };
  const [first] = toUnderstoodSystems({ results: [result] } as unknown as Submission); // only what the view reads
  return first?.facts.find(({ fact }) => fact === 'GPU')?.note;
};

test('a GPU that names a family is not unknown: only its variant is', () => {
  expect(noteOf({ id: null, name: 'H100', family: 'h100', title: 'H100' })).toBe(
    'read as the family H100, variant not stated',
  );
  expect(noteOf({ id: 'h100-sxm', name: 'H100 SXM', family: 'h100', title: 'H100 SXM5 80GB' })).toBe(
    'read as h100-sxm',
  );
  expect(noteOf({ id: null, name: 'Voodoo 2', family: null, title: 'Voodoo 2' })).toBe(
    'not in the catalogue: kept as written',
  );
});
