import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { readArtifact } from '../index.ts';
import { parseFileType, parseParameters, parseSize, parseSpeed, parseTest } from './cells.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
const log = fixture('llama-bench/b6413-power-limit.txt');
const table = log.slice(log.indexOf('| model'));

test('reads metrics, model, file type, device and build from a log', () => {
  const [prefill, decode] = read(log);
  expect(prefill?.metrics).toEqual({ prefill_tok_s: 15225.27 });
  expect(prefill?.repeats).toEqual({ n: null, sd: { prefill_tok_s: 1276.77 }, samples: null });
  expect(decode?.metrics).toEqual({ decode_tok_s: 279.04, user_tok_s: 279.04 });
  expect(decode?.definitions).toEqual({ decode_tok_s: 'in_process', user_tok_s: 'in_process' });
  expect(decode?.system).toMatchObject({
    model: { value: 'llama-2-7b.Q4_0.gguf', origin: 'context' },
    quantization: { value: 'Q4_0', origin: 'stated' },
    gpu: { value: 'NVIDIA RTX PRO 6000 Blackwell Workstation Edition', origin: 'context' },
    gpuCount: { value: 1, origin: 'context' },
    engine: { value: 'llama.cpp', origin: 'stated' },
    engineVersion: { value: 'b6413', origin: 'stated' },
    features: { flash_attention: true },
  });
  expect(decode?.load).toEqual({ mode: 'batch', level: 1 });
  expect(decode?.extra).toMatchObject({
    n_gpu_layers: 99,
    params: 6.74e9,
    printed_model: 'llama 7B Q4_0',
    backend: 'CUDA',
  });
});

// https://github.com/lhl/strix-halo-testing/issues/33
test('reads a table without backend and settings columns', () => {
  const results = read(fixture('llama-bench/2025-10-narrow.md'));
  expect(results.map(({ metrics }) => Object.values(metrics)[0])).toEqual([998.24, 47.41, 826.59, 44.14]);
  expect(results[3]?.scenario.depth).toBe(4096);
  expect(results[3]?.extra).not.toHaveProperty('backend');
});

// https://github.com/ikawrakow/ik_llama.cpp/issues/296
test("skips ik_llama.cpp's line of repacked tensors, and reads tg64@pp512 as generation after a prompt", () => {
  const results = read(fixture('llama-bench/b3613-ik-repacked.md'));
  expect(results.map(({ metrics, scenario }) => [scenario.depth, Object.values(metrics)[0]])).toEqual([
    [null, 122.55],
    [null, 74.34],
    [null, 52.68],
    [512, 8.2],
    [8192, 6.7],
    [16384, 5.52],
  ]);
});

// https://github.com/ikawrakow/ik_llama.cpp/issues/419
test('skips such a line as a row with one cell in a table that an editor reformatted', () => {
  const results = read(fixture('llama-bench/b3702-ik-laid-out-again.md'));
  expect(results.map(({ metrics }) => Object.values(metrics)[0])).toEqual([31.47, 42.14, 50.67, 8.83, 8.73, 9.15]);
});

test('reads a backend as a fact of the system unless the GPU implies it', () => {
  const backendOf = (text: string) => read(table.replaceAll('| CUDA ', `| ${text} `))[0]?.system.features.backend;
  expect(['CUDA', 'Metal', 'BLAS,MTL'].map(backendOf)).toEqual([undefined, undefined, undefined]);
  expect(['Vulkan', 'ROCm', 'CUDA,RPC', 'RPC,CUDA', 'CUDA+BLAS'].map(backendOf)).toEqual([
    ...['vulkan', 'rocm', 'cuda+rpc', 'cuda+rpc', 'blas+cuda'],
  ]);
});

test('reads settings that llama.cpp does not have as those of ik_llama.cpp', () => {
  const [header = '', rule = '', row = ''] = table.split('\n');
  const fork = [`${header} rtr |`, `${rule} --: |`, `${row} 1 |`].join('\n');
  expect(read(fork)[0]?.system).toMatchObject({
    engine: { value: 'ik_llama.cpp', origin: 'inferred' },
    features: { rtr: 1 },
  });
});

test.each([
  ['99', undefined],
  ['-1', undefined],
  ['20', 20],
])('reads %s GPU layers as the feature %o', (layers, feature) => {
  const partial = table.replaceAll(/\|( +)99 \|/g, `|$1${layers} |`);
  expect(read(partial)[0]?.system.features.n_gpu_layers).toBe(feature);
});

test('skips rows without text', () => {
  const [header = '', rule = '', ...rows] = table.trim().split('\n');
  const blank = header.replaceAll(/[^|]/g, ' ');
  expect(read([header, rule, blank, ...rows].join('\n'))).toHaveLength(read(table).length);
});

test('skips the table without rows of a failed run next to other tables', () => {
  const empty = `${table.split('\n').slice(0, 2).join('\n')}\nmain: error: failed to load model\n\n`;
  const { results, ignored } = readArtifact(new TextEncoder().encode(`${empty}${log}`));
  expect(results).toHaveLength(2);
  expect(ignored).toContain('report without figures on line 1');
  expect(() => read(empty)).toThrow('The table on line 1 has no rows.');
});

test('reads only the file type from a table without a log', () => {
  const [result] = read(table);
  expect(result?.system).toMatchObject({ model: null, gpu: null, quantization: { value: 'Q4_0' } });
});

test.each([
  ['two models in one command', log.replace('-fa 1', '-m other.gguf')],
  ['a variable', log.replace('/models/llm/gguf/llama-2-7b.Q4_0.gguf', '$MODEL')],
])('reads no model from %s', (_, text) => {
  expect(read(text)[0]?.system.model).toBeNull();
});

describe('devices', () => {
  const device = '  Device 1: NVIDIA RTX PRO 6000 Blackwell Workstation Edition, compute capability 12.0, VMM: yes\n';
  const withSecond = (line: string) => read(log.replace('| model ', `${line}| model `))[0]?.system;

  test('counts two GPUs of a kind, and leaves two kinds to the submitter', () => {
    expect(withSecond(device)).toMatchObject({ gpuCount: { value: 2 } });
    expect(withSecond(device.replace('PRO 6000', 'PRO 4000'))).toMatchObject({ gpu: null, gpuCount: null });
  });

  /** The log of a build with `count` GPUs, and its table with an added column. */
  const withColumn = (count: number, column: string, value: string) => {
    const cell = (text: string) => text.replaceAll(/^(\| llama .*?\| {2}99 \|)/gm, `$1 ${value} |`);
    const header = log
      .replace('found 1 CUDA', `found ${count} CUDA`)
      .replace('| ngl |', `| ngl | ${column} |`)
      .replace('| --: |', '| --: | --: |');
    return read(cell(header))[0]?.system.gpuCount?.value;
  };

  test.each<[string, number | undefined]>([
    ['ggml_cuda_init: found 3 CUDA devices:', 3],
    ['ggml_cuda_init: found 3 CUDA devices (Total VRAM: 72000 MiB):', 3],
    ['ggml_init_cublas: found 3 CUDA devices:', 3],
    ['ggml_cuda_init: found 3 ROCm devices:', undefined],
  ])('reads the count from "%s", even if the GPUs are not listed', (line, expected) => {
    const text = log.replace('ggml_cuda_init: found 1 CUDA devices:', line).replace(/^ {2}Device 0.*\n/m, '');
    expect(read(text)[0]?.system).toMatchObject({ gpu: null });
    expect(read(text)[0]?.system.gpuCount?.value).toBe(expected);
  });

  test.each([
    ['SYCL', 'ggml_sycl_init: found 2 SYCL devices:', 2],
    ['SYCL', 'Found 2 SYCL devices:', 2],
    ['Vulkan', 'ggml_vulkan: Found 2 Vulkan devices:', 2],
    ['ROCm', 'ggml_cuda_init: found 2 ROCm devices:', 2],
    ['CPU', 'ggml_cuda_init: found 2 CUDA devices:', undefined],
  ])('reads the number of devices of %s from "%s"', (backend, line, expected) => {
    const [result] = read(`${line}\n${table.replaceAll('| CUDA  ', `| ${backend}`)}`);
    expect(result?.system.gpuCount?.value).toBe(expected);
  });

  test.each<[string, string, number]>([
    ['ts', '1.00/1.00/1.00', 3],
    ['ts', '3.00/0.00/1.00', 2],
    ['ts', '1.00', 1],
    ['sm', ' none', 1],
    ['sm', '  row', 3],
    ['main_gpu', '1', 3],
    ['dev', 'CUDA0/CUDA2', 2],
    ['dev', 'CUDA1', 1],
  ])('of three GPUs, %s %s uses %d', (column, value, expected) => {
    expect(withColumn(3, column, value)).toBe(expected);
  });

  test('reads a count from tensor_split if no line lists the GPUs', () => {
    const text = table
      .replaceAll(/^(\| llama .*?\| {2}99 \|)/gm, '$1 1.00/1.00/1.00 |')
      .replace('| ngl |', '| ngl | ts |');
    expect(read(text.replace('| --: |', '| --: | --: |'))[0]?.system.gpuCount).toEqual({ value: 3, origin: 'stated' });
  });

  test.each([
    ['ROCm', '  Device 0: AMD Radeon RX 7900 XTX, gfx1100 (0x1100), VMM: no, Wave Size: 32', 'AMD Radeon RX 7900 XTX'],
    ['Vulkan', 'ggml_vulkan: 0 = NVIDIA GeForce RTX 4090 (NVIDIA) | uma: 0 | fp16: 1', 'NVIDIA GeForce RTX 4090'],
    ['Metal', 'ggml_metal_init: GPU name:   Apple M2 Ultra', 'Apple M2 Ultra'],
    ['CPU', '  Device 0: NVIDIA RTX A2000, compute capability 8.6', null],
  ])('reads the device list of %s', (backend, line, expected) => {
    const [result] = read(`${line}\n${table.replaceAll('| CUDA  ', `| ${backend}`)}`);
    expect(result?.system.gpu?.value ?? null).toBe(expected);
  });
});

// The heading states the power limit, not the log below it.
test('applies headings between tables to the tables below them', () => {
  const { results, ignored } = readArtifact(new TextEncoder().encode(fixture('llama-bench/b6413-headings.md')));
  expect(results.map(({ system }) => system.gpuPowerLimitW?.value)).toEqual([600, 600, 450, 450, undefined]);
  expect(ignored).toEqual(['section "Training" on line 42']);
});

// Otherwise, rows with different compared settings would count as repetitions of one point.
describe('a command without a table of its own model', () => {
  const tableOf = (model: string, params: string) =>
    `| model | size | params | backend | ngl | test | t/s |\n| --- | --- | --- | --- | --- | --- | --- |\n| ${model} | 100 GiB | ${params} | CUDA | 99 | tg128 | 10.00 ± 0.10 |\n`;
  const deepseek = tableOf('deepseek2 671B Q4_K - Medium', '671.03 B');
  const gptOss = tableOf('gpt-oss 120B MXFP4 MoE', '116.83 B');
  const command = (model: string) => `$ llama-bench -m ${model} -ot exps=CPU -r 3\n`;
  const facts = (text: string) =>
    read(text).map(({ system, repeats }) => [system.model?.value ?? null, system.features.offload ?? null, repeats?.n]);
  const own = ['DeepSeek-R1-Q4_K_M.gguf', true, 3];

  test('applies to later tables of the same model', () => {
    const other = tableOf('deepseek2 671B Q8_0', '671.03 B');
    expect(facts(`${command('DeepSeek-R1-Q4_K_M.gguf')}${deepseek}\nWith flash attention:\n\n${other}`)).toEqual([
      own,
      own,
    ]);
  });

  test('does not apply to a table or a row of another model', () => {
    const from = command('DeepSeek-R1-Q4_K_M.gguf');
    const none = [null, null, null];
    expect(facts(`${from}${deepseek}\nAnd gpt-oss:\n\n${gptOss}`)).toEqual([own, none]);
    const [, , row = ''] = gptOss.split('\n');
    expect(facts(`${from}${deepseek}${row}\n`)).toEqual([own, none]);
    expect(facts(`# DeepSeek-R1-Q4_K_M.gguf\n${deepseek}\nAnd gpt-oss:\n\n${gptOss}`).map(([model]) => model)).toEqual([
      'DeepSeek-R1-Q4_K_M.gguf',
      null,
    ]);
  });

  test('applies its options to all tables if it names the model in a variable', () => {
    expect(facts(`${command('"$model"')}${deepseek}\n${gptOss}`)).toEqual([
      [null, true, 3],
      [null, true, 3],
    ]);
  });
});

test('reads a column that varies within a table as a feature', () => {
  const threads = read(fixture('llama-bench/b1300-old-labels.md')).map(({ system }) => system.features);
  expect(threads).toEqual([1, 1, 2, 2].map((count) => ({ threads: count, backend: 'cpu' })));
  expect(read(table)[0]?.system.features).not.toHaveProperty('n_gpu_layers');
});

test('has no version for builds without a number', () => {
  expect(read(log.replace('(6413)', '(1)'))[0]?.system.engineVersion).toBeNull();
  expect(read(log.replace('(6413)', '(1)'))[0]?.extra.build_commit).toBe('233d773d0');
});

test('reads wrapped rows like whole ones', () => {
  const figures = (name: string) => read(fixture(`llama-bench/${name}`)).map(({ metrics }) => metrics);
  expect(figures('b6413-wrapped-at-100.txt')).toEqual(figures('b6413-mojibake.txt'));
});

test.each([
  ['a row with a missing cell', table.replace('|  1 |           tg128', '|           tg128'), 4],
  ['a truncated row', table.slice(0, table.indexOf('279.04')), 4],
  ['a truncated figure', table.replace('279.04 ± 0.06', '279.0…'), 4],
  ['a table without rows', table.split('\n').slice(0, 2).join('\n'), 1],
])('rejects %s with its line', (_, text, line) => {
  let refusal: unknown;
  try {
    read(text);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(DomainError);
  expect(refusal).toMatchObject({ code: 'artifact_unreadable', faults: [{ line }] });
});

test.each(['llama-benchy/0.4-context.md', 'llama-batched-bench/2025-log.txt'])('does not claim %s', (name) => {
  const bytes = new TextEncoder().encode(fixture(name));
  expect(() => readArtifact(bytes, { tool: 'llama-bench' })).toThrow(
    expect.objectContaining({ code: 'tool_unrecognised' }),
  );
});

describe('cells', () => {
  test.each([
    ['pp512', { name: 'pp512', promptTokens: 512, generatedTokens: 0, depth: null }],
    ['tg 128', { name: 'tg128', promptTokens: 0, generatedTokens: 128, depth: null }],
    ['pp512+tg128', { name: 'pp512+tg128', promptTokens: 512, generatedTokens: 128, depth: null }],
    ['pp2048 @ d8192', { name: 'pp2048@d8192', promptTokens: 2048, generatedTokens: 0, depth: 8192 }],
    ['pp512tg128', null],
    ['+', null],
    ['', null],
  ])('parses the test %j', (text, expected) => {
    expect(parseTest(text)).toEqual(expected);
  });

  test.each([
    ['16634.04 ± 97.98', { average: 16634.04, sd: 97.98 }],
    ['16634.04 97.98', { average: 16634.04, sd: 97.98 }],
    ['2.68 \uFFFD 0.00', { average: 2.68, sd: 0 }],
    ['2.68', { average: 2.68, sd: null }],
    ['0.00 ± 0.00', null],
    ['12 ± 3 ± 4', null],
    ['fast', null],
  ])('parses the speed %j', (text, expected) => {
    expect(parseSpeed(text)).toEqual(expected);
  });

  test('parses sizes and parameter counts', () => {
    expect(parseSize('3.56 GiB')).toBe(3822520893);
    expect(parseSize('500 MB')).toBeNull();
    expect(parseParameters('6.74 B')).toBe(6740000000);
    expect(parseParameters('494.03 M')).toBe(494030000);
  });

  test.each([
    ['llama 70B Q4_K - Medium', 'Q4_K - Medium'],
    ['llama ?B IQ2_XXS - 2.0625 bpw', 'IQ2_XXS - 2.0625 bpw'],
    ['llama 7B mostly Q4_0', 'Q4_0'],
    ['gpt-oss 20B MXFP4 MoE', 'MXFP4 MoE'],
    ['llama4 17Bx16E (Scout) Q8_0', 'Q8_0'],
    ['gemma3 4B all F32', 'F32'],
    ['llama 8B unknown, may not work', undefined],
  ])('parses the file type of %j', (text, expected) => {
    expect(parseFileType(text)?.name).toBe(expected);
  });

  test('marks a guessed file type', () => {
    expect(parseFileType('llama 8B Q4_0 (guessed)')).toEqual({ name: 'Q4_0', isGuessed: true });
  });
});
