/** Labels in the output of a tool, in order, by the adapter that reads it. Each layout has its own entry. */
export interface ToolLabels {
  adapter: string;
  labels: readonly string[];
}

const serving = [
  'Serving Benchmark Result',
  'Successful requests:',
  'Benchmark duration (s):',
  'Total input tokens:',
  'Total generated tokens:',
  'Request throughput (req/s):',
  'Output token throughput (tok/s):',
  'Mean TTFT (ms):',
  'Mean TPOT (ms):',
];

/** Tools whose output is often copied in part. Labels are matched exactly. */
export const toolLabels: readonly ToolLabels[] = [
  { adapter: 'vllm-bench-serve', labels: serving },
  {
    adapter: 'vllm-bench-serve',
    labels: ['Mean TTFT (ms):', 'Mean TPOT (ms):', 'Mean ITL (ms):', 'P99 TPOT (ms):', 'P99 ITL (ms):'],
  },
  {
    adapter: 'vllm-bench-serve-json',
    labels: [
      '"num_prompts":',
      '"duration":',
      '"completed":',
      '"request_throughput":',
      '"output_throughput":',
      '"mean_ttft_ms":',
    ],
  },
  {
    adapter: 'vllm-bench-latency',
    labels: ['Avg latency:', '10% percentile latency:', '50% percentile latency:', '99% percentile latency:'],
  },
  {
    adapter: 'sglang-bench-serving',
    labels: [
      'Backend:',
      'Traffic request rate:',
      'Max request concurrency:',
      ...serving.slice(1),
      'Mean E2E Latency (ms):',
    ],
  },
  {
    adapter: 'sglang-bench-offline-throughput',
    labels: [
      'Offline Throughput Benchmark Result',
      'Last generation throughput (tok/s):',
      'Input token throughput (tok/s):',
      'Output token throughput (tok/s):',
      'Total token throughput (tok/s):',
    ],
  },
  {
    adapter: 'sglang-bench-multiturn',
    labels: [
      'Performance metrics summary:',
      'Total requests:',
      'Average TTFT:',
      'Median TTFT:',
      'Average latency:',
      'Median latency:',
      'Input token throughput:',
      'Cache Hit Rate:',
    ],
  },
  { adapter: 'sglang-bench-one-batch', labels: ['Prefill. latency:', 'Decode.  median latency:', 'Total. latency:'] },
  { adapter: 'llama-bench', labels: ['| model ', ' size |', ' params |', '| backend ', ' test |', ' t/s |'] },
  {
    adapter: 'llama-batched-bench',
    labels: ['|    PP |', '|     TG |', ' N_KV |', ' T_PP s |', 'S_PP t/s', 'S_TG t/s'],
  },
  {
    adapter: 'llama-compare',
    labels: ['| Model ', ' Microbatch size |', ' t/s master |', ' Speedup |'],
  },
  {
    adapter: 'llama-timings',
    labels: ['prompt eval time =', ' eval time =', 'total time =', 'ms per token,', 'tokens per second)'],
  },
  {
    adapter: 'guidellm',
    labels: [
      'Run Summary Info',
      'Text Metrics Statistics',
      'Request Token Statistics',
      'Request Latency Statistics',
      'Server Throughput Statistics',
    ],
  },
  {
    adapter: 'guidellm',
    labels: ['Benchmarks Metadata:', 'Benchmarks Info:', 'Requests Made', 'Benchmarks Stats:', 'Request Stats'],
  },
  {
    adapter: 'genai-perf',
    labels: [
      'Metric,avg,min,max,p99',
      'Time To First Token (ms)',
      'Inter Token Latency (ms)',
      'Output Sequence Length',
      'Input Sequence Length',
    ],
  },
  {
    adapter: 'aiperf',
    labels: [
      'LLM Metrics',
      'Time to First Token (ms)',
      'Request Latency (ms)',
      'Inter Token Latency (ms)',
      'Output Token Throughput',
      'Request Throughput',
    ],
  },
  {
    adapter: 'trtllm-bench',
    labels: [
      'REQUEST DETAILS',
      'WORLD + RUNTIME INFORMATION',
      'PERFORMANCE OVERVIEW',
      'Request Throughput (req/sec):',
      'Total Output Throughput (tokens/sec):',
      'Total Latency (ms):',
      'Average request latency (ms):',
    ],
  },
  {
    adapter: 'mlperf-loadgen',
    labels: [
      'MLPerf Results Summary',
      'SUT name :',
      'Scenario :',
      'Mode :',
      'Result is :',
      'Additional Stats',
      'Test Parameters Used',
    ],
  },
  {
    adapter: 'mlc-llm-bench',
    labels: [
      ' Benchmark Result =',
      'Completed requests:',
      'Num GPUs:',
      'Output token throughput per GPU (tok/s):',
      ' Time to First Token (TTFT, ms) ',
      ' Time per Output Token (TPOT, ms) ',
    ],
  },
  {
    adapter: 'mlx-lm-benchmark',
    labels: ['Timing with prompt_tokens=', 'Trial 1:  prompt_tps=', 'Averages: prompt_tps=', 'generation_tps='],
  },
  { adapter: 'mlx-lm-generate', labels: ['Prompt: ', 'Generation: ', ' tokens-per-sec', 'Peak memory: '] },
  {
    adapter: 'ollama',
    labels: ['total duration:', 'load duration:', 'prompt eval rate:', 'eval count:', 'eval rate:'],
  },
  {
    adapter: 'club-3090-bench',
    labels: ['========== NARRATIVE', '=== measured (', 'wall_TPS=', 'decode_TPS=', '=== summary ['],
  },
  {
    adapter: 'openvino-benchmark-genai',
    labels: ['Load time:', 'Generate time:', 'Tokenization time:', 'Detokenization time:', 'TTFT:', 'TPOT:'],
  },
  {
    adapter: 'openvino-llm-bench',
    labels: [
      'First token latency:',
      'other tokens latency:',
      '1st token latency:',
      '2nd token latency:',
      '[Average] P',
    ],
  },
  {
    adapter: 'omlx-bench',
    labels: ['Benchmark Model:', 'Single Request Results', 'TTFT(ms)', 'TPOT(ms)', 'pp TPS', 'tg TPS', 'Peak Mem'],
  },
  {
    adapter: 'lmcache-long-doc-qa',
    labels: [
      'Warmup round mean TTFT:',
      'Warmup round time:',
      'Query round mean TTFT:',
      'Query round time:',
      'Query round prompt count:',
    ],
  },
  {
    adapter: 'lmcache-multi-round-qa',
    labels: [
      'Performance summary',
      'QPS:',
      'Processing speed:',
      'Requests on-the-fly:',
      'Input tokens per second:',
      'Average TTFT:',
    ],
  },
  {
    adapter: 'vllm-mlx-bench',
    labels: ['"num_runs":', '"total_generated_tokens":', '"tpot_ms":', '"tokens_per_second":', '"latency_seconds":'],
  },
  { adapter: 'ipex-llm-all-in-one', labels: ['1st token avg latency', '2+ avg latency', 'cpu_embedding'] },
  {
    adapter: 'evalscope-perf',
    labels: [
      'Benchmarking summary:',
      'Performance Test Summary Report',
      'Time taken for tests (s)',
      'Number of concurrency',
      'Output token throughput (tok/s)',
      'Average latency (s)',
      'Percentile results:',
    ],
  },
  {
    adapter: 'aisbench',
    labels: [
      'Performance Parameters',
      'OutputTokenThroughput',
      'Common Metric',
      'Benchmark Duration',
      'Max Concurrency',
      'Total Generated Tokens',
      'Total Token Throughput',
    ],
  },
  { adapter: 'attention-gym', labels: ['| Operation', 'FW Time (ms)', 'FW FLOPS (TF/s)', 'Block Mask:'] },
  {
    adapter: 'llmperf',
    labels: [
      '"num_concurrent_requests":',
      '"results_ttft_s_mean":',
      '"results_end_to_end_latency_s_mean":',
      '"results_num_completed_requests":',
    ],
  },
  {
    adapter: 'tt-inference-server',
    labels: [
      ' ISL ',
      ' OSL ',
      '| TTFT (ms) |',
      '| TPOT (ms) |',
      'Tput User (TPS)',
      'Tput Decode (TPS)',
      'E2EL (ms)',
      'Req Tput (RPS)',
    ],
  },
  {
    adapter: 'tgi-benchmark',
    labels: ['| Step ', '| Batch Size |', '| Lowest ', '| Highest ', '| Decode (token) |', ' tokens/secs'],
  },
  {
    adapter: 'lmdeploy-profile',
    labels: [
      'concurrency:',
      'elapsed_time:',
      'first token latency(s)(min, max, ave):',
      'number of completion tokens:',
      'token throughput (completion token):',
      'RPS (request per second):',
      'RPM (request per minute):',
    ],
  },
  {
    adapter: 'koboldcpp-benchmark',
    labels: [
      'MaxCtx:',
      'GenAmount:',
      'ProcessingTime:',
      'ProcessingSpeed:',
      'GenerationTime:',
      'GenerationSpeed:',
      'TotalTime:',
    ],
  },
  {
    adapter: 'mistralrs-bench',
    labels: ['| backend ', '| test ', '| t/s ', '| ms/t ', '| concurrency ', '| throughput/s '],
  },
  {
    adapter: 'exllamav2-test-inference',
    labels: ['-- Measuring token speed...', '-- Measuring prompt speed...', ' ** Position ', ' ** Length ', ' t/s'],
  },
  {
    adapter: 'exllamav3-perf',
    labels: ['-- Bitrate:', '-- Chunk size:', 'Length     256:', 'Context      0:', 'Context    256:'],
  },
  {
    adapter: 'tabbyapi-metrics',
    labels: [' tokens generated in ', '(Queue:', 'Process:', ' new tokens at ', 'Generate:', 'Context:'],
  },
  {
    adapter: 'native',
    labels: ['inferboard/v1', '"system":', '"results":', '"load":', '"metrics":'],
  },
];
