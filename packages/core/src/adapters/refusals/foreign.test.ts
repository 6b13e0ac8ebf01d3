import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const encode = (text: string) => new TextEncoder().encode(text);

function refusal(text: string): DomainError {
  try {
    readArtifact(encode(text));
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('was read, and should not have been');
}

const serverLog =
  'INFO 11-21 10:00:01 [loggers.py:127] Engine 000: Avg prompt throughput: 102.4 tokens/s, Avg generation throughput: 512.3 tokens/s, Running: 32 reqs';
const timings = `llama_perf_context_print:        load time =    1200.00 ms
llama_perf_context_print: prompt eval time =     100.00 ms /    64 tokens (    1.56 ms per token,   640.00 tokens per second)`;

test.each([
  [serverLog, "vLLM's server log", 'not client measurements'],
  [
    '|    |   max_concurrency |   output_throughput |   mean_ttft_ms |   per_user_throughput |',
    "SGLang's parse_results.py",
    'neither the model nor the lengths',
  ],
  [
    '| model        |  modelSize | backend | threads | test  |            t/s |',
    "MNN's llm_bench",
    'not supported yet',
  ],
  [
    '[2026-05-01 10:00:00] Decode batch. #running-req: 32, token usage: 0.10, gen throughput (token/s): 1234.56, #queue-req: 0',
    "SGLang's server log",
    'not client measurements',
  ],
  [timings, "llama.cpp's timings", 'one request'],
  [timings.replaceAll('llama_perf_context_print', 'llama_print_timings'), "llama.cpp's timings", 'one request'],
  [
    '# HELP vllm:x Tokens.\n# TYPE vllm:generation_tokens_total counter\nvllm:generation_tokens_total 5.0',
    'Prometheus',
    'not client measurements',
  ],
  // https://github.com/NVIDIA/TensorRT-LLM/pull/9459
  [
    'PERFORMANCE OVERVIEW ( main / ep+tp branch)\n=====\nRequest Throughput (req/sec): |  0.9765 | 0.9812\n',
    'trtllm-bench',
    'several runs',
  ],
  [
    '| Request   Throughput (req/sec): | 7.3411 |   |\n| Total Output   Throughput (tokens/sec): | 7517.2584 |   |\n',
    'trtllm-bench that was pasted through a spreadsheet',
    'not those of the report',
  ],
  // https://github.com/aidatatools/ollama-benchmark/pull/9
  [
    'model_name =    mistral:7b\nprompt = Write a guide.\neval rate:            19.56 tokens/s\n--------------------\nAverage of eval rate:  20.124  tokens/s\n',
    "Ollama's eval rate",
    'no counts of tokens',
  ],
  // https://github.com/geerlingguy/ai-benchmarks/issues/13
  [
    '| Run | Eval Rate (Tokens/Second) |\n|-----|---|\n| 1 | 9.27 tokens/s |\n|**Average Eval Rate**| 9.33 tokens/second |\n',
    "Ollama's eval rate",
    'no counts of tokens',
  ],
  // https://github.com/vllm-project/vllm/pull/3692
  [
    'TP4\nBatch size 16: Avg latency: 3.910283356476575 seconds\n',
    'averages of benchmark_latency.py',
    'text before them',
  ],
  // https://github.com/vllm-project/vllm/issues/8244
  [
    'Processed prompts: 100%|███| 32/32 [00:48<00:00,  1.53s/it, est. speed input: 28.13 toks/s, output: 335.00 toks/s]',
    "vLLM's progress bar",
    'estimates',
  ],
  // https://github.com/tenstorrent/tt-inference-server/pull/3699
  [
    '| Metric | osl-128 avg | osl-512 avg |\n|---|---|---|\n| Time to First Token (ms) | 24.44 | 25.59 |\n',
    "AIPerf's averages",
    'another run',
  ],
  ['*   Dynamo aiconfigurator Final Results   *\n  - TTFT: 276.94ms', 'aiconfigurator', 'computed, not measured'],
  ['{"type":"Metric","data":{"name":"http_req_duration"},"metric":"http_req_duration"}', 'k6', 'no tokens'],
  ['metric_name,timestamp,metric_value,check\nhttp_reqs,1767322800,1.0,\n', 'k6', 'no tokens'],
  ['request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n', 'oha', 'no tokens'],
  ['Summary:\n  Total:\t10.1 secs\n  Slowest:\t1.2 secs\n', 'hey', 'no tokens'],
  ['Requests per second:    19.91 [#/sec] (mean)\n', 'ApacheBench', 'no tokens'],
  ['Latencies     [min, mean, 50, 90, 95, 99, max]  1ms, 2ms, 2ms, 3ms, 3ms, 4ms, 5ms\n', 'vegeta', 'no tokens'],
  ['     http_req_duration..............: avg=120.5ms min=80ms', 'k6', 'no tokens'],
  ['{"metrics": {"http_req_duration": {"avg": 120.5}}}', 'k6', 'no tokens'],
  ['Summary:\n  Success rate:\t100.00%\n  Requests/sec:\t162.0', 'oha', 'no tokens'],
  ['{"summary": {"successRate": 1.0, "requestsPerSec": 162.0}}', 'oha', 'no tokens'],
  ['{\n  "summary": {\n    "successRate": 1.0,\n    "requestsPerSec": 162.0\n  }\n}', 'oha', 'no tokens'],
  ['  Thread Stats   Avg      Stdev     Max   +/- Stdev', 'wrk', 'no tokens'],
  ['Req/Bytes counts sampled once per second.', 'autocannon', 'no tokens'],
  ['{"connections": 10, "pipelining": 1, "requests": {"average": 8800}}', 'autocannon', 'no tokens'],
  [
    '42.10 tok/sec • 512 tokens • 0.35s to first token • Stop reason: EOS Token Found',
    'LM Studio',
    'no benchmark file',
  ],
  // LM Studio's documentation of its REST API, which adds these figures to a response.
  [
    '{\n  "stats": {\n    "tokens_per_second": 51.43709529007664,\n    "time_to_first_token": 0.111,\n    "generation_time": 0.954\n  }\n}',
    "LM Studio's API",
    'one request',
  ],
  ['{"stats": {"tokens_per_second": 51.4, "time_to_first_token": 0.111}}', "LM Studio's API", 'one request'],
  // https://github.com/ollama/ollama/issues/11758
  ['66.23 tok/sec\n283 tokens\n0.26s to first token\nStop reason: EOS Token Found\n', 'LM Studio', 'no benchmark file'],
  // https://github.com/sgl-project/sglang/pull/10281
  [
    '| Metric | FlashInfer Result | TRT-LLM Result | Difference |\n| Request throughput (req/s) | 5.47 | 5.79 | +5.84% |\n',
    'comparison of serving benchmarks',
    'several runs',
  ],
  // https://github.com/modelscope/evalscope/blob/main/docs/en/user_guides/stress_test/speed_benchmark.md
  ['| Prompt Tokens | Speed(tokens/s) | GPU Memory(GB) |\n| 1 | 50.69 | 0.97 |\n', 'evalscope', 'below its command'],
  ['│ Prompt Tokens │ Speed(tokens/s) │ GPU Memory(GB) │\n│ 1 │ 50.69 │ 0.97 │\n', 'evalscope', 'below its command'],
  // https://docs.locust.io/en/stable/retrieving-stats.html
  ['Type,Name,Request Count,Failure Count,Median Response Time\nPOST,/v1/completions,9,0,24\n', 'Locust', 'no tokens'],
  ['"Type","Name","Request Count","Failure Count","50%"\n"POST","/v1",9,0,24\n', 'Locust', 'no tokens'],
  [
    'Type     Name            # reqs      # fails |    Avg     Min     Max    Med |   req/s  failures/s\n',
    'Locust',
    'no tokens',
  ],
  ['model,performance,metric\nprimus_run,1444,tokens_per_second\n', 'MAD', 'neither the load'],
  // https://github.com/noonghunna/club-3090/blob/HEAD/results/v0.20-migration/dual-turbo-concurrent.txt
  ['  total_toks=375  total_wall=4.89s  aggregate_TPS=76.64\n', 'club-3090', 'not supported yet'],
  // https://github.com/waybarrios/vllm-mlx/blob/HEAD/vlm_benchmark_results.json
  [
    '{\n  "timestamp": "2025-12-05 23:48:12",\n  "test_image": "Yellow Labrador",\n  "results": []\n}',
    'vllm-mlx',
    'model',
  ],
  // https://github.com/LostRuins/koboldcpp/issues/852 and 619
  [
    'CtxLimit: 1754/8192, Process:25.05s (14.9ms/T = 66.89T/s), Generate:59.05s (152.6ms/T = 6.55T/s), Total:84.11s (4.60T/s)',
    'KoboldCpp',
    'requested tokens',
  ],
  [
    'ContextLimit: 1389/16384, Processing:10.77s (8.1ms/T), Generation:14.15s (239.8ms/T)\nTotal:24.92s (2.37T/s)',
    'KoboldCpp',
    'requested tokens',
  ],
  // https://github.com/turboderp-org/exllamav2/issues/346
  ['Response generated in 8.56 seconds, 1024 tokens, 119.64 tokens/second', 'ExLlamaV2', 'tokens of the prompt'],
  [
    'Statistics:\n----------- prefill -----------\nthroughput: 36.910 tok/s\ntotal tokens: 7 tok',
    'MLC LLM',
    'not supported yet',
  ],
  // https://github.com/btbtyler09/mi100-llm-testing/tree/HEAD/Model_Reports/p82_evaluation
  ['[{"stdout": "a\\n============ Serving Benchmark Result ============\\nx"}]', 'JSON string', 'separate lines'],
  // https://github.com/lhl/strix-halo-testing/tree/HEAD/llm-bench
  ['{"mode":"pp","bench_raw":{"build_commit":"7ad67ba9","build_number":6111}}', 'llama-bench', 'beginning of a line'],
])('rejects %j by name', (text, name, reason) => {
  const error = refusal(text);
  expect(error.code).toBe('tool_unrecognised');
  expect(error.message).toContain(name);
  expect(error.message).toContain(reason);
  expect(error.faults[0]).toMatchObject({ code: 'tool_unsupported', hint: expect.stringMatching(/\.$/) });
});

// A benchmark's own log contains them too, so they do not disqualify its report.
test.each([
  ['vllm-bench-serve/0.12-rate-percentiles.txt', serverLog],
  ['llama-batched-bench/2025-log.txt', timings],
])('reads %s with any text around it', (name, noise) => {
  const text = fixture(name);
  const { results } = readArtifact(encode(text));
  const noisy = readArtifact(encode(`${noise}\n${text}\n${noise}\n`)).results;
  expect(noisy.map(({ metrics }) => metrics)).toEqual(results.map(({ metrics }) => metrics));
});

test.each(['<!DOCTYPE html>\n<html><body>\n', '\n  <html lang="en">\n'])(
  'rejects an HTML page with any content: %j',
  (page) => {
    const error = refusal(`${page}\n${fixture('vllm-bench-serve/0.12-rate-percentiles.txt')}`);
    expect(error.faults).toContainEqual(
      expect.objectContaining({ code: 'tool_unsupported', message: expect.stringContaining('HTML') }),
    );
  },
);

test('accepts a README that quotes HTML', () => {
  const text = `# Notes\n<html>\n\n${fixture('vllm-bench-serve/0.12-rate-percentiles.txt')}`;
  expect(readArtifact(encode(text)).results).not.toHaveLength(0);
});

test('names the requested tool in the error', () => {
  expect(() => readArtifact(encode(serverLog), { tool: 'vllm-bench-serve' })).toThrow('not output of vllm bench serve');
});

test.each([
  ['STARTUP TIME BENCHMARK RESULTS', 'vllm bench startup'],
  ['num_samples,total_latency(ms),seq_throughput(seq/sec),token_throughput(token/sec)', "TensorRT-LLM's C++ benchmark"],
])('names the unsupported program of %s', (text, name) => {
  expect(refusal(text).message).toContain(name);
});
