import { maxFaults } from '../errors.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';

/** Output of a known program without an adapter. Lines are 1-based. */
export interface UnreadOutput {
  line: number;
  title: string;
}

/** Lines that no other program prints, and a word in them for a fast first test. */
const lines: { title: string; word: string; pattern: RegExp }[] = [
  {
    title: "TensorRT-LLM's benchmark of 2023 and 2024",
    word: '[BENCHMARK]',
    pattern:
      /^\s{0,8}\[BENCHMARK\] (?!(?:avg|max|min|p\d{2})_user_tokens_per_second|(?:model_name .{0,1000} )?batch_size \d+ input_length \d+ output_length \d+ .{0,1000}latency\(ms\)).{0,2000}?tokens_?per_?sec/i,
  },
  {
    title: "GuideLLM's HTML report",
    word: 'window.runInfo',
    pattern: /\bwindow\.runInfo\s?=/,
  },
  {
    title: 'GuideLLM 0.1 on a console',
    word: 'Requests Data by Benchmark',
    pattern: /^[\s│|]{0,40}Requests Data by Benchmark\b/,
  },
  {
    title: "TensorRT-LLM's C++ benchmark of 2024",
    word: 'token_throughput(token/sec)',
    pattern: /^num_samples,.{0,200}\btoken_throughput\(token\/sec\)/,
  },
  {
    title: 'MLPerf Endpoints',
    word: 'Latency Breakdowns',
    pattern: /^\s{0,8}-{10,40} Latency Breakdowns -{10,40}\s*$/,
  },
  {
    title: 'MLPerf Endpoints',
    word: '"n_samples_issued":',
    pattern: /^\s{0,40}[{]?.{0,2000}"n_samples_issued":/,
  },
  {
    title: "SGLang's benchmark of image and video generation",
    word: 'Latency Mean (s):',
    pattern: /^\s{0,8}Latency Mean \(s\):\s{1,80}[\d.]/,
  },
  {
    title: "vLLM-Omni's benchmark of image and video generation",
    word: 'PEAK_MEMORY_MB',
    pattern: /^\s{0,8}Mean PEAK_MEMORY_MB \(MB\):\s{1,80}[\d.]/,
  },
  // From vLLM programs that do not measure the serving of independent requests.
  { title: 'vllm bench startup', word: 'cold_startup_time', pattern: /^\s{0,40}[{]?.{0,200}"avg_cold_startup_time":/ },
  { title: 'vllm bench startup', word: 'STARTUP TIME', pattern: /^\s{0,20}STARTUP TIME BENCHMARK RESULTS\s*$/ },
  { title: 'vllm bench mm-processor', word: 'apply_hf_processor_', pattern: /\bapply_hf_processor_(?:secs|time)\b/ },
  {
    title: "vLLM's benchmark_serving_multi_turn.py",
    word: 'requests_per_sec = ',
    pattern: /^\s{0,8}requests_per_sec = \d+(?:\.\d+)?\s*$/,
  },
];

/**
 * Output that resembles the input of an adapter but has a different meaning. An artifact with such output is rejected with
 * the program's name, because reading the rest would drop a part silently.
 */
export function findUnread(artifact: ArtifactText): UnreadOutput[] {
  const found: UnreadOutput[] = [];
  const possible = lines.filter(({ word }) => artifact.has(word));
  for (const line of artifact.linesWith(...possible.map(({ word }) => word))) {
    const text = artifact.lineAt(line);
    if (found.length >= maxFaults) break;
    const output = possible.find(({ word, pattern }) => text.includes(word) && pattern.test(text));
    if (output !== undefined) found.push({ line, title: output.title });
  }
  return found;
}
