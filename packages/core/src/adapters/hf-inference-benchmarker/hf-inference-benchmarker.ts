import type { Fault } from '../../errors.ts';
import { type Adapter, noRemarks } from '../adapter.ts';
import { maxResults, tooManyResults } from '../errors.ts';
import { type JsonRecord, toClaims, within } from '../reading/documents/json-records.ts';
import { type ReadMany, readEach } from '../reading/tables/read-each.ts';
import { findHfConsoles, type HfConsole, readHfConsole, withinConsoles } from './console.ts';
import { findHfReports, type HfReport, readHfReport } from './json.ts';
import { isAnswered, toHfResult } from './result.ts';

const id = 'hf-inference-benchmarker';
const name = 'inference-benchmarker';

function toRead({ run, benchmarks, ignored }: HfReport, line: number, faults: Fault[]): ReadMany {
  if (benchmarks.length > maxResults) throw tooManyResults(line);
  if (faults.length === 0 && !benchmarks.some(isAnswered)) {
    const message = `No benchmark of the report on line ${line} has a successful request: nothing was measured.`;
    faults.push({ code: 'nothing_measured', line, message });
  }
  return { results: benchmarks.map((benchmark) => toHfResult(benchmark, run)), ignored, faults };
}

/**
 * Hugging Face's `inference-benchmarker`: its JSON report and the two grids it prints. Its inter-token latency is the mean
 * gap of each request, so it is a time per token without the first. Throughput counts output tokens. The report describes
 * the client's system.
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
    const block = withinConsoles(artifact, claim.from);
    const found = block === null ? within(findHfReports(artifact), claim) : [block];
    const read = readEach<JsonRecord | HfConsole>(found, claim.from, (each) => {
      const faults: Fault[] = [];
      const report = 'pointer' in each ? readHfReport(each, faults) : readHfConsole(each, faults);
      return toRead(report, each.from, faults);
    });
    return { tool: { name, version: null }, ...read, ...noRemarks };
  },
};
