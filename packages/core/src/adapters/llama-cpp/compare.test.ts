import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/llama-compare/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
// Published in ggml-org/llama.cpp, pull requests 4844, 15131 and 17505.
const sizes = fixture('2024-01-sizes.md');
const microbatches = fixture('2025-08-microbatches.md');
const depth = fixture('2025-11-depth-and-commit.md');

test('reads each row as a test of two builds', () => {
  const results = read(sizes);
  expect(results).toHaveLength(8);
  expect(results.map(({ metrics }) => metrics).slice(0, 4)).toEqual([
    { prefill_tok_s: 4875.12 },
    { prefill_tok_s: 5394.6 },
    { decode_tok_s: 55.19, user_tok_s: 55.19 },
    { decode_tok_s: 50.37, user_tok_s: 50.37 },
  ]);
  const builds = results.map(({ system }) => system.features.build);
  expect(builds.slice(0, 3)).toEqual(['master', 'sl/backend-sched', 'master']);
  expect(results[7]?.system).toMatchObject({
    gpu: { value: 'RTX 3090 Ti', origin: 'stated' },
    gpuCount: { value: 1 },
    quantization: { value: 'Q4_0', origin: 'stated' },
    engine: { value: 'llama.cpp' },
    engineVersion: null,
  });
  expect(results[7]?.extra).toMatchObject({ printed_model: 'llama 7B Q4_0', file_bytes: 3822520893 });
  expect(results[7]?.definitions).toEqual({ decode_tok_s: 'in_process', user_tok_s: 'in_process' });
});

test('reads other columns as features of the system', () => {
  expect(read(microbatches)[1]?.system.features).toEqual({
    build: 'cuda-mmf-2',
    flash_attention: true,
    n_ubatch: 1,
  });
});

test('reads a depth and two GPUs of a kind', () => {
  const [first] = read(depth.replaceAll('| V100-PCIE-32GB |', '| 2x RTX 3090    |'));
  expect(first?.scenario).toMatchObject({ inputTokens: { value: 512 }, outputTokens: { value: 0 }, depth: 32768 });
  expect(first?.system).toMatchObject({ gpu: { value: 'RTX 3090' }, gpuCount: { value: 2 } });
});

test('reads a tag of llama.cpp as a version', () => {
  expect(read(depth.replace('277014f50', 'b7123'))[1]?.system.engineVersion?.value).toBe('b7123');
});

test('reads no GPU from devices of several kinds', () => {
  const mixed = depth.replaceAll('| V100-PCIE-32GB |', '| RTX 3090, P40  |');
  expect(read(mixed)[0]?.system).toMatchObject({ gpu: null, gpuCount: null });
});

test.each([
  ['a truncated row', fixture('2025-11-row-cut.refused.md'), 4],
  ['a truncated speed', depth.replace('89.23', '89.…'), 3],
  ['an invalid test name', depth.replace('pp512@d32768', 'prompt'), 3],
  ['a table without rows', depth.split('\n').slice(0, 2).join('\n'), 1],
])('rejects %s with its line', (_, text, line) => {
  expect(() => read(text)).toThrow(
    expect.objectContaining({ code: 'artifact_unreadable', faults: [expect.objectContaining({ line })] }),
  );
});

// The same script compares kernels; those tables have a FLOPS column for each build.
test.each([
  `| Backend | GGML op | Op parameters | TFLOPS master | TFLOPS PR | Speedup |
|:--------|:--------|:--------------|--------------:|----------:|--------:|
| CUDA0   | MUL_MAT | type_a=f16    |         10.00 |     11.00 |    1.10 |
`,
  `| Model | Test | t/s | Speedup |
|:------|:-----|----:|--------:|
| x     | pp1  | 5.0 |    1.10 |
`,
])('does not claim %j', (text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
});

// https://github.com/ggml-org/llama.cpp/pull/19378
test('reads a table with the column names of llama-bench', () => {
  const text = readFileSync(new URL('../../../fixtures/llama-compare/2026-renamed-columns.md', import.meta.url));
  const { results } = readArtifact(new Uint8Array(text));
  expect(results).toHaveLength(10);
  expect(results[8]).toMatchObject({
    metrics: { decode_tok_s: 146.11 },
    system: { quantization: { value: 'Q4_0' }, features: { build: '-sm layer' } },
    scenario: { depth: 65536 },
  });
});
