import { readFileSync } from 'node:fs';
import { boundNames } from '@inferboard/core/filters/parameters';
import { findMetric } from '@inferboard/core/metrics/index';

/** Shortened responses of the service to its sample data, by operation and status. */
export type RecordedAnswers = Record<string, Record<string, unknown>>;

export const recordedFile = new URL('../../examples.json', import.meta.url);
const recorded = JSON.parse(readFileSync(recordedFile, 'utf8')) as RecordedAnswers;

/** Undefined if no example was recorded; a test then fails. */
export const exampleOfAnswer = (operationId: string, status: string): unknown => recorded[operationId]?.[status];

const byName: Record<string, unknown> = {
  model: 'llama-3.1-8b',
  model_family: 'llama-3.1',
  quantization: 'fp8',
  gpu: 'h100',
  gpu_count: 1,
  min_gpu_count: 1,
  max_gpu_count: 8,
  gpu_power_limit_w: 450,
  min_gpu_power_limit_w: 300,
  max_gpu_power_limit_w: 600,
  not_model: 'llama-2-7b',
  not_gpu: 'h100',
  not_quantization: 'fp8',
  not_engine: 'vllm',
  min_context: 4096,
  engine: 'vllm',
  engine_version: 'b6413',
  scenario: 'chatbot',
  workload: 'tg128-offline',
  regime: 'offline',
  definition: 'in_process',
  count: 'exact',
  load_mode: 'concurrency',
  load_level: 8,
  min_load_level: 1,
  max_load_level: 32,
  min_quality: 'gsm8k:0.75',
  quality_within: 'gsm8k:bf16:1%',
  trust: 'self_reported',
  account: 'sample-data',
  tool: 'llama-bench',
  since: '2026-01-01T00:00:00Z',
  until: '2027-01-01T00:00:00Z',
  include: 'quarantined',
  status: 'accepted',
  system: 'sys_3f1c5a0b9d8e7f6a5b4c3d2e',
  submission: 'sub_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f',
  subject: 'model',
  order: 'desc',
  rows: 'model',
  columns: 'gpu',
  cursor: 'WyJoSnA1dGtLRnVTdW4iLCJyZXNfMDE5MmYwYzhhMWIyN2MzZDhlNGY1YTZiN2M4ZDllMGYiXQ',
  tensor_parallel: 1,
  input_tokens: 1024,
  output_tokens: 256,
  dataset: 'sharegpt',
  unit: 'ms',
  notes: 'Fans at full speed; the first run after a restart.',
  source_url: 'https://example.org/benchmarks/42',
  measured_at: '2026-01-15T09:30:00Z',
  dry_run: 'true',
  'idempotency-key': '0f8e6a52-3b0b-4c9e-9d1a-6f0f3f5f2b11',
};

/** A bound that a result with this unit can meet. */
const byUnit: Record<string, number> = { ms: 200, 'tok/s': 50, 'req/s': 2, s: 60, '': 0.5 };

const bounds = new Map(
  boundNames.map(({ parameter, bound }) => [parameter, byUnit[findMetric(bound.metric)?.family.unit ?? ''] ?? 100]),
);

/** An example value of a common parameter; a list if the parameter may be repeated. */
export function exampleOfParameter(name: string, schema: Record<string, unknown>): unknown {
  const value = byName[name] ?? bounds.get(name);
  return schema.type === 'array' && value !== undefined ? [value] : value;
}
