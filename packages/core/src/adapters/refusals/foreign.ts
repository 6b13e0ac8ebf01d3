import type { Fault } from '../../errors.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { loadTesters } from './load-testers.ts';

/** Known output that contains no usable results. */
interface Foreign {
  title: string;
  /** A word in the output, for a fast first test. */
  word: string;
  /** A line that occurs only in this output. */
  pattern: RegExp;
  why: string;
  hint: string;
}

const sendBenchmark = 'Send the report of a benchmark, such as the output of "vllm bench serve" or llama-bench.';
const serverSide = 'it has server-side counts over a time window, not client measurements';
const planned = 'its figures are computed, not measured';

const known: Foreign[] = [
  ...loadTesters.map((tester) => ({ ...tester, why: 'it counts HTTP requests but no tokens', hint: sendBenchmark })),
  {
    title: "vLLM's server log",
    word: 'Avg generation throughput:',
    pattern: /\bAvg generation throughput: \S{1,30} tokens\/s/,
    why: serverSide,
    hint: sendBenchmark,
  },
  {
    title: "SGLang's server log",
    word: 'gen throughput (token/s):',
    pattern: /\bDecode batch\b.{0,400}\bgen throughput \(token\/s\):/,
    why: serverSide,
    hint: sendBenchmark,
  },
  {
    title: "llama.cpp's timings of one request",
    word: 'tokens per second)',
    pattern: /\b(?:prompt eval|eval) time {0,8}=.{1,120}\btokens per second\)/,
    why: 'they are of one request and lack a line or the speed of its response',
    hint: 'Send the lines from "prompt eval time" to "total time", or the output of llama-bench for the same model.',
  },
  {
    title: "llama-cli's speeds of one response",
    word: '| Generation: ',
    pattern: /\[ Prompt: \S{1,12} t\/s \| Generation: \S{1,12} t\/s \]/,
    why: 'they have no counts of tokens',
    hint: 'Send the timings of llama-completion with the same options, or the output of llama-bench for the same model.',
  },
  {
    title: "KoboldCpp's log of one request",
    word: 'Generat',
    pattern: /\b(?:CtxLimit|ContextLimit): ?\d{1,9}\/\d{1,9}.{1,120}\b(?:Generate|Generation): ?[\d.]{1,12}s \(/,
    why: 'it does not state the model, and versions before 1.67 divide by the requested tokens',
    hint: 'Send the output of: koboldcpp --model MODEL.gguf --benchmark.',
  },
  {
    title: "ExLlamaV2's time of one response",
    word: 'Response generated in ',
    pattern: /\bResponse generated in [\d.]{1,12} seconds, \d{1,9} tokens, [\d.]{1,12} tokens\/second/,
    why: 'it states neither the model nor the tokens of the prompt',
    hint: 'Send the output of: python test_inference.py -m MODEL -ps -s.',
  },
  {
    title: "MLC LLM's dump of single requests",
    word: '"first_chunk_output_str":',
    pattern: /"first_chunk_output_str":/,
    why: 'it has the prompts and responses, and no figures of the run',
    hint: 'Send the CSV of the run, or the blocks that it printed.',
  },
  {
    title: "MLC LLM's statistics of one response",
    word: '- prefill -',
    pattern: /^\s{0,8}-{3,20} prefill -{3,20}\s*$/,
    why: 'its layout is not supported yet',
    hint: 'Write its figures in the native format; the formats page has an example.',
  },
  {
    title: 'a comparison of reports of trtllm-bench',
    word: 'PERFORMANCE OVERVIEW (',
    pattern: /^\s{0,8}=? ?PERFORMANCE OVERVIEW \(.{1,80}\/.{1,80}\)\s*$/,
    why: 'each of its rows has the figures of several runs',
    hint: 'Send the report of each run on its own.',
  },
  {
    title: 'a report of trtllm-bench that was pasted through a spreadsheet',
    word: 'hroughput (',
    pattern: /^[\s|]{0,8}Request\s{2,8}Throughput \(req\/sec\):?[\s|]/,
    why: 'its columns are not those of the report',
    hint: 'Send the report as trtllm-bench printed it, or its report.json.',
  },
  {
    title: "averages of Ollama's eval rate",
    word: 'Average ',
    pattern: /^[\s|*]{0,12}Average (?:of )?eval rate\b/i,
    why: 'they have no counts of tokens',
    hint: 'Send the output of ollama run MODEL --verbose, or of ollama-bench.',
  },
  {
    title: 'averages of benchmark_latency.py',
    word: ': Avg latency: ',
    pattern: /^.{1,80}: Avg latency: [\d.]{1,24} ?seconds\s*$/,
    why: 'text before them is not printed by the program',
    hint: 'Send the output of each run with its command.',
  },
  {
    title: "vLLM's progress bar",
    word: 'est. speed input: ',
    pattern: /^Processed prompts: .{0,800}\best\. speed input: [\d.]{1,20} toks\/s, output: [\d.]{1,20} toks\/s/,
    why: 'its speeds are estimates, and it does not state the model',
    hint: 'Send the output of: vllm bench throughput --model MODEL --input-len 1024 --output-len 256.',
  },
  {
    title: "a comparison of AIPerf's averages",
    word: ' avg |',
    pattern: /^\s{0,8}\| *Metric *\|(?:[^|]{1,60} avg *\|){2,40}\s*$/,
    why: 'each of its columns is another run, and it does not state how the requests were sent',
    hint: 'Send profile_export_aiperf.json of each run.',
  },
  {
    title: 'Prometheus metrics',
    word: '# TYPE ',
    pattern: /^# TYPE [a-zA-Z_:][\w:]{0,200} (?:counter|gauge|histogram|summary|untyped)\s*$/,
    why: serverSide,
    hint: sendBenchmark,
  },
  {
    title: 'aiconfigurator',
    word: 'aiconfigurator',
    pattern: /\baiconfigurator Final Results\b/,
    why: planned,
    hint: 'Run the configuration it proposes and send the output of the benchmark.',
  },
  {
    title: "a table of MAD's results",
    word: 'performance,',
    pattern: /^(?:[\w ]{1,40},){0,40}?model, ?(?:[\w ]{1,40}, ?){0,40}?performance, ?metric\b/,
    why: 'it states neither the load nor the lengths',
    hint: 'Send perf_MODEL.csv, which scripts/vllm/run_vllm.py writes, or the output of the benchmark that MAD ran.',
  },
  {
    title: "the summary of SGLang's parse_results.py",
    word: 'per_user_throughput',
    pattern: /\|\s{0,40}max_concurrency\s{0,40}\|.{0,400}\|\s{0,40}per_user_throughput\s{0,40}\|/,
    why: 'it states neither the model nor the lengths',
    hint: 'Send the file that it read: python -m sglang.bench_serving ... --output-file result.jsonl.',
  },
  {
    title: 'a comparison of serving benchmarks',
    word: 'Request throughput (req/s)',
    pattern: /^\s{0,8}\|\s{0,8}Request throughput \(req\/s\)\s{0,40}\|(?:\s{0,40}[\d.,]{1,20}\s{0,40}\|){2}/,
    why: 'each of its rows has the figures of several runs',
    hint: 'Send the block "Serving Benchmark Result" of each run.',
  },
  {
    title: "MNN's llm_bench",
    word: 'modelSize',
    pattern: /^\|\s{0,40}model\s{0,40}\|\s{0,40}modelSize\s{0,40}\|/,
    why: 'its table is not supported yet',
    hint: 'Write its figures in the native format; /docs/native has an example.',
  },
  {
    title: "evalscope's speed benchmark",
    word: 'Speed(tokens/s)',
    pattern: /[|│]\s{0,40}Prompt Tokens\s{0,40}[|│]\s{0,40}Speed\(tokens\/s\)\s{0,40}[|│]/,
    why: 'the table is read only below its command, and only if that sends one request at a time',
    hint: 'Send the command above the table, with --dataset speed_benchmark and --parallel 1, or the output of evalscope perf with another dataset: its table "Benchmarking summary".',
  },
  {
    title: "club-3090's benchmark of concurrent streams",
    word: 'aggregate_TPS=',
    pattern: /^\s{0,8}total_toks=\d{1,12}\s{1,8}total_wall=[\d.]{1,12}s\s{1,8}aggregate_TPS=/,
    why: 'its table is not supported yet',
    hint: 'Send the output of scripts/bench.sh, or write the figures in the native format.',
  },
  {
    title: "vllm-mlx's benchmark of images",
    word: '"test_image":',
    pattern: /^\s{0,8}\{?\s{0,8}"test_image":/,
    why: 'it states neither the model nor the time to the first token',
    hint: 'Send the output of vllm-mlx-bench --model MODEL.',
  },
  {
    title: 'a record of llama-bench inside another record',
    word: '"bench_raw":',
    pattern: /"bench_raw":\s{0,8}\{\s{0,8}"build_commit":/,
    why: 'only records at the beginning of a line are read',
    hint: 'Extract them, for example with: jq -c .bench_raw results.jsonl.',
  },
  {
    title: 'a report within a JSON string',
    word: String.raw`Serving Benchmark Result ============\n`,
    pattern: /^/,
    why: 'only reports on separate lines are read',
    hint: 'Print the string and send it, for example with: jq -r ".. | strings" result.json.',
  },
  {
    title: 'LM Studio',
    word: 'to first token',
    pattern: /\b[\d.]{1,12} tok\/sec\b.{1,80}\bto first token\b|^\s{0,8}[\d.]{1,12}s to first token\s*$/,
    why: 'it writes no benchmark file',
    hint: 'Write the figures of its window in the native format; /docs/native has an example.',
  },
  {
    title: "a response of LM Studio's API",
    word: '"time_to_first_token":',
    pattern: /"time_to_first_token": {0,8}[\d.]{1,24}\s{0,8}(?:,|\}|$)/,
    why: 'it is of one request, and it does not state the GPU or the load',
    hint: 'Write its "stats" in the native format; /docs/native has an example.',
  },
];

/** Longer lines are text. The patterns match at the beginning of a line. */
const longest = 4000;

/**
 * Identifies an artifact that no adapter reads. Returns an error with the reason and the output to send instead; null if it
 * is unknown. Such lines also occur in logs around a benchmark's report, so this applies only if there is no report.
 */
export function findForeign(artifact: ArtifactText): Fault | null {
  const possible = known.filter(({ word }) => artifact.has(word));
  for (const line of artifact.linesWith(...possible.map(({ word }) => word))) {
    const text = artifact.lineAt(line);
    const found = possible.find(({ word, pattern }) => text.includes(word) && pattern.test(text.slice(0, longest)));
    if (found === undefined) continue;
    const message = `Line ${line} belongs to ${found.title}: ${found.why}.`;
    return { code: 'tool_unsupported', line, message, hint: found.hint };
  }
  return null;
}
