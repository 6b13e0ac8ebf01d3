import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { readArtifact } from '../index.ts';

// A forum or an editor adds a line end to a paste that was cut within a number.

const root = new URL('../../../fixtures/', import.meta.url);

/** Programs that print each figure with a fixed number of decimals, or a closing line. */
const tools = [
  'vllm-bench-serve',
  'vllm-serve-plain',
  'sglang-bench-multiturn',
  'sglang-bench-serving',
  'sglang-bench-offline-throughput',
  'trtllm-benchmark-serving',
  'trtllm-bench',
  'mlx-lm-benchmark',
  'mlperf-loadgen',
  'ai-hypercomputer-inference-benchmark',
  'vllm-bench-throughput',
  'trtllm-gpt-manager-benchmark',
];

const files = tools.flatMap((tool) =>
  readdirSync(new URL(`${tool}/`, root))
    .filter((name) => /\.(?:txt|md)$/.test(name) && !name.includes('.refused.'))
    .map((name) => `${tool}/${name}`),
);

function figures(text: string): [name: string, value: number][] {
  try {
    const { results } = readArtifact(new TextEncoder().encode(text));
    return results.flatMap(({ metrics }) => Object.entries(metrics));
  } catch (error) {
    if (error instanceof DomainError) return [];
    throw error;
  }
}

/** Without the point, which units in milliseconds move. */
const digitsOf = (number: string) => number.replace('.', '').replace(/^0+|0+$/g, '');

/** Maximum number of cuts of one file, spread over its numbers. */
const mostCuts = 150;

test.each(files)('%s: omits a truncated number before a line end', (name) => {
  const text = readFileSync(new URL(name, root), 'utf8');
  // A cut report may lack what shows that its latencies were not streamed, and then other figures are derived.
  const numbers = text.match(/\d+(?:\.\d+)?/g) ?? [];
  const whole = new Set([...figures(text).map(([, value]) => value), ...numbers.map(Number)]);
  const isPart = (value: number) => numbers.some((number) => digitsOf(number).startsWith(digitsOf(String(value))));
  const places = [...text.matchAll(/\d[\d.]*\d/g)].flatMap(({ 0: number, index }) =>
    Array.from({ length: number.length - 1 }, (_, at) => index + at + 1),
  );
  const step = Math.max(1, Math.ceil(places.length / mostCuts));
  const changed = places
    .filter((_, index) => index % step === 0)
    .flatMap((place) => figures(`${text.slice(0, place)}\n`).filter(([, value]) => !whole.has(value) && isPart(value)));
  expect(changed).toEqual([]);
});
