import { describe, expect, test } from 'vitest';
import { readArtifact } from '../../index.ts';
import { toArtifactText } from './artifact-text.ts';
import { findSections, gpuCountIn, powerLimitIn, sectionAt } from './sections.ts';

const bytes = (...lines: string[]) => new TextEncoder().encode(`${lines.join('\n')}\n`);
const limitAt = (line: number, ...lines: string[]) =>
  powerLimitIn(sectionAt(findSections(toArtifactText(bytes(...lines))), line));

describe('a power limit in a heading', () => {
  test.each<[string, number | null]>([
    ['### 600W', 600],
    ['# 450 W', 450],
    ['## **350 watts**', 350],
    ['## Power limit: 300 W', 300],
    ['## llama2-7b @ 250W', 250],
    ['## RTX 4090 (450W)', 450],
    ['## llama2-7b, 285 W power limit', 285],
    ['## 562.5 W ##', 562.5],
    ['## 600W PSU', null],
    ['## W8A8', null],
    ['## Qwen3 30B', null],
    ['### 600Wh', null],
    ['600W', null],
    ['#600W', null],
    ['## 2025W', null],
    ['## 1W', 1],
  ])('"%s": %j', (heading, expected) => {
    expect(limitAt(3, heading, '', 'text')).toBe(expected);
  });

  test('applies to deeper headings, until the next heading of its level', () => {
    const lines = ['# a', '## 600W', 'x', '### b', 'y', '## c', 'z', '# d', 'w'];
    expect([1, 3, 5, 7, 9].map((line) => limitAt(line, ...lines))).toEqual([null, 600, 600, null, null]);
  });

  test('is overridden by that of a deeper heading', () => {
    expect(limitAt(3, '# 600W', '## 300W', 'x')).toBe(300);
  });

  test('is ignored in a fence', () => {
    expect(limitAt(4, '```', '# 600W', '```', 'x')).toBeNull();
    expect(limitAt(6, '# 600W', '```❯ run', '# 300W', 'out', '```', 'x')).toBe(600);
    expect(limitAt(5, '~~~', '```', '# 600W', '~~~', 'x')).toBeNull();
  });
});

describe('a number of GPUs in a heading', () => {
  const countAt = (line: number, ...lines: string[]) =>
    gpuCountIn(sectionAt(findSections(toArtifactText(bytes(...lines))), line));

  test.each<[string, number | null]>([
    ['# Tensor Parallel (TP) - 2 GPUs', 2],
    ['## **1 GPU**', 1],
    ['### Llama 70B (8 GPUs)', 8],
    ['## A server with 8 GPUs', null],
    ['## 2 GPUs and 4 nodes', null],
    ['## 0 GPUs', null],
    ['## H100', null],
  ])('"%s": %j', (heading, expected) => {
    expect(countAt(3, heading, '', 'text')).toBe(expected);
  });

  test('applies to deeper headings', () => {
    expect(countAt(3, '# TP - 8 GPUs', '## Sequence Length 100', 'x')).toBe(8);
  });
});

const table = (figure: string) => [
  '| model | size | params | backend | ngl | test | t/s |',
  '| --- | --- | --- | --- | --- | --- | --- |',
  `| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA | 99 | tg128 | ${figure} |`,
];
const read = (...lines: string[]) => readArtifact(bytes(...lines));

describe('tables under headings', () => {
  test('have the limit of their heading, and equal figures under two headings are two results', () => {
    const { results } = read('## 600W', ...table('279.0 ± 0.1'), '', '## 500W', ...table('279.0 ± 0.1'));
    expect(results.map(({ system }) => system.gpuPowerLimitW)).toEqual([
      { value: 600, origin: 'context' },
      { value: 500, origin: 'context' },
    ]);
  });

  test('with equal figures under one heading are one result', () => {
    expect(read('## 600W', ...table('279.0 ± 0.1'), '', ...table('279.0 ± 0.1')).results).toHaveLength(1);
  });

  test('keep a limit that the result states', () => {
    const report = {
      schema: 'inferboard/v1',
      system: { model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'h100-sxm', gpu_power_limit_w: 500 },
      scenario: 'chatbot',
      results: [{ load: { mode: 'concurrency', level: 8 }, metrics: { output_tok_s: 100 } }],
    };
    const { results } = read('# 600W', JSON.stringify(report));
    expect(results[0]?.system.gpuPowerLimitW?.value).toBe(500);
  });
});

describe('ignored lines', () => {
  const training = ['# Training', '', 'llama-3.2-1b', 'bs=32', '3:00-3:20h sft'];

  test('include a section with figures and no result, by its heading', () => {
    expect(read('# llama.cpp', ...table('279.0 ± 0.1'), ...training).ignored).toEqual(['section "Training" on line 5']);
  });

  test('list a section once for all its subsections', () => {
    const notes = ['# Notes', '## One', '1', '## Two', '2'];
    expect(read(...table('279.0 ± 0.1'), ...notes).ignored).toEqual(['section "Notes" on line 4']);
  });

  test('include neither prose nor a heading above a table', () => {
    expect(read('# Numbers of 2025', '## Set up', 'As usual.', '## Results', ...table('279.0 ± 0.1')).ignored).toEqual(
      [],
    );
  });

  test('are limited to 20', () => {
    const many = Array.from({ length: 50 }, (_, index) => [`## ${index}`, '1']).flat();
    expect(read(...table('279.0 ± 0.1'), ...many).ignored).toHaveLength(20);
  });
});
