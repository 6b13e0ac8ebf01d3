import type { Adapter, ParsedResult } from '../adapter.ts';
import { unreadable } from '../errors.ts';
import { blocksAndRecords } from '../reading/documents/blocks-and-records.ts';
import type { JsonRecord } from '../reading/documents/json-records.ts';
import type { ReadOne } from '../reading/tables/read-each.ts';
import { findOptimumReports, readOptimumRecord } from './record.ts';
import { type OptimumReport, type OptimumRun, toOptimumResult } from './report.ts';
import { findOptimumBlocks, type OptimumBlock, readOptimumBlock } from './text.ts';

const id = 'optimum-benchmark';
const noRun: OptimumRun = { system: {}, batchSize: null, inputTokens: null, outputTokens: null, extra: {} };

function toResult(report: OptimumReport, run: OptimumRun): ParsedResult {
  const result = toOptimumResult(report, run);
  if (result !== null) return result;
  const message = `The report that begins on line ${report.from} times neither prefill nor decode.`;
  throw unreadable(report.from, 'nothing_measured', message);
}

function readBlock(block: OptimumBlock): ReadOne {
  const ignored = [...block.figures.keys()].filter((key) => / (?:memory|energy|efficiency) /.test(key));
  return { result: toResult(readOptimumBlock(block), noRun), ignored };
}

function readRecord(record: JsonRecord): ReadOne {
  const { report, run, ignored } = readOptimumRecord(record);
  return { result: toResult(report, run), ignored };
}

/**
 * Hugging Face's optimum-benchmark: a static batch in the process, with prefill and decode timed separately. The report
 * alone, as JSON, Markdown or text, does not name the model or the batch; `benchmark.json` has both.
 *
 * Written by https://github.com/huggingface/optimum-benchmark/blob/main/optimum_benchmark/benchmark/report.py
 */
export const optimumBenchmark: Adapter = {
  id,
  title: id,
  kind: 'serving',
  recognises:
    'JSON with config.backend of optimum_benchmark and report, or a report with prefill and decode, each with memory, latency and throughput; as Markdown "# prefill:" and "## latency:"',
  command: 'optimum-benchmark --config-name CONFIG, then benchmark.json',
  ...blocksAndRecords({
    id,
    name: id,
    findBlocks: findOptimumBlocks,
    readBlock: (_, block) => readBlock(block),
    findRecords: findOptimumReports,
    readRecord,
  }),
};
