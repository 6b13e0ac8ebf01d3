import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { findFamily } from '../../metrics/index.ts';
import type { Adapter } from '../adapter.ts';
import { adapters, readArtifact } from '../index.ts';
import { toArtifactText } from '../reading/text/artifact-text.ts';

const root = new URL('../../../fixtures/', import.meta.url);
const folders = [...adapters.map((adapter) => adapter.id), 'unread'];
const fixtures = folders.flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, root))
    .filter((name) => !name.endsWith('.expected.json'))
    .map((name) => ({ folder, name: `${folder}/${name}`, isRefused: name.includes('.refused.') })),
);

const bytesOf = (name: string) => new Uint8Array(readFileSync(new URL(name, root)));
const encode = (text: string) => new TextEncoder().encode(text);

/** The reading, or the error of the rejection, in a comparable form. */
function outcome(bytes: Uint8Array, all: readonly Adapter[] = adapters): unknown {
  try {
    return readArtifact(bytes, { adapters: all });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { refused: error.code, faults: error.faults.filter((fault) => fault.code !== 'tool_not_found') };
  }
}

function refusal(bytes: Uint8Array, options = {}): DomainError {
  try {
    readArtifact(bytes, options);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('was read, and should not have been');
}

describe.each(fixtures)('$name', ({ folder, name, isRefused }) => {
  // If two adapters claimed a file, the order of the list would decide.
  test('is claimed only by the adapter of its folder', () => {
    const artifact = toArtifactText(bytesOf(name));
    const claimants = adapters.filter((adapter) => adapter.detect(artifact).length > 0).map((adapter) => adapter.id);
    expect(claimants).toEqual(folder === 'unread' ? [] : [folder]);
  });

  test('matches its recorded reading', async () => {
    const read = outcome(bytesOf(name));
    expect(read).toHaveProperty(isRefused ? 'refused' : 'results');
    const expected = new URL(`${name.replace(/\.\w+$/, '')}.expected.json`, root);
    await expect(`${JSON.stringify(read, null, 2)}\n`).toMatchFileSnapshot(expected.pathname);
  });

  if (isRefused) return;

  // An unknown formula has no group, so it would rank with other formulas.
  test('names formulas of the metric registry', () => {
    const { results } = readArtifact(bytesOf(name), { adapters });
    const named = new Set(
      results.flatMap(({ definitions }) => Object.entries(definitions).map((pair) => pair.join(' '))),
    );
    const unknown = [...named].filter((pair) => {
      const [base = '', id] = pair.split(' ');
      return !findFamily(base)?.definitions.some((definition) => definition.id === id);
    });
    expect(unknown).toEqual([]);
  });
});

test('gives the same readings for any order of adapters', () => {
  const orders = fc.shuffledSubarray([...adapters], { minLength: adapters.length });
  const whole = fixtures.map(({ name }) => ({ bytes: bytesOf(name), expected: outcome(bytesOf(name)) }));
  fc.assert(
    fc.property(orders, (order) => {
      for (const { bytes, expected } of whole) expect(outcome(bytes, order)).toEqual(expected);
    }),
    { numRuns: 20 },
  );
});

test('reads one artifact of two tools, in order of appearance', () => {
  const name = (id: string) => fixtures.find((fixture) => fixture.folder === id && !fixture.isRefused)?.name ?? '';
  const text = [name('llama-bench'), name('sglang-bench-one-batch-server')]
    .map((file) => new TextDecoder().decode(bytesOf(file)))
    .join('\n');
  const reading = readArtifact(encode(text));
  expect(reading.tool.name).toBe('llama-bench + sglang bench_one_batch_server');
  const lines = reading.results.map((result) => result.lines.from);
  expect(lines).toEqual(lines.toSorted((a, b) => a - b));
});

// Reading only the known part would drop the other one silently.
test('rejects the whole artifact if no adapter reads a part of it', () => {
  const ours = new TextDecoder().decode(bytesOf('vllm-bench-serve/0.10-wrapped-namespace.txt'));
  const theirs = new TextDecoder().decode(bytesOf('unread/trtllm-2023-encoder.refused.txt'));
  const error = refusal(encode(`${ours}\n${theirs}`));
  expect(error.code).toBe('artifact_unreadable');
  expect(error.faults[0]).toMatchObject({ code: 'tool_unsupported', line: ours.split('\n').length + 1 });
});

test('rejects lines that two adapters claim, and names both', () => {
  const bytes = bytesOf('llama-bench/b6413-power-limit.txt');
  const [first] = adapters.filter((adapter) => adapter.id === 'llama-bench');
  if (first === undefined) throw new Error('no llama-bench adapter');
  const twin: Adapter = { ...first, id: 'twin', title: 'Twin' };
  const error = refusal(bytes, { adapters: [...adapters, twin] });
  expect(error.code).toBe('tool_unrecognised');
  expect(error.message).toContain('Twin and llama-bench');
});

test.each(['', ' \n\t\r\n', '\uFEFF'])('rejects %j as an empty body', (text) => {
  expect(refusal(encode(text)).code).toBe('body_empty');
});

test('rejects an unrecognised artifact with the known formats and its first line', () => {
  const error = refusal(encode(`\n\n${'x'.repeat(500)}\n{"run_name": "a", "batch\n`));
  expect(error.code).toBe('tool_unrecognised');
  expect(error.faults.filter((fault) => fault.code === 'tool_not_found')).toHaveLength(adapters.length);
  expect(error.faults).toContainEqual(
    expect.objectContaining({ line: 3, message: `The artifact begins with: ${'x'.repeat(120)}` }),
  );
  expect(error.faults[0]).toMatchObject({ code: 'json_broken', line: 4 });
});

test('uses only the adapter of tool=, and only for parts that it claims', () => {
  const bytes = bytesOf('llama-bench/b6413-power-limit.txt');
  expect(readArtifact(bytes, { tool: 'llama-bench' }).results).toHaveLength(2);
  expect(refusal(bytes, { tool: 'native' }).code).toBe('tool_unrecognised');
  const unknown = refusal(bytes, { tool: 'lama-bench' });
  expect(unknown.code).toBe('request_invalid');
  expect(unknown.faults[0]).toMatchObject({ parameter: 'tool', hint: expect.stringContaining('"llama-bench"') });
});

test('accepts the maximum number of results, and rejects more', () => {
  const bytes = bytesOf('sglang-bench-one-batch-server/2024-11-three-runs.jsonl');
  expect(refusal(bytes, { maxResults: 2 }).code).toBe('results_too_many');
  expect(readArtifact(bytes, { maxResults: 3 }).results).toHaveLength(3);
});

test('reads records with equal figures as repetitions, and blocks with equal figures as one block', () => {
  const line =
    '{"run_name": "a", "batch_size": 1, "input_len": 8, "output_len": 4, "latency": 1, "output_throughput": 5, "overall_throughput": 12}\n';
  expect(readArtifact(encode(line.repeat(2))).results.map((result) => result.repetition)).toEqual([1, 2]);
  const { results } = readArtifact(bytesOf('vllm-bench-serve/0.10-block-and-its-tee.txt'));
  expect(results).toHaveLength(1);
  expect(results[0]?.load).toEqual({ mode: 'concurrency', level: 32 });
  expect(results[0]?.notes).toContainEqual(expect.objectContaining({ code: 'identical_block', severity: 'info' }));
});

test.each([
  ['[{"a": 1}]', 'application/json'],
  ['{"a": 1}\n{"b": 2}\n', 'application/x-ndjson'],
  ['# made by hand\n---\nversion: 1\nmetrics:\n  n: 1\n...\n', 'application/yaml'],
  ['version: 1\nmetrics:\n  n: 1\n```\n{"a": 1}\n', 'text/markdown'],
  ['version: 1\nmetrics:\n  n: 1\n---\n{"a": 1}\n', 'text/plain'],
])('detects the media type of %j', async (text, expected) => {
  const { toMediaType } = await import('../reading/text/media-type.ts');
  expect(toMediaType(toArtifactText(encode(text)))).toBe(expected);
});

test('detects media types of text', () => {
  expect(readArtifact(bytesOf('llama-bench/b6413-power-limit.txt')).mediaType).toBe('text/plain');
  expect(readArtifact(bytesOf('llama-bench/b1300-old-labels.md')).mediaType).toBe('text/markdown');
});
