import type { Fault } from '../../errors.ts';
import type { ArtifactText } from '../reading/artifact-text.ts';

/** Output that is known and tells nothing that a result could hold. */
interface Foreign {
  title: string;
  /** A word of it that is quickly looked for. */
  word: string;
  /** A line of it that nothing else has. */
  pattern: RegExp;
  why: string;
  hint: string;
}

const sendBenchmark = 'Send the report of a benchmark, such as what "vllm bench serve" or llama-bench prints.';
const serverSide = 'it counts what the server did in a window of time, not what a client measured';
const loadTester = 'it counts HTTP requests and no tokens';
const planned = 'its figures are computed, not measured';

const known: Foreign[] = [
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
    pattern: /\b(?:prompt eval|eval) time =.{1,120}\btokens per second\)/,
    why: 'they are of one request and end before its total time',
    hint: 'Send the lines down to "total time", or what llama-bench prints for the same model.',
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
    hint: 'Run the configuration it proposes and send what the benchmark printed.',
  },
  {
    title: 'k6',
    word: 'http_req_duration',
    pattern: /^\s{0,40}(?:[✓✗]\s{0,4})?http_req_duration\.{3,}.{0,4}:|"http_req_duration":/,
    why: loadTester,
    hint: sendBenchmark,
  },
  {
    title: 'oha',
    word: 'uccess',
    pattern: /^\s{0,20}Success rate:\s{1,20}[\d.]+%|"successRate":.{0,400}"requestsPerSec":|^\s{1,20}"successRate": /,
    why: loadTester,
    hint: sendBenchmark,
  },
  {
    title: 'wrk',
    word: 'Thread Stats',
    pattern: /^\s{0,20}Thread Stats\s{1,20}Avg\s{1,20}Stdev\b/,
    why: loadTester,
    hint: sendBenchmark,
  },
  {
    title: 'autocannon',
    word: 'Req/Bytes counts sampled',
    pattern: /^\s{0,20}Req\/Bytes counts sampled once per second/,
    why: loadTester,
    hint: sendBenchmark,
  },
  {
    title: 'autocannon',
    word: '"pipelining"',
    pattern: /"pipelining":/,
    why: loadTester,
    hint: sendBenchmark,
  },
  {
    title: 'LM Studio',
    word: 'to first token',
    pattern: /\b[\d.]{1,12} tok\/sec\b.{1,80}\bto first token\b/,
    why: 'it writes no benchmark file',
    hint: 'Write the figures of its window into our own format; the formats page has an example.',
  },
];

/** Lines longer than this are texts; the patterns find what they look for at the beginning. */
const longest = 4000;

/**
 * What an artifact is that no adapter reads at all, as a fault with the reason and what to send instead; null where that is
 * not known either. Such lines stand in logs around a benchmark's own report as well, so this counts only beside none.
 */
export function findForeign(artifact: ArtifactText): Fault | null {
  const possible = known.filter(({ word }) => artifact.has(word));
  for (const line of artifact.linesWith(...possible.map(({ word }) => word))) {
    const text = artifact.lineAt(line);
    const found = possible.find(({ word, pattern }) => text.includes(word) && pattern.test(text.slice(0, longest)));
    if (found === undefined) continue;
    const message = `Line ${line} is of ${found.title}: ${found.why}.`;
    return { code: 'tool_unsupported', line, message, hint: found.hint };
  }
  return null;
}
