import type { Fault } from '../../errors.ts';
import { type Adapter, noRemarks, type ParsedResult } from '../adapter.ts';
import { type JsonRecord, recordFinder, toClaims, within } from '../reading/documents/json-records.ts';
import { readEach } from '../reading/tables/read-each.ts';
import { type ReadFigures, readReportFigures } from './benchmark-report-figures.ts';
import { toReportedLoad, toReportedScenario } from './benchmark-report-load.ts';
import { notesAndTolerance } from './benchmark-report-notes.ts';
import { isReport, openReport, type Report } from './benchmark-report-open.ts';
import { imagesOf, toReportedSystem } from './benchmark-report-system.ts';

const id = 'llm-d-benchmark-report';

const findReports = recordFinder((value) => (isReport(value) ? 'whole' : null));

/** The error for a report without any response. */
function findNothing({ figures, sections }: Report, sent: number | null): Fault | null {
  const { metrics, line } = figures;
  const isEmpty = ![...metrics.keys()].some((name) =>
    /^(?:ttft|tpot|itl|e2e|req_s|output_tok_s|total_tok_s)/.test(name),
  );
  if (!isEmpty && metrics.get('requests_ok') !== 0) return null;
  const isCounted = metrics.get('requests_ok') === 0;
  const message = isCounted
    ? `0 of ${sent ?? 0} requests succeeded: nothing was measured.`
    : `The report on line ${line} has neither a rate nor a latency of requests.`;
  return { code: 'nothing_measured', line, pointer: sections.pointer, message };
}

function toResult(report: Report, read: ReadFigures, { from, to }: JsonRecord): ParsedResult {
  const { figures, load: reported, engines } = report;
  const load = toReportedLoad(reported, read.sent);
  const image = imagesOf(engines);
  return {
    kind: 'serving',
    system: toReportedSystem(engines, report.named),
    scenario: toReportedScenario(reported, read.meanInput, read.meanOutput),
    load,
    repetition: null,
    metrics: Object.fromEntries(figures.metrics),
    definitions: read.definitions,
    repeats: null,
    requests: null,
    limits: null,
    ...notesAndTolerance(report, read, load),
    extra: {
      ...(reported.harness === null ? {} : { load_generator: reported.harness }),
      ...(reported.harnessVersion === null ? {} : { load_generator_version: reported.harnessVersion }),
      ...(reported.stage === null ? {} : { stage: reported.stage }),
      ...(reported.isMultiTurn ? { multi_turn: true } : {}),
      ...(image === null ? {} : { engine_image: image }),
      ...figures.extra,
    },
    measuredAt: report.measuredAt,
    lines: { from, to },
  };
}

/**
 * The Benchmark Report of llm-d, in JSON or YAML: converted figures of a load generator, with the measured stack. The
 * converters keep the formulas of each generator under common names, so the generator determines the definition of a
 * latency. Every statistic has a unit.
 *
 * Written by https://github.com/llm-d/llm-d-benchmark (`llmdbenchmark/analysis/benchmark_report`, schemas 0.1, 0.2 and 0.2.1).
 */
export const llmdBenchmarkReport: Adapter = {
  id,
  title: 'llm-d benchmark report',
  kind: 'serving',
  recognises: 'JSON or YAML with version, scenario and metrics, or with version, run, scenario and results',
  command: 'llmdbenchmark run (send benchmark_report_v0.2*.yaml)',
  detect: (artifact) => toClaims(id, findReports(artifact)),
  read: (artifact, claim) => {
    const versions = new Set<string>();
    const { results, ignored } = readEach(within(findReports(artifact), claim), claim.from, (record) => {
      const report = openReport(record);
      const read = readReportFigures(report.figures, report.sections);
      const nothing = report.figures.faults.length > 0 ? null : findNothing(report, read.sent);
      const faults = nothing === null ? report.figures.faults : [nothing];
      versions.add(report.sections.version);
      return { result: toResult(report, read, record), ignored: report.figures.ignored, faults };
    });
    const [version = null] = versions.size === 1 ? versions : [];
    return { tool: { name: 'llm-d benchmark report', version }, results, ignored, ...noRemarks };
  },
};
