import type { Fault } from '../../errors.ts';
import { type Adapter, noRemarks, type ParsedResult } from '../adapter.ts';
import { ArtifactError, maxFaults, maxResults, tooManyResults } from '../errors.ts';
import { noteIgnored } from '../plain-facts.ts';
import { isObject, recordFinder, toClaims, within } from '../reading/documents/json-records.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { findGuideBoxes, readGuideBoxes } from './boxes.ts';
import { findGuideConsoles, readGuideConsole } from './console.ts';
import { findGuideCsvs, readGuideCsv } from './csv.ts';
import { isBenchmark, readGuideReport } from './json.ts';
import { isRequestReport, readRequestReport } from './requests.ts';
import { type GuideRun, toGuideResult } from './run.ts';

const id = 'guidellm';

const findReports = recordFinder(({ metadata, benchmarks }) => {
  if (!Array.isArray(benchmarks)) return null;
  if (isObject(metadata) && Object.hasOwn(metadata, 'guidellm_version')) return 'whole';
  return benchmarks.some(isBenchmark) || isRequestReport({ benchmarks }) ? 'whole' : null;
});

/** True if a request was completed. Other benchmarks keep only their counts. */
const isMeasured = ({ metrics }: ParsedResult) =>
  (metrics.requests_ok ?? 0) > 0 || Object.keys(metrics).some((name) => !name.startsWith('requests_'));

/** The console output or table that begins on a line. */
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
 * GuideLLM: JSON and YAML reports, both CSV layouts and both console layouts. Request latencies are in seconds, the others
 * in ms; percentiles are weighted by tokens. Its inter-token latency is a time per token without the first. Version 0.1
 * wrote single requests; all figures are computed from them.
 *
 * Written by https://github.com/vllm-project/guidellm/tree/main/src/guidellm/benchmark/outputs
 */
export const guidellm: Adapter = {
  id,
  title: id,
  kind: 'serving',
  recognises:
    'a report in JSON or YAML with benchmarks of metrics.requests_per_second and metrics.request_latency (0.1: of results and concurrencies), its CSV, or tables under "Benchmarks Stats:" or "Request Latency Statistics"',
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
    /** Adds one report. A report without a completed request is rejected. */
    const add = (found: readonly ParsedResult[], line: number) => {
      if (faults.length === 0 && !found.some(isMeasured)) {
        const message = `No benchmark of the report on line ${line} completed a request: nothing was measured.`;
        faults.push({ code: 'nothing_measured', line, message });
      }
      for (const result of found) results.push(result);
      if (results.length > maxResults) throw tooManyResults(line);
    };
    const addRuns = (report: { runs: readonly GuideRun[]; version: string | null }, line: number) => {
      version ??= report.version;
      for (const { figures } of report.runs) for (const name of figures.ignored) ignored.add(name);
      add(report.runs.map(toGuideResult), line);
    };
    const tables = readTables(artifact, claim.from, faults);
    if (tables !== null) addRuns(tables, claim.from);
    for (const record of tables === null ? within(findReports(artifact), claim) : []) {
      if (faults.length >= maxFaults) break;
      if (isRequestReport(record.value)) add(readRequestReport(record, faults, ignored), record.from);
      else addRuns(readGuideReport(record, faults), record.from);
    }
    if (faults.length > 0) throw new ArtifactError(faults.slice(0, maxFaults));
    return { tool: { name: id, version }, results, ignored: noteIgnored(ignored), ...noRemarks };
  },
};
