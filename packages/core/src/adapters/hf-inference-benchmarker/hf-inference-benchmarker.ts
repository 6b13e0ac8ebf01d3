import type { Fault } from '../../errors.ts';
import { type Adapter, noRemarks, type ParsedResult } from '../adapter.ts';
import { ArtifactError, maxFaults, maxResults, tooManyResults } from '../errors.ts';
import { tellIgnored } from '../plain-facts.ts';
import { toClaims, within } from '../reading/json-records.ts';
import { findHfConsoles, readHfConsole, withinConsoles } from './console.ts';
import { findHfReports, type HfReport, readHfReport } from './json.ts';
import { isAnswered, toHfResult } from './result.ts';

const id = 'hf-inference-benchmarker';
const name = 'inference-benchmarker';

function toResults({ run, benchmarks }: HfReport, line: number, faults: Fault[]): ParsedResult[] {
  if (benchmarks.length > maxResults) throw tooManyResults(line);
  if (faults.length === 0 && !benchmarks.some(isAnswered)) {
    const message = `No benchmark of the report on line ${line} has a successful request: nothing was measured.`;
    faults.push({ code: 'nothing_measured', line, message });
  }
  return benchmarks.map((benchmark) => toHfResult(benchmark, run));
}

/**
 * Hugging Face's `inference-benchmarker`: its JSON report and the two grids it prints. What it calls inter-token latency is
 * the mean gap of each request, so a time per token without the first. Throughput counts output tokens. The system in the
 * report is the client's.
 *
 * Written by https://github.com/huggingface/inference-benchmarker/blob/main/src/writers.rs and `table.rs`.
 */
export const hfInferenceBenchmarker: Adapter = {
  id,
  title: name,
  kind: 'serving',
  recognises:
    'a JSON report with config.benchmark_kind, results and system, or a grid with the columns Benchmark, QPS, TTFT (avg) and ITL (avg)',
  command: 'inference-benchmarker --tokenizer-name MODEL --url URL (send results/*.json)',
  detect: (artifact) => [
    ...toClaims(id, findHfReports(artifact)),
    ...findHfConsoles(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  ],
  read: (artifact, claim) => {
    const faults: Fault[] = [];
    const results: ParsedResult[] = [];
    const ignored = new Set<string>();
    const add = (report: HfReport, line: number) => {
      for (const result of toResults(report, line, faults)) results.push(result);
      for (const unused of report.ignored) ignored.add(unused);
    };
    const block = withinConsoles(artifact, claim.from);
    if (block !== null) add(readHfConsole(block, faults), block.from);
    for (const record of block === null ? within(findHfReports(artifact), claim) : []) {
      if (faults.length >= maxFaults) break;
      const report = readHfReport(record, faults);
      if (report !== null) add(report, record.from);
    }
    if (faults.length > 0) throw new ArtifactError(faults.slice(0, maxFaults));
    return { tool: { name, version: null }, results, ignored: tellIgnored(ignored), ...noRemarks };
  },
};
