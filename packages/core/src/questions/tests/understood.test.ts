import { describe, expect, test } from 'vitest';
import {
  engines,
  findGpu,
  gpuFamilies,
  gpus,
  modelFamilies,
  models,
  quantizations,
  scenarios,
} from '../../catalogue/index.ts';
import { DomainError } from '../../errors.ts';
import { metricFamilies } from '../../metrics/index.ts';
import { parseQuestion, type Question } from '../index.ts';

const filtersOf = (question: string) => parseQuestion(question).filters;

describe('lengths', () => {
  test.each([
    ['isl 1024 osl 1024', '1k-1k'],
    ['ISL=8192, OSL=1024', '8k-1k'],
    ['osl 1024 isl 8192', '8k-1k'],
    ['isl/osl 1024/1024', '1k-1k'],
    ['isl/osl = 8k/1k', '8k-1k'],
    ['input/output 1k 8k', '1k-8k'],
    ['1024/1024', '1k-1k'],
    ['8k input 1k output', '8k-1k'],
    ['8,192 input tokens and 1,024 output tokens', '8k-1k'],
    ['1k in 8k out', '1k-8k'],
    ['1k in, 8k out', '1k-8k'],
    ['200 in / 60 out', '200-60'],
    ['prompt length 1024, output length 128', '1000-130'],
  ])('%s', (lengths, scenario) => {
    expect(filtersOf(`${lengths} on h100`)).toEqual({ scenario: [scenario], gpu: ['h100'] });
  });

  test.each(['isl 1024', '1k in', '9/11', 'input 1024 input 1024'])('"%s" is not a workload', (text) => {
    expect(() => parseQuestion(`${text} on h100`)).toThrow(DomainError);
  });

  test('a number before "in" may be something else', () => {
    expect(filtersOf('top 5 in fp8')).toEqual({ quantization: ['fp8'] });
    expect(filtersOf('long context 128k on h100')).toEqual({ min_context: 128_000, gpu: ['h100'] });
  });
});

test.each([
  ['best model on cpu', ['xeon-6787p', 'xeon-6980p']],
  ['llama 3.1 8b CPU-only', ['xeon-6787p', 'xeon-6980p']],
  ['llama 3.1 8b without a GPU', ['xeon-6787p', 'xeon-6980p']],
  ['intel xeon', ['xeon-6787p', 'xeon-6980p']],
  ['xeon 6980p cpu', ['xeon-6980p']],
])('finds the CPUs of the catalogue: %s', (question, gpu) => {
  expect(filtersOf(question).gpu).toEqual(gpu);
});

test.each([
  ['qwen3 8b at d4096', { model: ['qwen3-8b'], min_context: 4096 }],
  ['qwen3 8b depth 32k', { model: ['qwen3-8b'], min_context: 32_000 }],
  ['tg128 @ d16384', { scenario: ['tg128@d16384'] }],
  ['tg128 at d16384', { scenario: ['tg128@d16384'] }],
  ['pp2048/tg32 d32768', { scenario: ['pp2048@d32768', 'tg32@d32768'] }],
  ['depth 64', { load_mode: ['burst'], load_level: [64] }],
])('a depth is a part of a test of llama-bench, else a context: %s', (question, filters) => {
  expect(filtersOf(question)).toEqual(filters);
});

test.each([
  ['ttft under 0,5 s on h100', { max_ttft_ms_mean: 500, gpu: ['h100'] }],
  ['ttft < 0,5s on h100', { max_ttft_ms_mean: 500, gpu: ['h100'] }],
  ['best gpu under $2,50 an hour', { max_gpu_usd_per_hour: 2.5 }],
  ['fp8 on h100,h200', { quantization: ['fp8'], gpu: ['h100', 'h200'] }],
  ['at least 1,500 tok/s', { min_output_tok_s: 1500 }],
])('a number with a unit may have a decimal comma: %s', (question, filters) => {
  expect(filtersOf(question)).toEqual(filters);
});

test.each([
  ['q4_k_m gguf for llama 3 8b', { model: ['llama-3-8b'], quantization: ['gguf-q4_k_m'] }],
  ['unsloth/Qwen3-8B-GGUF Q4_K_M', { model: ['qwen3-8b'], quantization: ['gguf-q4_k_m'] }],
  ['llama 3.1 8b @ 50 tok/s', { model: ['llama-3.1-8b'], min_user_tok_s: 50 }],
  ['conc @ 64 on h100', { load_mode: ['concurrency'], load_level: [64], gpu: ['h100'] }],
  ['32k prompt processing speed on strix halo', { min_context: 32_000, gpu: ['strix-halo'] }],
  ['lowest power usage on h100', { gpu: ['h100'] }],
])('as people write it: %s', (question, filters) => {
  expect(filtersOf(question)).toEqual(filters);
});

test('a repository of GGUF files means all of their formats', () => {
  expect(filtersOf('Qwen3-8B-GGUF').quantization).toEqual(filtersOf('gguf').quantization);
});

test('"q4" means GGUF formats, "int4" the others', () => {
  expect(filtersOf('q4 on h100').quantization).toEqual(['gguf-q4_0', 'gguf-q4_1', 'gguf-q4_k_m', 'gguf-q4_k_s']);
  expect(filtersOf('int4 on h100').quantization).toEqual(['awq-int4', 'gptq-int4', 'w4a16']);
});

test('"fp4" means both formats that publishers call so', () => {
  expect(filtersOf('deepseek r1 fp4 on mi355x').quantization).toEqual(['mxfp4', 'nvfp4']);
  expect(filtersOf('deepseek r1 nvfp4').quantization).toEqual(['nvfp4']);
});

test('a metric may have two names', () => {
  const { rankBy, order } = parseQuestion('power efficiency (tokens per joule) of gb200 vs h200');
  expect([rankBy, order]).toEqual(['tok_per_joule', 'desc']);
  expect(() => parseQuestion('tokens per joule and joules per token on h200')).toThrow(DomainError);
});

test('the best batch size is the highest load that meets the limits', () => {
  const { kind, filters } = parseQuestion('what is the best batch size for llama 3.1 8b with p99 ttft < 2 s');
  expect(kind).toBe('capacity');
  expect(filters).toMatchObject({ model: ['llama-3.1-8b'], max_ttft_ms_p99: 2000 });
});

test('a single-user load may be written with a hyphen', () => {
  expect(filtersOf('single-user speed on h100')).toMatchObject({
    load_mode: ['concurrency', 'batch'],
    load_level: [1],
  });
});

describe('limits', () => {
  test.each<[string, Question['filters']]>([
    ['itl under 20 ms', { max_itl_ms_mean: 20 }],
    ['ITL<20ms', { max_itl_ms_mean: 20 }],
    ['itl ≤ .5s', { max_itl_ms_mean: 500 }],
    ['inter-token latency of at most 20 milliseconds', { max_itl_ms_mean: 20 }],
    ['within 2 seconds time to first token', { max_ttft_ms_mean: 2000 }],
    ['median ttft below 1.1 s', { max_ttft_ms_p50: 1100 }],
    ['ttft p95 >= 0 ms', { min_ttft_ms_p95: 0 }],
    ['99th percentile of the ttft no more than 1,500 ms', { max_ttft_ms_p99: 1500 }],
    ['average end-to-end latency under 2 sec', { max_e2e_ms_mean: 2000 }],
    ['max ttft under 3 s', { max_ttft_ms_max: 3000 }],
    ['max 20 ms itl', { max_itl_ms_mean: 20 }],
    ['itl 20 ms or less', { max_itl_ms_mean: 20 }],
    ['between 10 and 20 ms itl', { min_itl_ms_mean: 10, max_itl_ms_mean: 20 }],
    ['ttft between 100 ms and 1 s', { min_ttft_ms_mean: 100, max_ttft_ms_mean: 1000 }],
    ['itl under 20 ms and ttft under 500 ms', { max_itl_ms_mean: 20, max_ttft_ms_mean: 500 }],
    ['under 20 ms itl, under 500 ms ttft', { max_itl_ms_mean: 20, max_ttft_ms_mean: 500 }],
    ['over 50 tokens per second per user', { min_user_tok_s: 50 }],
    ['over 50 tok/s/user', { min_user_tok_s: 50 }],
    ['at 50 tok/s/user', { min_user_tok_s: 50 }],
    ['at 1,000 tok/s/gpu', { min_output_tok_s_per_gpu: 1000 }],
    ['highest throughput at 20 ms itl', { max_itl_ms_mean: 20 }],
    ['throughput at 0.5s p99 ttft', { max_ttft_ms_p99: 500 }],
    ['over 50 tok/s', { min_user_tok_s: 50 }],
    ['that can do 50 tokens per second', { min_user_tok_s: 50 }],
    ['over 2000 tok/s', { min_output_tok_s: 2000 }],
    ['1000 tok/s or more output throughput', { min_output_tok_s: 1000 }],
    ['at least 30 tps per user', { min_user_tok_s: 30 }],
    ['over 1,000 tok/s per gpu', { min_output_tok_s_per_gpu: 1000 }],
    ['throughput over 1000', { min_output_tok_s: 1000 }],
    ['more than 1000 output tokens per second', { min_output_tok_s: 1000 }],
    ['over 10 req/s', { min_req_s: 10 }],
    ['goodput over 10 req/s', { min_goodput_req_s: 10 }],
    ['under 600 W', { max_power_w: 600 }],
    ['at least 5 tok/J', { min_tok_per_joule: 5 }],
    ['mbu over 60 %', { min_mbu: 0.6 }],
    ['mbu over 0.6', { min_mbu: 0.6 }],
    ['scaling efficiency at least 1.1%', { min_scaling_efficiency: 0.011 }],
    ['duration over 60 s', { min_duration_s: 60 }],
    ['duration over 500 ms', { min_duration_s: 0.5 }],
    ['max_ttft_ms_p99 under 5 ms'.slice(4), { max_ttft_ms_p99: 5 }],
    ['lowest ttft under 500 ms', { max_ttft_ms_mean: 500 }],
    ['highest throughput under 20 ms itl', { max_itl_ms_mean: 20 }],
    ['highest throughput with ttft under 1s', { max_ttft_ms_mean: 1000 }],
  ])('%s', (question, filters) => {
    expect(filtersOf(question)).toEqual(filters);
  });
});

describe('loads', () => {
  test.each<[string, string, number]>([
    ['at concurrency 32', 'concurrency', 32],
    ['concurrency=32', 'concurrency', 32],
    ['64 concurrent users', 'concurrency', 64],
    ['for 64 users', 'concurrency', 64],
    ['with 8 requests in flight', 'concurrency', 8],
    ['at concurrency 1', 'concurrency', 1],
    ['batch 8', 'batch', 8],
    ['batch size of 8', 'batch', 8],
    ['bs=8', 'batch', 8],
    ['queue depth 128', 'burst', 128],
    ['burst of 256', 'burst', 256],
    ['16 requests at once', 'burst', 16],
    ['at 100 req/s', 'rate', 100],
    ['at 0.5 requests per second', 'rate', 0.5],
    ['arrival rate 20', 'rate', 20],
  ])('%s', (question, mode, level) => {
    expect(filtersOf(question)).toEqual({ load_mode: [mode], load_level: [level] });
  });

  test.each(['single user', 'for a single request', '1 user', 'batch size 1', 'batch=1', 'batch of 1'])(
    'one request in flight, which tools call a concurrency or a batch of 1: %s',
    (question) => {
      expect(filtersOf(question)).toEqual({ load_mode: ['concurrency', 'batch'], load_level: [1] });
    },
  );

  test.each<[string, Question['filters']]>([
    ['at most 64 concurrent users', { load_mode: ['concurrency'], max_load_level: 64 }],
    ['concurrency between 8 and 64', { load_mode: ['concurrency'], min_load_level: 8, max_load_level: 64 }],
    ['more than 8 users', { load_mode: ['concurrency'], min_load_level: 9 }],
    ['fewer than 8 users', { load_mode: ['concurrency'], max_load_level: 7 }],
    ['at least 8 users', { load_mode: ['concurrency'], min_load_level: 8 }],
    ['arrival rate over 10 req/s', { load_mode: ['rate'], min_load_level: 10 }],
    ['load level at least 4', { min_load_level: 4 }],
    ['concurrency 8 or concurrency 16', { load_mode: ['concurrency'], load_level: [8, 16] }],
    ['open loop', { load_mode: ['rate'] }],
    ['offline', { regime: ['offline'] }],
    ['in offline load', { regime: ['offline'] }],
    ['offline batch', { load_mode: ['batch'] }],
    ['load mode unspecified', { load_mode: ['unspecified'] }],
  ])('%s', (question, filters) => {
    expect(filtersOf(question)).toEqual(filters);
  });
});

describe('GPUs and counts', () => {
  test.each<[string, Question['filters']]>([
    ['2x h200', { gpu: ['h200'], gpu_count: [2] }],
    ['8 x h100', { gpu: ['h100'], gpu_count: [8] }],
    ['8xH100', { gpu: ['h100'], gpu_count: [8] }],
    ['h200 x8', { gpu: ['h200'], gpu_count: [8] }],
    ['8 h200', { gpu: ['h200'], gpu_count: [8] }],
    ['one h200', { gpu: ['h200'], gpu_count: [1] }],
    ['dual 4090', { gpu: ['rtx-4090'], gpu_count: [2] }],
    ['two h100s', { gpu: ['h100'], gpu_count: [2] }],
    ['4090 h100', { gpu: ['rtx-4090', 'h100'] }],
    ['on 8 gpus', { gpu_count: [8] }],
    ['best model on 4 gpus or 8 gpus', { gpu_count: [4, 8] }],
    ['best model on 2x h100 or 2x h200', { gpu: ['h100', 'h200'], gpu_count: [2] }],
    ['l40s', { gpu: ['l40s'] }],
    ['h100 80gb', { gpu: ['h100-pcie', 'h100-sxm'] }],
    ['a100 80 GB SXM', { gpu: ['a100-sxm4-80gb'] }],
    ['nvidia rtx pro 6000', { gpu: ['rtx-pro-6000'] }],
    ['gpu "Frobnicator 9000"', { gpu: ['Frobnicator 9000'] }],
  ])('%s', (question, filters) => {
    expect(filtersOf(question)).toEqual(filters);
  });
});

describe('names', () => {
  test.each<[string, Question['filters']]>([
    ['qwen3 30b', { model: ['qwen3-30b-a3b'] }],
    ['best gpu for llama 3.1 8b or qwen3 8b', { model: ['llama-3.1-8b', 'qwen3-8b'] }],
    ['meta-llama/Llama-3.1-8B-Instruct', { model: ['llama-3.1-8b'] }],
    ['llama 3.1 8b chat', { model: ['llama-3.1-8b'] }],
    ['llama 3.1', { model: ['llama-3.1'] }],
    ['llama 3.1 8b fp8', { model: ['llama-3.1-8b'], quantization: ['fp8'] }],
    ['Llama-3.1-8B-FP8', { model: ['llama-3.1-8b'], quantization: ['fp8'] }],
    ['llama 3.1 8b mlx', { model: ['llama-3.1-8b'], engine: ['mlx'] }],
    ['llama 3.1 8b 4090', { model: ['llama-3.1-8b'], gpu: ['rtx-4090'] }],
    ['w8a8 smooth gptq', { quantization: ['w8a8_smooth_gptq'] }],
    ['int8', { quantization: ['gguf-q8_0', 'mlx-8bit', 'w8a16', 'w8a8-int8'] }],
    ['m4 max with modular max', { gpu: ['apple-m4-max'], engine: ['max'] }],
    ['quantization "exl2"', { quantization: ['exl2'] }],
    ['in the rag scenario', { scenario: ['rag'] }],
    ['scenario "base"', { scenario: ['base'] }],
    ['tool guidellm', { tool: ['guidellm'] }],
    ['from account Acme', { account: ['Acme'] }],
    ['replicated results only', { trust: ['replicated'] }],
    ['self-reported or managed', { trust: ['self_reported', 'managed'] }],
  ])('%s', (question, filters) => {
    expect(filtersOf(question)).toEqual(filters);
  });

  const known = [
    ...models.flatMap(({ id, name, aliases }) => [name, ...aliases].map((text) => ['model', id, text] as const)),
    ...gpus.flatMap(({ id, name, aliases }) => [name, ...aliases].map((text) => ['gpu', id, text] as const)),
    ...quantizations.flatMap(({ id, aliases }) => aliases.map((text) => ['quantization', id, text] as const)),
    ...engines.flatMap(({ id, name, aliases }) => [name, ...aliases].map((text) => ['engine', id, text] as const)),
    ...scenarios.flatMap(({ id, title, aliases }) =>
      [title, ...aliases].map((text) => ['scenario', id, text] as const),
    ),
    ...gpuFamilies.map(({ id, name }) => ['gpu', id, name] as const),
    ...modelFamilies.map(({ id }) => ['model', id, id] as const),
  ];

  // A name in the catalogue but not in the grammar would look like missing data.
  test.each(known)('%s %s by %s', (kind, id, text) => {
    let question: Question;
    try {
      question = parseQuestion(`best system with ${text}`);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      // Names of two kinds and everyday words are rejected with a suggestion.
      const isRefusedOnPurpose = /^(?:exl2|exl3|max|base|half)$/i.test(text);
      expect(isRefusedOnPurpose, error.message).toBe(true);
      return;
    }
    const found = question.filters[kind];
    const members = gpuFamilies.find((family) => family.id === id)?.members ?? [];
    const family = findGpu(id)?.family ?? '';
    expect(found, text).toSatisfy(
      (values: unknown) => Array.isArray(values) && [id, family, ...members].some((each) => values.includes(each)),
    );
  });
});

describe('ranks', () => {
  test.each<[string, string, string]>([
    ['best gpu', 'output_tok_s_per_gpu', 'desc'],
    ['fastest gpu', 'user_tok_s', 'desc'],
    ['slowest gpu', 'user_tok_s', 'asc'],
    ['fastest gpu for llama 2 70b offline', 'output_tok_s_per_gpu', 'desc'],
    ['fastest gpu for llama 2 70b steady', 'user_tok_s', 'desc'],
    ['most efficient gpu', 'tok_per_joule', 'desc'],
    ['best gpu for throughput', 'output_tok_s', 'desc'],
    ['gpus ranked by p99 itl', 'itl_ms_p99', 'asc'],
    ['best ttft', 'ttft_ms_mean', 'asc'],
    ['fastest time to first token', 'ttft_ms_mean', 'asc'],
    ['fastest prefill', 'prefill_tok_s', 'desc'],
    ['gpu with the lowest power draw', 'power_w', 'asc'],
    ['lowest throughput', 'output_tok_s', 'asc'],
    ['maximum goodput', 'goodput_req_s', 'desc'],
    ['highest tok/s per gpu', 'output_tok_s_per_gpu', 'desc'],
    ['most requests per second', 'req_s', 'desc'],
    ['best engine by duration', 'duration_s', 'desc'],
  ])('%s', (question, rankBy, order) => {
    expect(parseQuestion(question)).toMatchObject({ rankBy, order });
  });

  // One line in the registry makes a metric available in questions by its title and its name.
  test.each(metricFamilies.map((family) => [family.base, family.title] as const))('by %s or "%s"', (base, title) => {
    const { rankBy } = parseQuestion(`highest ${base}`);
    expect([base, `${base}_mean`]).toContain(rankBy);
    if (title !== 'Requests' && title !== 'Batch size') expect(parseQuestion(`highest ${title}`).rankBy).toBe(rankBy);
  });
});

describe('the subject and the number of entries', () => {
  test.each<[string, string, number | null]>([
    ['which models are best on h100', 'model', null],
    ['top 5 cards', 'gpu', 5],
    ['top ten engines', 'engine', 10],
    ['best 3 quantizations', 'quantization', 3],
    ['the 3 fastest setups', 'system', 3],
    ['top 5', 'system', 5],
    ['top models on h100 gpus', 'model', null],
    ['best h100 gpu', 'gpu', null],
    ['lowest ttft on h100 gpus', 'system', null],
    ['best model on 8 gpus', 'model', null],
    ['can you show me the best llm please?', 'model', null],
  ])('%s', (question, subject, limit) => {
    expect(parseQuestion(question)).toMatchObject({ subject, limit });
  });
});

describe('dates', () => {
  test.each<[string, Question['filters']]>([
    ['since 2026-06-01', { since: '2026-06-01' }],
    ['after 2026-06-30', { since: '2026-07-01' }],
    ['before june 2026', { until: '2026-06-01' }],
    ['since june 2026', { since: '2026-06-01' }],
    ['after 2025', { since: '2026-01-01' }],
    ['in 2026', { since: '2026-01-01', until: '2027-01-01' }],
    ['in dec 2026', { since: '2026-12-01', until: '2027-01-01' }],
    ['in 2026-02', { since: '2026-02-01', until: '2026-03-01' }],
    ['between 2026-01-01 and 2026-02-28', { since: '2026-01-01', until: '2026-03-01' }],
    ['since 2026-01 until 2026-06', { since: '2026-01-01', until: '2026-06-01' }],
    ['since 2026-06-01T12:00:00Z', { since: '2026-06-01T12:00:00Z' }],
  ])('%s', (question, filters) => {
    expect(filtersOf(question)).toEqual(filters);
  });
});

test('lists each phrase with its interpretation, in order', () => {
  const { interpretation } = parseQuestion(
    'Top 3 models by output throughput on 2x H200 with p99 TTFT under 1s, managed runs only, since 2026-06-01',
  );
  expect(interpretation).toEqual([
    { phrase: 'Top 3', meaning: 'limit=3' },
    { phrase: 'models', meaning: 'subject=model' },
    { phrase: 'by output throughput', meaning: 'rank_by=output_tok_s, order=desc' },
    { phrase: '2x H200', meaning: 'gpu=h200, gpu_count=2' },
    { phrase: 'p99 TTFT under 1s', meaning: 'max_ttft_ms_p99=1000' },
    { phrase: 'managed runs only', meaning: 'trust=managed' },
    { phrase: 'since 2026-06-01', meaning: 'since=2026-06-01' },
  ]);
  expect(parseQuestion('best int4 model').interpretation).toEqual([
    { phrase: 'best', meaning: 'rank_by=output_tok_s_per_gpu, order=desc' },
    {
      phrase: 'int4',
      meaning: 'quantization=awq-int4,gptq-int4,w4a16',
    },
    { phrase: 'model', meaning: 'subject=model' },
  ]);
});

test.each([
  ['tokens per joule on mi355x', 'tok_per_joule', 'desc'],
  ['ttft on h100', 'ttft_ms_mean', 'asc'],
  ['output throughput per gpu for deepseek r1 under 50 ms tpot', 'output_tok_s_per_gpu', 'desc'],
])('ranks by the only metric in "%s"', (question, rankBy, order) => {
  expect(parseQuestion(question)).toMatchObject({ rankBy, order });
});

describe('4-bit formats on Apple GPUs', () => {
  test.each(['4bit llama 3 8b on mac', '4-bit qwen3 on apple m4 max', 'int4 qwen3 8b on m2 ultra or m3 ultra'])(
    'are those of MLX and GGUF: %s',
    (question) => {
      const { quantization } = filtersOf(question);
      expect(quantization).toEqual(expect.arrayContaining(['mlx-4bit', 'gguf-q4_k_m']));
      expect(quantization).not.toEqual(expect.arrayContaining(['awq-int4']));
    },
  );

  test('keep their meaning with other GPUs, and if the format is named', () => {
    expect(filtersOf('4bit qwen3 8b on h100').quantization).toEqual(['awq-int4', 'gptq-int4', 'w4a16']);
    expect(filtersOf('awq qwen3 8b on mac').quantization).toEqual(['awq-int4']);
  });

  test('are those of each side of a comparison', () => {
    const [first, second] = parseQuestion('4bit vs 8bit qwen3 8b on m4 max').compared;
    expect(first?.quantization).toContain('mlx-4bit');
    expect(second?.quantization).toContain('mlx-8bit');
  });
});

test.each([
  [
    'a100 40gb vs 80gb',
    [
      ['a100-pcie-40gb', 'a100-sxm4-40gb'],
      ['a100-pcie-80gb', 'a100-sxm4-80gb'],
    ],
    ['a100 40gb', '80gb'],
  ],
  ['a100 pcie 40gb vs 80gb for llama 2 70b', [['a100-pcie-40gb'], ['a100-pcie-80gb']], ['a100 pcie 40gb', '80gb']],
  ['h100 pcie vs sxm', [['h100-pcie'], ['h100-sxm']], ['h100 pcie', 'sxm']],
  ['h100 sxm or pcie', [['h100-sxm'], ['h100-pcie']], ['h100 sxm', 'pcie']],
  ['h100 pcie vs sxm vs nvl', [['h100-pcie'], ['h100-sxm'], ['h100-nvl']], ['h100 pcie', 'sxm', 'nvl']],
])('further variants of a GPU need no name: %s', (q, gpus, phrases) => {
  const { kind, compared, interpretation } = parseQuestion(q);
  expect([kind, compared]).toEqual(['compare', gpus.map((gpu) => ({ gpu }))]);
  expect(interpretation.map(({ phrase }) => phrase)).toEqual(expect.arrayContaining(phrases));
});

test.each([
  ['best google gemma model', { model: ['gemma-2', 'gemma-3', 'gemma-4'] }],
  ['google gemma 4 31b on h100', { model: ['gemma-4-31b'], gpu: ['h100'] }],
  ['nvidia llama 3.1 8b', { model: ['llama-3.1-8b'], gpu: ['nvidia'] }],
])('the developer of a model is not a vendor of GPUs: %s', (q, filters) => {
  expect(filtersOf(q)).toEqual(filters);
});
