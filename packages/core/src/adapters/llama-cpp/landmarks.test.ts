import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
const systems = (text: string) =>
  read(text).map(({ system }) => [system.model?.value ?? null, system.quantization?.value ?? null]);

describe('the log of a server', () => {
  const loading = (file: string) => `srv    load_model: loading model '/home/me/models/${file}'\n`;
  const described = (name: string, type = 'Q4_K - Medium') =>
    `print_info: file type   = ${type}\nprint_info: general.name          = ${name}\n`;
  const timings = (ms: number) => `slot print_timing: id  0 | task 0 |
prompt eval time =      94.46 ms /    16 tokens (    5.90 ms per token,   169.38 tokens per second)
       eval time =    ${ms}.40 ms /   128 tokens (   11.25 ms per token,    88.93 tokens per second)
      total time =    ${ms + 95}.86 ms /   144 tokens
`;
  const file = 'Example-30B-A3B-UD-Q4_K_XL.gguf';

  test('names the file and its quantization', () => {
    const [result] = read(`${loading(file)}${described('Example 30B')}${timings(1439)}`);
    expect(result?.system).toMatchObject({
      model: { value: file, origin: 'context' },
      quantization: { value: 'UD-Q4_K_XL', origin: 'inferred' },
    });
  });

  test('has the file type if the name of the file has no quantization', () => {
    const [result] = read(`${loading('example-30b.gguf')}${described('Example 30B')}${timings(1439)}`);
    expect(result?.system.quantization).toEqual({ value: 'Q4_K - Medium', origin: 'context' });
  });

  test('names the model if the name of the file does not', () => {
    const log = `srv    load_model: loading model '/models/blobs/sha256-0123'\n${described('Example 30B')}`;
    const [result] = read(`${log}${timings(1439)}`);
    expect(result?.system).toMatchObject({
      model: { value: 'Example 30B', origin: 'context' },
      quantization: { value: 'Q4_K - Medium', origin: 'context' },
    });
  });

  // The converter writes the precision of the original weights into the name.
  test('ignores a quantization in the printed name', () => {
    expect(systems(`${described('Example R1 BF16')}${timings(1439)}`)).toEqual([['Example R1', 'Q4_K - Medium']]);
    expect(systems(`${described('n/a')}${timings(1439)}`)).toEqual([[null, 'Q4_K - Medium']]);
  });

  test('names no model if two were loaded without a file, as with a draft model', () => {
    expect(systems(`${described('Example 30B')}${described('Example 1B', 'Q8_0')}${timings(1439)}`)).toEqual([
      [null, null],
    ]);
  });

  test('names the next model after a restart', () => {
    const other = 'Example-8B-Q8_0.gguf';
    const log = `${loading(file)}${timings(1439)}${timings(1440)}${loading(other)}${timings(1441)}`;
    const expected = [
      [file, 'UD-Q4_K_XL'],
      [file, 'UD-Q4_K_XL'],
      [other, 'Q8_0'],
    ];
    expect(systems(log)).toEqual(expected);
    expect(systems(`$ llama-server -m ${file} -c 4096\n${log}`)).toEqual(expected);
  });

  test('is less specific than the command', () => {
    const command = '$ llama-server -hf example-org/Example-30B-GGUF:Q4_K_M --port 8080\n';
    const cached = loading('example-org_Example-30B-GGUF_Example-30B-Q4_K_M.gguf');
    expect(systems(`${command}${cached}${timings(1439)}`)[0]?.[0]).toBe('example-org/Example-30B-GGUF');
  });
});

describe('a line "Model:" above a table', () => {
  const batched = fixture('llama-batched-bench/2025-log.txt');
  const table = batched.slice(batched.search(/^\|\s+PP/m));
  const [header = '', rule = '', row = ''] = table.split('\n');
  const withSpeed = (speed: string) => `\n${header}\n${rule}\n${row.replace(/[\d.]+ \|\s*$/, `${speed} |`)}\n\n`;
  const models = (text: string) => systems(text).map(([model]) => model);

  test.each([
    ['Model: https://huggingface.co/example-org/Example-20B-GGUF', 'example-org/Example-20B-GGUF'],
    ['Model: https://huggingface.co/example-org/Example-20B-GGUF/tree/main', 'example-org/Example-20B-GGUF'],
    ['Model: example-org/Example-20B-GGUF', 'example-org/Example-20B-GGUF'],
    ['- **Model:** [20B](https://huggingface.co/example-org/Example-20B)', 'example-org/Example-20B'],
    ['Model: `hf.co/example-org/Example-20B`', 'example-org/Example-20B'],
    ['Model: /models/Example-20B-Q4_0.gguf', 'Example-20B-Q4_0.gguf'],
    ['Model: n/a', null],
    ['Model: a fast one', null],
    ['Model: https://example.com/a/b', null],
  ])('"%s" names %s', (line, model) => {
    expect(models(`${line}\n${withSpeed('100.00')}`)).toEqual([model]);
  });

  test('applies to the tables of its section', () => {
    const section = (name: string, speed: string) =>
      `## ${name}\n\nModel: https://huggingface.co/org/${name}\n\n### Batches\n${withSpeed(speed)}`;
    expect(models(`${section('Example-20B', '100.00')}${section('Example-120B', '50.00')}`)).toEqual([
      'org/Example-20B',
      'org/Example-120B',
    ]);
    expect(models(`## A\nModel: org/Example-20B\n## B\n${withSpeed('100.00')}`)).toEqual([null]);
  });

  test('names no model next to another, and none for a later table', () => {
    expect(models(`Model: org/Example-20B\nModel: org/Example-120B\n${withSpeed('100.00')}`)).toEqual([null]);
    expect(models(`Model: org/Example-20B\n${withSpeed('100.00')}${withSpeed('50.00')}`)).toEqual([
      'org/Example-20B',
      null,
    ]);
  });

  test('replaces the command of an earlier table', () => {
    const command = '$ llama-batched-bench -m Example-8B.gguf -npp 512\n';
    const text = `${command}${withSpeed('100.00')}Model: org/Example-20B\n${withSpeed('50.00')}`;
    expect(models(text)).toEqual(['Example-8B.gguf', 'org/Example-20B']);
  });
});

test('a heading or a bold line that is a file names the model of the table below it', () => {
  const table = (file: string) =>
    `${file}\n\n| model | size | params | backend | threads | test | t/s |\n| --- | --- | --- | --- | --- | --- | --- |\n| llama 3B Q4_K - Medium | 1.87 GiB | 3.21 B | Metal,BLAS | 16 | pp512 | 2142.59 ± 15.24 |\n`;
  const models = (text: string) => systems(text).map(([model]) => model);
  expect(models(`${table('### Example-1B-Q4_K_M.gguf')}\n${table('### `Example-3B-Q4_K_M.gguf`')}`)).toEqual([
    'Example-1B-Q4_K_M.gguf',
    'Example-3B-Q4_K_M.gguf',
  ]);
  expect(models(table('**Example-3B-Q4_K_M.gguf**'))).toEqual(['Example-3B-Q4_K_M.gguf']);
  expect(models(table('### Download of Example-3B-Q4_K_M.gguf'))).toEqual([null]);
});
