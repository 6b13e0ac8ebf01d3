/** A tool whose output is read: its id and its own name. */
export interface Tool {
  /** kebab-case, e.g. `vllm-bench-serve`. */
  id: string;
  name: string;
}

/**
 * Every tool that is read, in the order of the adapters. Pages and the question grammar need the names alone; this file
 * gives them without the parsers. A test compares it with the adapters.
 */
export const tools: readonly Tool[] = [
  { id: 'vllm-bench-serve', name: 'vllm bench serve' },
  { id: 'vllm-bench-serve-json', name: 'vllm bench serve (result file)' },
  { id: 'vllm-bench-sweep-csv', name: 'vllm bench sweep serve (CSV)' },
  { id: 'vllm-bench-latency', name: 'vllm bench latency' },
  { id: 'vllm-bench-throughput', name: 'vllm bench throughput' },
  { id: 'vllm-pytorch-benchmark', name: 'vllm bench (PyTorch benchmark format)' },
  { id: 'vllm-ci-table', name: 'vllm performance-benchmarks' },
  { id: 'vllm-serve-plain', name: 'vLLM benchmark_serving.py (2023 and early 2024)' },
  { id: 'trtllm-bench', name: 'trtllm-bench' },
  { id: 'trtllm-benchmark-serving', name: 'trtllm benchmark_serving' },
  { id: 'sglang-bench-serving', name: 'sglang bench_serving' },
  { id: 'sglang-bench-offline-throughput', name: 'sglang bench_offline_throughput' },
  { id: 'sglang-bench-one-batch', name: 'sglang bench_one_batch' },
  { id: 'sglang-bench-one-batch-server', name: 'sglang bench_one_batch_server' },
  { id: 'llama-bench', name: 'llama-bench' },
  { id: 'llama-batched-bench', name: 'llama-batched-bench' },
  { id: 'llama-sweep-bench', name: 'ik_llama.cpp sweep-bench' },
  { id: 'llama-benchy', name: 'llama-benchy' },
  { id: 'localscore', name: 'LocalScore' },
  { id: 'ollama', name: 'ollama --verbose' },
  { id: 'ollama-bench', name: 'ollama-bench' },
  { id: 'inference-perf', name: 'inference-perf' },
  { id: 'mlperf-loadgen', name: 'MLPerf LoadGen' },
  { id: 'mlperf-results', name: 'MLPerf Inference results' },
  { id: 'optimum-benchmark', name: 'optimum-benchmark' },
  { id: 'llmperf', name: 'llmperf' },
  { id: 'hf-inference-benchmarker', name: 'inference-benchmarker' },
  { id: 'genai-perf', name: 'genai-perf' },
  { id: 'genai-bench', name: 'genai-bench' },
  { id: 'evalscope-perf', name: 'evalscope perf' },
  { id: 'ai-hypercomputer-inference-benchmark', name: 'AI-Hypercomputer inference-benchmark' },
  { id: 'aiperf', name: 'aiperf' },
  { id: 'aiperf-records', name: 'aiperf (records of requests)' },
  { id: 'guidellm', name: 'guidellm' },
  { id: 'inferencex', name: 'inferencex' },
  { id: 'inferencex-dashboard', name: 'inferencex (dashboard CSV)' },
  { id: 'inferencex-api', name: 'inferencex (API rows)' },
  { id: 'llm-optimizer', name: 'llm-optimizer' },
  { id: 'llm-d-benchmark-report', name: 'llm-d benchmark report' },
  { id: 'triton-perf-report', name: 'triton perf_report' },
  { id: 'attention-gym', name: 'attention-gym benchmark' },
  { id: 'lm-evaluation-harness', name: 'lm-evaluation-harness' },
  { id: 'llama-perplexity', name: 'llama-perplexity' },
  { id: 'mlperf-accuracy', name: 'MLPerf accuracy' },
  { id: 'inferencex-evaluations', name: 'inferencex-evaluations' },
  { id: 'native', name: 'Inferboard native' },
  { id: 'native-csv', name: 'Inferboard native CSV' },
  { id: 'inferboard-results', name: 'Inferboard results' },
];
