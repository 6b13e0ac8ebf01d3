import type { Fault } from '../../errors.ts';
import { type Adapter, type Claim, noRemarks, type ParsedResult, type Reading } from '../adapter.ts';
import { ArtifactError, addFaults, maxFaults, maxResults, tooManyResults } from '../errors.ts';
import { tellIgnored } from '../plain-facts.ts';
import type { ArtifactText } from '../reading/artifact-text.ts';
import { findAt } from '../reading/by-line.ts';
import { toClaims, within } from '../reading/json-records.ts';
import { findOptimumReports, readOptimumRecord } from './record.ts';
import { type OptimumReport, type OptimumRun, toOptimumResult } from './report.ts';
import { findOptimumBlocks, readOptimumBlock } from './text.ts';

const id = 'optimum-benchmark';
const noRun: OptimumRun = { system: {}, batchSize: null, inputTokens: null, outputTokens: null, extra: {} };

function addResult(report: OptimumReport, run: OptimumRun, results: ParsedResult[], faults: Fault[]): void {
  const result = toOptimumResult(report, run);
  if (result !== null) {
    results.push(result);
    return;
  }
  const message = `The report that begins on line ${report.from} times neither prefill nor decode.`;
  addFaults(faults, [{ code: 'nothing_measured', line: report.from, message }]);
}

function readClaim(artifact: ArtifactText, claim: Claim): Reading {
  const faults: Fault[] = [];
  const results: ParsedResult[] = [];
  const ignored = new Set<string>();
  const { found: block } = findAt(findOptimumBlocks(artifact), claim.from);
  if (block !== null) {
    const report = readOptimumBlock(block, faults);
    if (report !== null) addResult(report, noRun, results, faults);
    for (const key of block.figures.keys()) if (/ (?:memory|energy|efficiency) /.test(key)) ignored.add(key);
  }
  const records = block === null ? within(findOptimumReports(artifact), claim) : [];
  if (records.length > maxResults) throw tooManyResults(claim.from);
  for (const record of records) {
    if (faults.length >= maxFaults) break;
    const read = readOptimumRecord(record, faults);
    if (read === null) continue;
    addResult(read.report, read.run, results, faults);
    for (const name of read.ignored) ignored.add(name);
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  return { tool: { name: id, version: null }, results, ignored: tellIgnored(ignored), ...noRemarks };
}

/**
 * Hugging Face's optimum-benchmark: a static batch in the process, prefill and decode timed apart. The report alone, as
 * JSON, Markdown or text, names neither model nor batch; `benchmark.json` holds both.
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
  detect: (artifact) => [
    ...findOptimumBlocks(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
    ...toClaims(id, findOptimumReports(artifact)),
  ],
  read: readClaim,
};
