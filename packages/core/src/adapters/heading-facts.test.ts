import { expect, test } from 'vitest';
import { readArtifact } from './index.ts';

const report = (speed: number, end = '\n```') => `\`\`\`
Timing with prompt_tokens=4096, generation_tokens=128, batch_size=1.
Averages: prompt_tps=${speed}.250, generation_tps=9.660, peak_memory=3.329${end}
`;
const systems = (text: string) =>
  readArtifact(new TextEncoder().encode(text)).results.map(({ system }) => [
    system.model?.value ?? null,
    system.quantization?.value ?? null,
  ]);

// As in the README of an MLX backend for Vulkan.
test('reads the model and its quantization from headings', () => {
  const text = `# Results
### Qwen3-0.6B
#### bf16
${report(1990)}
#### 8bit
${report(1120)}
### Qwen3-30B-A3B (MoE)
#### 8bit
${report(120)}
## mlx-community/Qwen3-14B-4bit
${report(601)}`;
  expect(systems(text)).toEqual([
    ['Qwen3-0.6B', 'bf16'],
    ['Qwen3-0.6B', '8bit'],
    ['Qwen3-30B-A3B', '8bit'],
    ['mlx-community/Qwen3-14B-4bit', '4bit'],
  ]);
});

// Otherwise the later reports would have the headings of the first.
test('ends a fence at the end of the last line of an output', () => {
  const text = `### Qwen3-0.6B\n#### bf16\n${report(1990, '```')}\n#### 8bit\n${report(1120, '```')}\n### Other\n${report(120)}`;
  expect(systems(text)).toEqual([
    ['Qwen3-0.6B', 'bf16'],
    ['Qwen3-0.6B', '8bit'],
    [null, null],
  ]);
});

test.each(['Qwen3-0.6B on two machines', 'Results of Qwen3-0.6B', 'bf16 and 8bit', 'After'])(
  'does not use the heading %s, which has more words',
  (title) => {
    expect(systems(`## ${title}\n${report(1990)}`)).toEqual([[null, null]]);
  },
);

test('states that a heading only suggests them', () => {
  const [result] = readArtifact(new TextEncoder().encode(`## Qwen3-0.6B\n### bf16\n${report(1990)}`)).results;
  expect(result?.system).toMatchObject({ model: { origin: 'inferred' }, quantization: { origin: 'inferred' } });
});

test('does not use the heading of a model if the text below it names another one', () => {
  const text = `# Qwen3-0.6B\n${report(1990)}And Qwen3-14B:\n${report(601)}`;
  expect(systems(text)).toEqual([
    ['Qwen3-0.6B', null],
    [null, null],
  ]);
});
