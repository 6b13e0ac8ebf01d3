import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readArtifact } from '../../index.ts';

const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
const fixture = new URL('../../../../fixtures/vllm-bench-serve/0.10-wrapped-namespace.txt', import.meta.url);
const whole = readFileSync(fixture, 'utf8');
const block = whole.slice(whole.indexOf('============ Serving'));

describe('several commands before blocks', () => {
  const uncapped = block.replace(/Maximum request concurrency.*\n/, '');
  const second = uncapped.replace('84.29', '84.30');
  const third = uncapped.replace('84.29', '84.31');
  const command = (cap: number, input: number) =>
    `$ vllm bench serve --model org/name --num-prompts 1000 --max-concurrency ${cap} --dataset-name random --random-input-len ${input}\n`;
  const facts = (text: string) =>
    read(text).map(({ load, scenario, system }) => [
      load?.level ?? null,
      scenario.inputTokens?.value ?? null,
      system.model?.value ?? null,
    ]);

  test.each([
    [
      'as many blocks as commands are in the same order',
      command(4, 214) + command(8, 220) + uncapped + second,
      [
        [4, 214, 'org/name'],
        [8, 220, 'org/name'],
      ],
    ],
    ['one block has what they share', command(4, 214) + command(8, 214) + uncapped, [[null, 214, 'org/name']]],
    [
      'each of fewer blocks has what they share',
      command(4, 214) + command(4, 220) + command(4, 214) + uncapped + second,
      [
        [4, null, 'org/name'],
        [4, null, 'org/name'],
      ],
    ],
    [
      'the first of more blocks has what they share',
      command(4, 214) + command(4, 220) + uncapped + second + third,
      [
        [4, null, 'org/name'],
        [null, null, null],
        [null, null, null],
      ],
    ],
    [
      'a Namespace is of the last command',
      `${command(4, 214)}${command(8, 220)}Namespace(model='org/name', max_concurrency=8, dataset_name='random', random_input_len=220)\n${uncapped}`,
      [[8, 220, 'org/name']],
    ],
  ])('%s', (_, text, expected) => {
    expect(facts(text)).toEqual(expected);
  });
});

describe('lengths of a command', () => {
  // The block has 214 input and 92 output tokens per request.
  const read1 = (options: string) =>
    read(`$ vllm bench serve --model org/name --max-concurrency 8 --dataset-name random ${options}\n${block}`)[0];
  test.each([
    ['--random-input-len 214 --random-output-len 92', 214, 92],
    // Special tokens and a chat template are added.
    ['--random-input-len 122 --random-output-len 128', 122, 128],
    ['--random-input-len 120 --random-output-len 128', null, null],
    ['--random-input-len 353 --random-output-len 128', 353, 128],
    ['--random-input-len 355 --random-output-len 128', null, null],
    // Responses may be shorter than requested, but not longer.
    ['--random-input-len 214 --random-output-len 4096', 214, 4096],
    ['--random-input-len 214 --random-output-len 8', null, null],
  ])('%s: %s in, %s out', (options, input, output) => {
    const result = read1(options);
    expect(result?.scenario.inputTokens?.value ?? null).toBe(input);
    expect(result?.scenario.outputTokens?.value ?? null).toBe(output);
    const note = expect.objectContaining({ code: 'command_of_other_run', severity: 'warning' });
    expect(result?.notes).toEqual(input === null ? [note] : []);
    expect(result?.system.model?.value).toBe('org/name');
  });
});

test('reads many commands before many blocks in linear time', () => {
  const command = '$ vllm bench serve --model org/name --num-prompts 1000\n';
  const blocks = Array.from({ length: 999 }, (_, index) => block.replace('84.29', `${index + 100}.50`)).join('');
  const results = read(command.repeat(1000) + blocks);
  expect(results).toHaveLength(999);
  // That many commands are a script.
  expect(results[0]?.system.model).toBeNull();
});
