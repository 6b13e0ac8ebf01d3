import type { Fault } from '../../errors.ts';
import { type Adapter, type Claim, noRemarks, type Reading } from '../adapter.ts';
import { ArtifactError, maxFaults, maxResults, tooManyResults } from '../errors.ts';
import type { LlamaTable } from '../llama-cpp/table.ts';
import { toClaims, within } from '../reading/documents/json-records.ts';
import { readEach } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { type BenchyPoint, type BenchyRun, toBenchyResult } from './point.ts';
import { findBenchyReports, readBenchyReport } from './record.ts';
import { findBenchyTables, readBenchyContext, readBenchyRows } from './table.ts';

const name = 'llama-benchy';

function toResults(points: readonly BenchyPoint[], run: BenchyRun, faults: Fault[]) {
  const results = points.map((point) => toBenchyResult(point, run));
  for (const { metrics, lines } of results) {
    if (Object.keys(metrics).length > 0 || faults.length >= maxFaults) continue;
    const message = `A test on line ${lines.from} has no figure above 0: nothing was measured.`;
    faults.push({ code: 'nothing_measured', line: lines.from, message });
  }
  return results;
}

function readTable(artifact: ArtifactText, table: LlamaTable, free: { from: number; to: number }): Reading {
  if (table.rows.length > maxResults) throw tooManyResults(table.from);
  const faults: Fault[] = [...table.faults];
  const { run, version } = readBenchyContext(artifact, table, free);
  const { points, ignored } = readBenchyRows(table, faults);
  const results = toResults(points, run, faults);
  if (table.rows.length === 0 && faults.length === 0)
    faults.push({ code: 'table_empty', line: table.from, message: `The table on line ${table.from} has no rows.` });
  if (faults.length > 0) throw new ArtifactError(faults.slice(0, maxFaults));
  return { tool: { name, version }, results, ignored, ...noRemarks };
}

function readReports(artifact: ArtifactText, claim: Claim): Reading {
  let version: string | null = null;
  const read = readEach(within(findBenchyReports(artifact), claim), claim.from, (record) => {
    const report = readBenchyReport(record);
    version ??= report.version;
    const faults: Fault[] = [];
    return { results: toResults(report.points, report.run, faults), ignored: report.ignored, faults };
  });
  return { tool: { name, version }, ...read, ...noRemarks };
}

/**
 * `llama-benchy`: a client for any OpenAI endpoint with tests in the style of llama-bench. Reads the printed Markdown table,
 * its CSV, and the JSON report. `(total)` is the speed of the system, `(req)` the speed of one user. The output does not
 * name the engine or the GPU.
 *
 * Written by https://github.com/eugr/llama-benchy
 */
export const llamaBenchy: Adapter = {
  id: name,
  title: name,
  kind: 'serving',
  recognises:
    'a table with the columns model, test and ttfr (ms), its CSV with t_s_mean and ttfr_mean, or a JSON report with latency_mode, prefix_caching_enabled and benchmarks',
  command: 'llama-benchy --base-url URL --model MODEL --format json > result.json',
  detect: (artifact) => [
    ...findBenchyTables(artifact).map(({ from, to }) => ({ adapter: name, from, to })),
    ...toClaims(name, findBenchyReports(artifact)),
  ],
  read: (artifact, claim) => {
    const { found, before, after } = findAt(findBenchyTables(artifact), claim.from);
    if (found === null) return readReports(artifact, claim);
    const free = { from: (before?.to ?? 0) + 1, to: (after?.from ?? artifact.lines.length + 1) - 1 };
    return readTable(artifact, found, free);
  },
};
