import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
const block = (duration: string, backend = '') => `============ Serving Benchmark Result ============
${backend}Successful requests:                     1024
Benchmark duration (s):                  ${duration}
Total input tokens:                      220902
Total generated tokens:                  191043
Request throughput (req/s):              16.05
Output token throughput (tok/s):         2993.85
==================================================
`;
const systems = (text: string) =>
  read(text).map(({ system }) => [system.model?.value ?? null, system.parallelism.tensor ?? null, system.gpuCount]);
const inferred = (value: number) => ({ value, origin: 'inferred' });

// Without it, both runs would have the GPU count that the submitter states for the artifact.
test('reads the width of each run from the command of its server', () => {
  const text = `$ python benchmark_serving.py --model org/name --num-prompts 1024 --max-concurrency 128
# tp8
VLLM_USE_TRITON_FLASH_ATTN=0 vllm serve -tp 8 org/name --max-num-seqs 2048
${block('63.81')}
# tp4
VLLM_USE_TRITON_FLASH_ATTN=0 vllm serve -tp 4 org/name --max-num-seqs 2048
${block('83.81')}`;
  expect(systems(text)).toEqual([
    ['org/name', 8, inferred(8)],
    ['org/name', 4, inferred(4)],
  ]);
  expect(read(text)[0]?.system).toMatchObject({
    engine: { value: 'vllm', origin: 'inferred' },
    features: { max_num_seqs: 2048 },
  });
});

// One GPU was assumed, so the rate per GPU was four times too high.
// https://github.com/vllm-project/recipes/blob/main/Qwen/Qwen2.5-VL.md
test.each([
  ['vllm serve Qwen/Qwen2.5-VL-7B-Instruct --data-parallel-size 4', null, 4],
  ['vllm serve Qwen/Qwen2.5-VL-7B-Instruct -tp 2 --data-parallel-size 4', 2, 8],
  ['python -m sglang.launch_server --model-path Qwen/Qwen2.5-VL-7B-Instruct --dp 4', null, 4],
])('counts the GPUs of replicas: %s', (server, tensor, gpus) => {
  const bench = 'vllm bench serve --model Qwen/Qwen2.5-VL-7B-Instruct --num-prompts 128\n';
  expect(systems(`${server}\n${bench}${block('63.81')}`)).toEqual([
    ['Qwen/Qwen2.5-VL-7B-Instruct', tensor, inferred(gpus)],
  ]);
});

test('keeps the server for later runs, and reads the model that an alias names', () => {
  const server = 'vllm serve /models/Qwen/Qwen3-8B --served-model-name qwen3 --tensor-parallel-size 2\n';
  const bench = (cap: number) => `vllm bench serve --model qwen3 --max-concurrency ${cap} --num-prompts 1024\n`;
  expect(systems(`${server}${bench(8)}${block('63.81')}${bench(1)}${block('83.81')}`)).toEqual([
    ['Qwen3-8B', 2, inferred(2)],
    ['Qwen3-8B', 2, inferred(2)],
  ]);
});

// ModelScope's cache writes a dot as `___`. Without it, the run of a server with 4 GPUs would be stored with one.
test('reads the server of a model that the benchmark names as in the cache of ModelScope', () => {
  const server = 'vllm serve /data/Qwen2.5-VL-72B-Instruct.w8a8 --served-model-name quant --tensor-parallel-size 4\n';
  const bench = 'python3 benchmark_serving.py --model /data/Qwen2___5-VL-72B-Instruct___w8a8 --num-prompts 1024\n';
  expect(systems(`${server}${bench}${block('90.66')}`)).toEqual([['Qwen2.5-VL-72B-Instruct.w8a8', 4, inferred(4)]]);
});

test('gives a run only what several servers share', () => {
  const text = `vllm serve org/name -tp 2 --enforce-eager\nvllm serve org/name -tp 4 --enforce-eager\n${block('63.81')}`;
  const [result] = read(text);
  expect(result?.system).toMatchObject({ model: { value: 'org/name' }, parallelism: {}, gpuCount: null });
  expect(result?.system.features).toEqual({ enforce_eager: true });
});

test('does not use the server of another model, or one of two engines', () => {
  const other = `vllm serve org/other -tp 2\nvllm bench serve --model org/name --num-prompts 1024\n${block('63.81')}`;
  expect(systems(other)).toEqual([['org/name', null, null]]);
  const two = `vllm serve org/name -tp 2\npython -m sglang.launch_server --model-path org/name --tp 4\n${block('63.81')}`;
  expect(systems(two)).toEqual([[null, null, null]]);
});

test('does not use the server for a run without a command after a benchmark of another model', () => {
  const server = 'vllm serve org/a --tensor-parallel-size 2\n';
  const bench = (model: string) => `vllm bench serve --model ${model} --num-prompts 1024\n`;
  const text = `${server}${block('53.81')}${bench('org/b')}${block('63.81')}${block('73.81')}${bench('org/a')}${block('83.81')}`;
  const widths = systems(text).map(([model, width]) => [model, width]);
  expect(widths).toEqual([
    ['org/a', 2],
    ['org/b', null],
    [null, null],
    ['org/a', 2],
  ]);
});

test('does not use the server for a run below a heading that names another model', () => {
  const server = 'vllm serve Qwen/Qwen3-8B --tensor-parallel-size 2\n';
  const text = `${server}${block('53.81')}### After the change\n${block('63.81')}### Qwen3-32B\n${block('73.81')}${block('83.81')}`;
  expect(systems(text).map(([model]) => model)).toEqual(['Qwen/Qwen3-8B', 'Qwen/Qwen3-8B', 'Qwen3-32B', 'Qwen3-32B']);
  expect(systems(text).map(([, width]) => width)).toEqual([2, 2, null, null]);
});

// Of a post of 2026-02: the command has 3 draft tokens, and headings state those of each run.
test('reads the number of draft tokens that the text between the command and a run states', () => {
  const server = `vllm serve org/name -tp 8 --speculative-config '{"method": "mtp", "num_speculative_tokens": 3}'\n`;
  const featuresOf = (text: string) => read(text).map(({ system }) => system.features);
  const drafted = (count: number) => ({ speculative_decoding: true, draft_tokens: count });
  const text = `${server}${block('53.81')}### MTP = 1\n${block('63.81')}${block('73.81')}num_speculative_tokens 2\n${block('83.81')}`;
  expect(featuresOf(text)).toEqual([drafted(3), drafted(1), drafted(1), drafted(2)]);
  const none = `${server}${block('53.81')}### Without MTP\n${block('63.81')}## MTP=3:\n${block('73.81')}`;
  expect(featuresOf(none)).toEqual([drafted(3), {}, drafted(3)]);
  const log = 'WARNING Enabling num_speculative_tokens > 1 will run multiple times of forward on same MTP layer\n';
  expect(featuresOf(`${server}${log}${block('53.81')}`)).toEqual([drafted(3)]);
});

test("reads the command of SGLang's server", () => {
  const text = `python3 -m sglang.launch_server --model-path Qwen/Qwen2.5-32B-Instruct --tp 2
python3 -m sglang.bench_serving --backend sglang --num-prompts 1024 --request-rate 128
${block('287.20', 'Backend:                                 sglang\n')}`;
  expect(systems(text)).toEqual([['Qwen/Qwen2.5-32B-Instruct', 2, inferred(2)]]);
});

test.each([
  '--disaggregation-mode prefill',
  '--port 1\npython -m sglang.launch_server --model-path a/b --tp 8 --port 2',
])('does not use the command of one of several servers: %s', (options) => {
  const text = `python -m sglang.launch_server --model-path a/b --tp 8 ${options}\n${block('63.81')}`;
  expect(systems(text)).toEqual([[null, null, null]]);
});

const perf = (model: string) => `evalscope perf --parallel 8 --number 100 --model ${model} --url http://127.0.0.1:8000
Benchmarking summary:
+-----------------------------------+-----------+
| Key                               |     Value |
+===================================+===========+
| Time taken for tests (s)          |   55      |
+-----------------------------------+-----------+
| Number of concurrency             |    8      |
+-----------------------------------+-----------+
| Total requests                    |  100      |
+-----------------------------------+-----------+
| Succeed requests                  |  100      |
+-----------------------------------+-----------+
| Output token throughput (tok/s)   |  367.2727 |
+-----------------------------------+-----------+
| Request throughput (req/s)        |    1.8182 |
+-----------------------------------+-----------+
| Average latency (s)               |    1.1    |
+-----------------------------------+-----------+
`;

test('reads the server above the tables of evalscope', () => {
  const server = 'vllm serve /data/Qwen2.5-72B-Instruct-AWQ --served-model-name qwen72b --tensor-parallel-size 4\n';
  const [result] = read(`${server}${perf('qwen72b')}`);
  expect(result?.system).toMatchObject({
    model: { value: 'Qwen2.5-72B-Instruct-AWQ' },
    engine: { value: 'vllm', origin: 'inferred' },
    gpuCount: inferred(4),
    parallelism: { tensor: 4 },
  });
  expect(systems(`${server}${perf('other-model')}`)).toEqual([['other-model', null, null]]);
});

test("reads the command of TensorRT-LLM's server", () => {
  const user = 'User throughput (tok/s):                 70.50\n';
  const command = 'python -m tensorrt_llm.serve.scripts.benchmark_serving --model nvidia/name-FP4 --num-prompts 1024\n';
  const [result] = read(
    `trtllm-serve nvidia/name-FP4 --backend pytorch --tp_size 4 --ep_size 4\n${command}${block('63.81', user)}`,
  );
  expect(result?.system).toMatchObject({
    model: { value: 'nvidia/name-FP4' },
    engine: { value: 'tensorrt-llm', origin: 'inferred' },
    gpuCount: inferred(4),
    parallelism: { tensor: 4, expert: 4 },
    features: { backend: 'pytorch' },
  });
  expect(systems(`trtllm-serve serve org/name --tp_size 2\n${block('63.81', user)}`)).toEqual([
    ['org/name', 2, inferred(2)],
  ]);
});

test("does not use the server of another engine than the benchmark's backend", () => {
  const text = `python -m sglang.launch_server --model-path org/name --tp 4
python benchmark_serving.py --backend vllm --model org/name --num-prompts 1024
${block('63.81')}`;
  expect(systems(text)).toEqual([['org/name', null, null]]);
});

// From a pull request of vLLM's recipes.
test("reads the arguments of vLLM's container", () => {
  const text = ` docker run --device=/dev/kfd --ipc=host -p 8000:8000 \\
  -v /storage/.cache/huggingface:/root/.cache/huggingface \\
  vllm/vllm-openai-rocm:latest mistralai/Ministral-3-3B-Instruct-2512 \\
  --tokenizer_mode mistral \\
  --tensor-parallel-size 2
${block('26.65')}`;
  expect(systems(text)).toEqual([['mistralai/Ministral-3-3B-Instruct-2512', 2, inferred(2)]]);
  const line = 'docker run --gpus all -p 8000:8000 vllm/vllm-openai:v0.9.1 --model org/name -tp 4';
  expect(systems(`${line}\n${block('26.65')}`)).toEqual([['org/name', 4, inferred(4)]]);
});

test('reads a switch that the command turns off', () => {
  const text = `vllm serve org/name --no-enable-prefix-caching --enable-chunked-prefill\n${block('63.81')}`;
  expect(read(text)[0]?.system.features).toEqual({ prefix_caching: false, chunked_prefill: true });
});

// Otherwise the model of one benchmark would be that of all later blocks.
test("does not use a benchmark's printed arguments as those of a server", () => {
  const run = "Namespace(backend='vllm', model='org/name', num_prompts=1024, request_rate=inf)\n";
  expect(systems(`# run on vllm serve\n${run}${block('63.81')}\n${block('83.81')}`)).toEqual([
    ['org/name', null, null],
    [null, null, null],
  ]);
});
