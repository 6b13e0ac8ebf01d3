import type { Fault } from '../errors.ts';
import { type Adapter, noRemarks, type ParsedResult } from './adapter.ts';
import { ArtifactError, maxFaults, maxResults, tooManyResults } from './errors.ts';
import { findGuideBoxes, readGuideBoxes } from './guidellm-boxes.ts';
import { findGuideConsoles, readGuideConsole } from './guidellm-console.ts';
import { findGuideCsvs, readGuideCsv } from './guidellm-csv.ts';
import { isBenchmark, readGuideReport } from './guidellm-json.ts';
import { type GuideRun, toGuideResult } from './guidellm-run.ts';
import { tellIgnored } from './plain-facts.ts';
import type { ArtifactText } from './reading/artifact-text.ts';
import { findAt } from './reading/by-line.ts';
import { isObject, recordFinder, toClaims, within } from './reading/json-records.ts';

const id = 'guidellm';

const findReports = recordFinder(({ metadata, benchmarks }) => {
  if (!Array.isArray(benchmarks)) return null;
  if (isObject(metadata) && Object.hasOwn(metadata, 'guidellm_version')) return 'whole';
  return benchmarks.some(isBenchmark) ? 'whole' : null;
});

/** Benchmarks of one report as results; refused where none of them completed a request. */
function toResults(runs: readonly GuideRun[], line: number, faults: Fault[]): ParsedResult[] {
  if (runs.length > maxResults) throw tooManyResults(line);
  if (faults.length === 0 && !runs.some(({ isAnswered }) => isAnswered)) {
    const message = `No benchmark of the report on line ${line} completed a request: nothing was measured.`;
    faults.push({ code: 'nothing_measured', line, message });
  }
  return runs.map(toGuideResult);
}

/** What a run printed or wrote as a table, where such begins on a line. */
function readTables(artifact: ArtifactText, line: number, faults: Fault[]) {
  const { found: console } = findAt(findGuideConsoles(artifact), line);
  if (console !== null) return { runs: readGuideConsole(artifact, console, faults), version: null };
  const { found: file } = findAt(findGuideCsvs(artifact), line);
  if (file !== null) return readGuideCsv(file, faults);
  const { found: boxes, before } = findAt(findGuideBoxes(artifact), line);
  if (boxes === null) return null;
  return { runs: readGuideBoxes(artifact, boxes, (before?.to ?? 0) + 1, faults), version: null };
}

/**
 * GuideLLM since 0.2: JSON reports, both layouts of CSV and of what it prints. Latencies of requests are in seconds, the others
 * in ms, percentiles weighted by tokens. What it calls inter-token latency is a time per token without the first.
 *
 * Written by https://github.com/vllm-project/guidellm/tree/main/src/guidellm/benchmark/outputs
 */
export const guidellm: Adapter = {
  id,
  title: id,
  kind: 'serving',
  recognises:
    'a JSON report with benchmarks of metrics.requests_per_second and metrics.request_latency, its CSV, or tables under "Benchmarks Stats:" or "Request Latency Statistics"',
  command: 'guidellm benchmark --target URL --rate-type sweep --data prompt_tokens=256,output_tokens=128',
  detect: (artifact) => [
    ...toClaims(id, findReports(artifact)),
    ...[...findGuideConsoles(artifact), ...findGuideBoxes(artifact), ...findGuideCsvs(artifact)].map(
      ({ from, to }) => ({ adapter: id, from, to }),
    ),
  ],
  read: (artifact, claim) => {
    const faults: Fault[] = [];
    const results: ParsedResult[] = [];
    const ignored = new Set<string>();
    let version: string | null = null;
    const add = (report: { runs: readonly GuideRun[]; version: string | null }, line: number) => {
      version ??= report.version;
      for (const { figures } of report.runs) for (const name of figures.ignored) ignored.add(name);
      for (const result of toResults(report.runs, line, faults)) results.push(result);
      if (results.length > maxResults) throw tooManyResults(line);
    };
    const tables = readTables(artifact, claim.from, faults);
    if (tables !== null) add(tables, claim.from);
    for (const record of tables === null ? within(findReports(artifact), claim) : []) {
      if (faults.length >= maxFaults) break;
      add(readGuideReport(record, faults), record.from);
    }
    if (faults.length > 0) throw new ArtifactError(faults.slice(0, maxFaults));
    return { tool: { name: id, version }, results, ignored: tellIgnored(ignored), ...noRemarks };
  },
};
