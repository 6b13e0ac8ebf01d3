/**
 * Commands and headings that name a tool without its figures, by the adapter that reads its output. More specific ones come first.
 */
export const toolNames: readonly { adapter: string; name: string }[] = [
  { adapter: 'sglang-bench-serving', name: 'sglang.bench_serving' },
  { adapter: 'sglang-bench-one-batch', name: 'sglang.bench_latency' },
  { adapter: 'vllm-bench-serve', name: 'vllm bench serve' },
  { adapter: 'vllm-bench-serve', name: 'benchmark_serving.py' },
  { adapter: 'vllm-bench-throughput', name: 'vllm bench throughput' },
  { adapter: 'vllm-bench-latency', name: 'vllm bench latency' },
  { adapter: 'trtllm-bench', name: 'trtllm-bench' },
  { adapter: 'llama-batched-bench', name: 'llama-batched-bench' },
  { adapter: 'llama-bench', name: 'llama-bench' },
  { adapter: 'guidellm', name: 'guidellm benchmark' },
  { adapter: 'guidellm', name: 'Run Summary Info' },
  { adapter: 'evalscope-perf', name: 'evalscope perf' },
  { adapter: 'aiperf', name: 'aiperf profile' },
  { adapter: 'genai-perf', name: 'genai-perf profile' },
  { adapter: 'mlc-llm-bench', name: 'mlc_llm.bench' },
  { adapter: 'mlx-lm-benchmark', name: 'mlx_lm.benchmark' },
  { adapter: 'koboldcpp-benchmark', name: 'Welcome to KoboldCpp' },
  { adapter: 'mistralrs-bench', name: 'mistralrs-bench' },
  { adapter: 'exllamav2-test-inference', name: 'test_inference.py' },
  { adapter: 'ollama', name: 'ollama run' },
  { adapter: 'vllm-bench-serve', name: 'Serving Benchmark Result' },
];
