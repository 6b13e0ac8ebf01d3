import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { adapters, readArtifact } from '../index.ts';
import { toolLabels } from './tool-labels.ts';
import { toolNames } from './tool-names.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');

function refusal(text: string, options = {}): DomainError {
  try {
    readArtifact(new TextEncoder().encode(text), options);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('was read');
}

test('names the tool of a truncated block, with its labels, its last line and the next label', () => {
  const block = fixture('vllm-bench-serve/0.5-old-labels.txt').split('\n');
  const from = block.findIndex((line) => line.includes('Benchmark duration'));
  const to = block.findIndex((line) => line.includes('Request throughput'));
  const error = refusal(`a log\n\n${block.slice(from, to + 1).join('\n')}\n`);
  expect(error.code).toBe('tool_unrecognised');
  expect(error.message).toBe(
    'The artifact looks like vllm bench serve (4 of 9 labels), but ends before "Output token throughput (tok/s)".',
  );
  expect(error.faults[0]).toMatchObject({
    code: 'tool_nearest',
    line: 3 + to - from,
    message: error.message,
    hint: expect.stringContaining('Missing: "Serving Benchmark Result", "Successful requests"'),
  });
});

test('gives the line of the log as sent', () => {
  const lines = ['a', 'Total input tokens: 5', 'Total generated tokens: 6', 'Benchmark duration (s): 1', 'b'];
  const prefixed = lines.map((line, index) => `2026-01-02T03:04:0${index}.1234567Z ${line}`);
  expect(refusal(prefixed.join('\n')).faults[0]).toMatchObject({ code: 'tool_nearest', line: 4 });
});

test('counts the labels of the requested tool', () => {
  const text = 'Benchmark duration (s): 1\nTotal input tokens: 5\nTotal generated tokens: 6\n';
  expect(refusal(text, { tool: 'vllm-bench-serve' }).message).toBe(
    'This is not output of vllm bench serve. The artifact looks like vllm bench serve (3 of 9 labels), but ends before "Request throughput (req/s)".',
  );
  expect(refusal(text, { tool: 'ollama' }).faults.some(({ code }) => code === 'tool_nearest')).toBe(false);
});

test('names a tool that appears only in a command or a heading, with the line', () => {
  const table =
    'results of\n`llama-bench -r 3`\n\n| Backend | pp512 | tg128 |\n| --- | --- | --- |\n| Vulkan | 2001 t/s | 62 t/s |\n';
  expect(refusal(table).faults[0]).toMatchObject({
    code: 'tool_nearest',
    line: 2,
    message: 'The artifact mentions "llama-bench" but lacks the figures that llama-bench prints.',
    hint: expect.stringContaining('native format'),
  });
  const ofAnother =
    '2024/07/12 02:25:54 ==== Serving Benchmark Result ====\n2024/07/12 02:25:54 Success Rate (Percent): 100.00\n';
  expect(refusal(ofAnother).message).toContain('that vllm bench serve prints');
  const ids = new Set(adapters.map(({ id }) => id));
  expect(toolNames.filter(({ adapter }) => !ids.has(adapter))).toEqual([]);
});

test.each(['nothing at all', 'Backend: x', '{"results": 1}', 'eval rate: fast'])('names no tool for %j', (text) => {
  expect(refusal(text).faults.some(({ code }) => code === 'tool_nearest')).toBe(false);
});

test('lists labels only for existing adapters, without duplicates', () => {
  const ids = new Set(adapters.map(({ id }) => id));
  for (const { adapter, labels } of toolLabels) {
    expect(ids.has(adapter)).toBe(true);
    expect(new Set(labels).size).toBe(labels.length);
    expect(labels.length).toBeGreaterThan(2);
  }
});

// From public threads.
test.each([
  [
    'Run Summary Info\n| a |\nText Metrics Statistics (Completed Requests)\n',
    'The artifact looks like guidellm (2 of 5 labels)',
  ],
  [
    'REQUEST DETAILS\nWORLD + RUNTIME INFORMATION\nPERFORMANCE OVERVIEW\nRequest Throughput (req/sec): | 0.9 | 0.8\n',
    'The artifact looks like trtllm-bench (4 of 7 labels)',
  ],
  [
    'Mean TPOT (ms):  16.80\nMedian TPOT (ms): 6.52\nP99 TPOT (ms): 54.97\nMean ITL (ms): 16.80\n',
    'The artifact looks like vllm bench serve (3 of 5 labels)',
  ],
])('names the nearest tool for %j', (text, message) => {
  expect(refusal(text).message).toContain(message);
});

test.each([
  '| Metric | conc=8 |\n|---|---|\n| Mean TTFT (ms) | 330.6 |\n| Mean TPOT (ms) | 12.8 |\nISL=1024, OSL=1024\n',
  '### Text Generation\n| Gen Length | a |\n|---|---|\n| tg64 | 93.4 |\n',
])('suggests the native format for a handmade table: %j', (text) => {
  const [fault] = refusal(text).faults;
  expect(fault).toMatchObject({ code: 'tool_unrecognised', hint: expect.stringContaining('native format') });
});
