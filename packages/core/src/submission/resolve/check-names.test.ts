import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DomainError, type Fault } from '../../errors.ts';
import { bytesOf, native } from '../../testing/artifacts.ts';
import type { Parameters } from '../parameters.ts';
import { readSubmission } from '../read-submission.ts';

// Boards list names next to each other, so a name must not imitate another one or contain advertising.

const encoder = new TextEncoder();

/** Faults of a submission; empty if it is accepted. */
function faultsOf(bytes: Uint8Array, given: Parameters = {}): Fault[] {
  try {
    readSubmission(bytes, given);
    return [];
  } catch (error) {
    if (error instanceof DomainError) return error.faults;
    throw error;
  }
}

/** A native report of a system with otherwise known facts. */
const ofSystem = (facts: Record<string, unknown>) =>
  native({ system: { model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'h100-sxm', gpu_count: 1, ...facts } });

const refusedNames = (faults: readonly Fault[]) => faults.filter(({ code }) => code === 'name_refused');

/** llama-bench output with these names. */
const llamaBench = (model: string, gpu: string) =>
  encoder.encode(
    JSON.stringify([
      {
        ...{ build_commit: 'abc1234', build_number: 6413, gpu_info: gpu, backends: 'CUDA', model_filename: model },
        ...{
          model_type: model,
          model_size: 4_000_000_000,
          model_n_params: 7_000_000_000,
          n_batch: 2048,
          n_ubatch: 512,
        },
        ...{ n_threads: 8, type_k: 'f16', type_v: 'f16', n_gpu_layers: 99, n_prompt: 512, n_gen: 0 },
        ...{ test_time: '2026-01-01T00:00:00Z', avg_ns: 1, stddev_ns: 0, avg_ts: 4000, stddev_ts: 10 },
      },
    ]),
  );

describe('an engine outside the catalogue', () => {
  test.each(['my-engine', 'Engine X 2', 'exo.labs', 'flash-attn (fork)', 'Triton [FP16]', 'движок'])(
    'can be %s, and waits for an admin',
    (engine) => {
      const [result] = readSubmission(bytesOf(ofSystem({ engine })), {}).results;
      expect(result).toMatchObject({ status: 'quarantined', system: { engine: { id: null, name: engine } } });
      expect(result?.findings.map(({ code }) => code)).toContain('engine_unknown');
    },
  );

  test.each([
    ['Buy GPUs at evil.example!', 'evil.example'],
    ['Cheap GPUs!', '"!"'],
    ['best <engine>', '"<"'],
    ['call 555 $', '"$"'],
    ['x'.repeat(61), '60 characters'],
    ['https://evil', '://'],
  ])('cannot be %j', (engine, named) => {
    const faults = [
      faultsOf(bytesOf(ofSystem({ engine }))),
      faultsOf(bytesOf(ofSystem({ engine: undefined })), { engine }),
    ];
    for (const [fault, ...others] of faults) {
      expect(others).toEqual([]);
      expect(fault).toMatchObject({ code: 'name_refused', parameter: 'engine' });
      expect(fault?.message).toContain(named);
    }
  });

  test('is not reported for a known or unspecified engine', () => {
    for (const engine of ['vLLM', 'vllm 0.11.0', 'llama.cpp', 'unspecified']) {
      const [result] = readSubmission(bytesOf(ofSystem({ engine })), {}).results;
      expect(result?.status, engine).toBe('accepted');
    }
  });
});

describe('a name in an artifact', () => {
  test.each<[string, string, string, string]>([
    ['model', 'llamа 7B Q4_0', 'NVIDIA H100', 'U+0430'],
    ['gpu', 'llama 7B Q4_0', 'NVIDIA H100\u200b', 'U+200B'],
    ['model', 'rent at gpus.example', 'NVIDIA H100', 'gpus.example'],
    ['gpu', 'llama 7B Q4_0', 'www.gpus', 'www.'],
  ])('is rejected by field and character: %s', (parameter, model, gpu, named) => {
    const faults = refusedNames(faultsOf(llamaBench(model, gpu)));
    expect(faults.map((fault) => fault.parameter)).toEqual([parameter]);
    expect(faults[0]?.message).toContain(named);
  });
});

describe('a name in a parameter', () => {
  test.each<[keyof Parameters, string]>([
    ['quantization', 'see evil.example'],
    ['engine_version', 'evil.example'],
    ['dataset', 'https://evil'],
    ['scenario', 'www.evil'],
  ])('is rejected for %s', (parameter, value) => {
    const bytes = bytesOf(
      native({ system: { quantization: undefined, engine: { name: 'vllm' } }, scenario: undefined }),
    );
    const rest: Parameters = { quantization: 'fp8', input_tokens: 1024, output_tokens: 128 };
    const faults = refusedNames(faultsOf(bytes, { ...rest, [parameter]: value }));
    expect(faults).toMatchObject([{ parameter }]);
  });
});

/** Original tool output files below a folder. */
const filesIn = (folder: URL): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`);

describe('original files', () => {
  const fixtures = new URL('../../../fixtures/', import.meta.url);
  const shared = new URL('../../../../../../shared/real-results/', import.meta.url);
  const files = [fixtures, shared].filter((folder) => existsSync(folder)).flatMap(filesIn);

  test('are not rejected because of names', () => {
    expect(files.length).toBeGreaterThan(100);
    const facts: Parameters = { model: 'llama-3.1-8b', gpu: 'h100-sxm', quantization: 'fp8' };
    const refused = files.flatMap((file) => {
      const bytes = readFileSync(file);
      return [...faultsOf(bytes), ...faultsOf(bytes, facts)]
        .filter(({ code, message }) => code === 'name_refused' || /must not (?:hold|mix)/.test(message))
        .map(({ message }) => `${file}: ${message}`);
    });
    expect(refused).toEqual([]);
  }, 60_000);
});
