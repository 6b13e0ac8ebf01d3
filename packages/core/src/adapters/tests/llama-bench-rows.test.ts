import { describe, expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { readArtifact } from '../index.ts';

const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;

describe('rows outside a table', () => {
  const row = (test: string, speed: string) =>
    `llama 8B Q4_K - Medium         |   4.58 GiB |     8.03 B | CUDA       |  99 | ${test} | ${speed}`;
  const figures = (text: string) => read(text).map(({ metrics }) => Object.values(metrics)[0]);

  test('reads rows without a header or a first border', () => {
    const text = `$ llama-bench -m Meta-Llama-3.1-8B-Q4_K_M.gguf\n${row('pp512', '11236.12 ± 50.10')} |\n| ${row('tg128', '186.80 ± 0.10')} |\nbuild: 0a50d9909 (10108)\n`;
    const [prefill, decode] = read(text);
    expect(prefill?.metrics).toEqual({ prefill_tok_s: 11236.12 });
    expect(decode?.metrics).toEqual({ decode_tok_s: 186.8, user_tok_s: 186.8 });
    expect(decode?.system).toMatchObject({
      model: { value: 'Meta-Llama-3.1-8B-Q4_K_M.gguf' },
      quantization: { value: 'Q4_K - Medium' },
      engineVersion: { value: 'b10108' },
      features: {},
    });
    expect(decode?.extra).toMatchObject({ n_gpu_layers: 99, backend: 'CUDA' });
  });

  test('reads rows below other text with the columns of the last header', () => {
    const header = `| model | size | params | backend | ngl | fa | test | t/s |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n`;
    const text = `${header}| ${row('1 | pp512', '11236.12 ± 50.10')} |\n\nand then\n| ${row('1 | tg128', '186.80 ± 0.10')} |\n`;
    expect(figures(text)).toEqual([11236.12, 186.8]);
    expect(read(text)[1]?.system.features).toEqual({ flash_attention: true });
  });

  test('names other settings from the command, and omits rows with settings that nothing names', () => {
    const rows = `${row('1 | 0 | tg128', '186.80 ± 0.10')}\n`;
    expect(read(`> llama-bench.exe -m a.gguf -fa 1 -mmp 0\n${rows}`)[0]?.system.features).toEqual({
      flash_attention: true,
    });
    const fork = `${row('4096 | 1 | 2 | 1 | tg128', '17.83 ± 0.03')}\n`;
    expect(read(`$ llama-bench -m a.gguf -b 4096 -fa 1 -mla 2 -fmoe 1\n${fork}`)[0]?.system).toMatchObject({
      engine: { value: 'ik_llama.cpp' },
      features: { n_batch: 4096, flash_attention: true, mla: 2, fmoe: 1 },
    });
    const plain = `${row('pp512', '11236.12 ± 50.10')}\n`;
    expect(figures(`> llama-bench.exe -m a.gguf -mmp 0\n${plain}${rows}`)).toEqual([11236.12]);
    expect(() => read(rows)).toThrow(DomainError);
  });

  test.each([
    'llama 8B Q4_K - Medium | 4.58 GiB | 8.03 B | CUDA | 99 | pp512 | fast ± 0.10',
    'llama 8B Q4_K - Medium | 4.58 GiB | 8.03 B | CUDA | 99 | pp512 | 186.80',
    'llama 8B Q4_K - Medium | big | 8.03 B | CUDA | 99 | pp512 | 186.80 ± 0.10',
    'llama 8B Q4_K - Medium | 4.58 GiB | 8.03 B | CUDA | all | pp512 | 186.80 ± 0.10',
  ])('does not read %s', (text) => {
    expect(() => read(`${text}\n`)).toThrow(DomainError);
  });
});

test('reads -ot from the command if the table has no column for it', () => {
  const table = (column: string, cell: string) =>
    `| model | size | params | backend | ngl |${column} test | t/s |\n| --- | --- | --- | --- | --- |${column === '' ? '' : ' --- |'} --- | --- |\n| deepseek2 671B Q4_K_R4 | 386.18 GiB | 672.05 B | CUDA | 63 |${cell} pp512 | 80.93 ± 0.10 |\n`;
  const command = '$ ./build/bin/llama-bench -m DeepSeek-R1-Q4_K_R4.gguf -ngl 63 -ot exps=CPU\n';
  expect(read(command + table('', ''))[0]?.system.features).toEqual({
    n_gpu_layers: 63,
    override_tensor: 'exps=CPU',
    offload: true,
  });
  expect(read(command + table(' ot |', ' attn=CPU |'))[0]?.system.features).toMatchObject({
    override_tensor: 'attn=CPU',
  });
});
