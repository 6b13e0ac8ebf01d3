import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from './index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;

// Two repetitions without spread would narrow the interval of the result.
test.each(['llama-bench/b5163-array.json'])('reads the same records twice in one file as one run: %s', (name) => {
  const text = fixture(name);
  const once = read(text);
  const twice = read(`${text}\n${text}`);
  expect(twice.map(({ metrics }) => metrics)).toEqual(once.map(({ metrics }) => metrics));
  expect(twice[0]?.notes).toContainEqual(expect.objectContaining({ code: 'identical_block' }));
});

test('keeps records of different times, with rounded figures, or with another figure', () => {
  const record = { backend: 'sglang', dataset_name: 'random', request_rate: 2, duration: 30.5, completed: 60 };
  const line = (over: object) => JSON.stringify({ ...record, total_output_tokens_retokenized: 7680, ...over });
  const counts = (...lines: string[]) => read(lines.join('\n')).length;
  expect(counts(line({ mean_ttft_ms: 100.1234567 }), line({ mean_ttft_ms: 100.1234567 }))).toBe(1);
  expect(counts(line({ mean_ttft_ms: 100.1234567 }), line({ mean_ttft_ms: 100.1234568 }))).toBe(2);
  expect(counts(line({ mean_ttft_ms: 100.12 }), line({ mean_ttft_ms: 100.12 }))).toBe(2);
});
