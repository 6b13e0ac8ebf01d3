import { expect, test } from 'vitest';
import { type Compared, type EngineSettings, hasSameSettings } from './same-settings.ts';

const base: EngineSettings = {
  engine: 'vllm',
  engineVersion: '0.10.0',
  parallelism: { tensor: 2 },
  features: { dtype: 'auto', ep_size: 2 },
};

test.each<[string, Partial<EngineSettings>, Compared[], boolean]>([
  ['equal settings in another order', { features: { ep_size: 2, dtype: 'auto' } }, [], true],
  ['a setting of one side only', { features: { dtype: 'auto' } }, [], false],
  ['no settings', { features: {} }, [], false],
  ['another parallelism', { parallelism: { tensor: 4 } }, [], false],
  ['another parallelism if the number of GPUs is compared', { parallelism: { tensor: 4 } }, ['parallelism'], true],
  ['no stated parallelism', { parallelism: { tensor: null } }, [], true],
  ['another version', { engineVersion: '0.9.0' }, [], false],
  ['another version if versions are compared', { engineVersion: '0.9.0' }, ['engineVersion'], true],
  ['no stated version', { engineVersion: null }, [], true],
  ['another engine', { engine: 'sglang' }, [], false],
  ['another engine, whose settings have other names', { engine: 'sglang', features: { mem: 1 } }, ['engine'], true],
])('%s', (_, changed, compared, expected) => {
  expect(hasSameSettings({ ...base, ...changed }, base, new Set(compared))).toBe(expected);
});
