import { type Adapter, noRemarks } from '../adapter.ts';
import {
  countNames,
  isObject,
  type JsonRecord,
  recordFinder,
  toClaims,
  within,
} from '../reading/documents/json-records.ts';
import { checkMeasured } from '../reading/figures/block-figures.ts';
import { addLatency, addMetric, noFigures, readFigure } from '../reading/figures/report-figures.ts';
import { type ReadOne, readEach } from '../reading/tables/read-each.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { findSummaries, readSummaryRows, type Summary } from './console.ts';
import { toResult } from './to-result.ts';

const id = 'vllm-mlx-bench';
const typical = ['num_runs', 'total_generated_tokens', 'ttft_ms', 'tpot_ms', 'tokens_per_second', 'latency_seconds'];

const findReports = recordFinder((value) => {
  const found = countNames(value, typical);
  return value.type === 'llm' && found === typical.length ? 'whole' : found === typical.length - 1 ? 'likely' : null;
});

const used = new Set([
  ...typical,
  'type',
  'model',
  'hardware',
  'total_prompt_tokens',
  'total_time_seconds',
  'requests_per_second',
]);
const ignoredHardware = ['memory_gb', 'bandwidth_gbs'];

function readReport({ value, from, to }: JsonRecord): ReadOne {
  const figures = noFigures(from);
  const rates = isObject(value.tokens_per_second) ? value.tokens_per_second : {};
  const hardware = isObject(value.hardware) ? value.hardware : {};
  const ok = addMetric(figures, 'requests_ok', value.num_runs, '/num_runs');
  addMetric(figures, 'input_tokens', value.total_prompt_tokens, '/total_prompt_tokens');
  addMetric(figures, 'output_tokens', value.total_generated_tokens, '/total_generated_tokens');
  addMetric(figures, 'duration_s', value.total_time_seconds, '/total_time_seconds');
  addMetric(figures, 'req_s', value.requests_per_second, '/requests_per_second');
  addMetric(figures, 'total_tok_s', rates.total_throughput, '/tokens_per_second/total_throughput');
  addMetric(figures, 'prefill_tok_s', rates.processing_mean, '/tokens_per_second/processing_mean');
  for (const name of ['decode_tok_s', 'user_tok_s'] as const)
    addMetric(figures, name, rates.generation_mean, '/tokens_per_second/generation_mean');
  addLatency(figures, 'ttft_ms', value.ttft_ms, { pointer: '/ttft_ms', places: 0 });
  addLatency(figures, 'tpot_ms', value.tpot_ms, { pointer: '/tpot_ms', places: 0 });
  addLatency(figures, 'e2e_ms', value.latency_seconds, { pointer: '/latency_seconds', places: 3 });
  // The tool writes 0 for unmeasured values.
  for (const [name, figure] of figures.metrics)
    if (figure === 0 && name !== 'requests_ok') figures.metrics.delete(name);
  if (figures.faults.length === 0) checkMeasured(figures.metrics, from, ok);
  const peakGb = readFigure(
    figures,
    isObject(value.resources) ? value.resources.mlx_peak_memory_gb : null,
    '/resources',
  );
  const facts = {
    model: typeof value.model === 'string' ? value.model : null,
    chip: typeof hardware.chip === 'string' ? hardware.chip : null,
    peakGb,
  };
  const ignored = Object.keys(value).filter((name) => !used.has(name));
  return {
    result: toResult(figures, facts, { from, to }),
    ignored: [...ignored, ...ignoredHardware.filter((name) => Object.hasOwn(hardware, name))],
    faults: figures.faults,
  };
}

/** All runs in order of appearance. A summary above the report of the same run is not counted again. */
const findRuns = cachedPerArtifact((artifact): (JsonRecord | Summary)[] => {
  const reports = findReports(artifact);
  const reported = new Set(
    reports.map(({ value: { model, total_time_seconds: seconds } }) =>
      typeof model === 'string' && typeof seconds === 'number' ? `${model} ${seconds.toFixed(2)}s` : null,
    ),
  );
  const textOf = ({ rows }: Summary, label: string) => rows.get(label)?.values[0] ?? '';
  const summaries = findSummaries(artifact).filter(
    (summary) => !reported.has(`${textOf(summary, 'Model')} ${textOf(summary, 'Total Time')}`),
  );
  return [...reports, ...summaries].sort((a, b) => a.from - b.from);
});

/**
 * `vllm-mlx-bench`: a few built-in prompts, sent sequentially through mlx-lm in the process. Reads the JSON that `--output`
 * writes, and the printed summary.
 *
 * Written by https://github.com/waybarrios/vllm-mlx/blob/main/vllm_mlx/benchmark.py
 */
export const vllmMlxBench: Adapter = {
  id,
  title: 'vllm-mlx-bench',
  kind: 'serving',
  recognises:
    'JSON with type "llm", num_runs, ttft_ms, tpot_ms, tokens_per_second and latency_seconds, or a printed summary with "Total Runs" and "TTFT (Time to First Token)"',
  command: 'vllm-mlx-bench --model MODEL --prompts 5 --output result.json',
  detect: (artifact) => toClaims(id, findRuns(artifact)),
  read: (artifact, claim) => ({
    tool: { name: 'vllm-mlx-bench', version: null },
    ...readEach(within(findRuns(artifact), claim), claim.from, (run) =>
      'rows' in run ? readSummaryRows(run) : readReport(run),
    ),
    ...noRemarks,
  }),
};
