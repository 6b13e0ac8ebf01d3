import type { Adapter } from '../adapter.ts';
import { findRecords, type JsonRecord, toClaims } from '../reading/documents/json-records.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import type { PerfBox } from './box.ts';
import { readTrailer } from './command.ts';
import { addFailures, branchTolerance, toAiperfContext, toGpu, useRateWindow } from './config.ts';
import { checkFigures, toPerfFigures } from './figures.ts';
import { readStatistics, refuseForeign, reportLikeness } from './report.ts';
import { toPerfResult } from './result.ts';
import { type Around, boxRuns, contextAround, figuresOf, type Run, readRuns, tableRuns } from './runs.ts';
import type { PerfTable } from './table.ts';

const id = 'aiperf';

/** Tables and boxes do not state the time window of the rates. */
const windows = {
  share: 0.02,
  reason: 'Rates are computed over the whole run; the stated duration ends with the last response.',
};

function readReport({ value, from, to }: JsonRecord): ReturnType<Run['read']> {
  refuseForeign(value, from);
  const { statistics, ignored } = readStatistics(value, from);
  const found = toPerfFigures(statistics, from);
  const { metrics, extra } = found.figures;
  addFailures(value, metrics);
  checkFigures(found.figures);
  useRateWindow(value, metrics, extra);
  const result = toPerfResult(found, toAiperfContext(value, metrics), { from, to });
  const tolerance = branchTolerance(value);
  const version = typeof value.aiperf_version === 'string' ? value.aiperf_version.slice(0, 60) : null;
  return {
    results: [tolerance === undefined ? result : { ...result, tolerance }],
    version,
    ignored: [...found.figures.ignored, ...ignored],
  };
}

function readTable(artifact: ArtifactText, table: PerfTable, around: Around): ReturnType<Run['read']> {
  const found = figuresOf(table);
  const { from, to } = table;
  const context = contextAround(artifact, id, table, around, found.figures);
  const system = { ...context.system, gpu: toGpu(table.gpuNames) };
  const result = { ...toPerfResult(found, { ...context, system }, { from, to }), tolerance: windows };
  return { results: [result], version: null, ignored: [...found.figures.ignored, ...table.ignored] };
}

function toBoxRun(artifact: ArtifactText, box: PerfBox, around: Around): Run {
  const trailer = readTrailer(artifact, box.to + 1, Math.min(around.before - 1, box.to + 40));
  const lines = { from: box.from, to: Math.max(box.to, trailer.end) };
  const read = () => {
    const found = figuresOf(box);
    const { metrics, ignored } = found.figures;
    if (trailer.seconds !== null && trailer.seconds > 0) metrics.set('duration_s', trailer.seconds);
    const context = contextAround(artifact, id, box, around, found.figures, trailer.command);
    return { results: [{ ...toPerfResult(found, context, lines), tolerance: windows }], version: null, ignored };
  };
  return { ...lines, read };
}

const isOurs = (columns: readonly string[]) => (columns[4] === 'sum' || columns[4] === 'p1') && columns.includes('std');

const findRuns = cachedPerArtifact((artifact): Run[] => {
  const reports = findRecords(artifact, (value) => reportLikeness(value) === id);
  const runs = [
    ...reports.map((report) => ({ from: report.from, to: report.to, read: () => readReport(report) })),
    ...tableRuns(artifact, isOurs, (table, around) => () => readTable(artifact, table, around)),
    ...boxRuns(artifact, id, (box, around) => toBoxRun(artifact, box, around)),
  ].sort((a, b) => a.from - b.from);
  return runs;
});

/**
 * The summary of an AIPerf run: `profile_export_aiperf.json`, the CSV file written with it, and the printed box. AIPerf's
 * inter token latency is one mean per request, so it is read as time per output token. Gaps are its inter chunk latency. The
 * CSV and the box do not name the model or the load; a surrounding command may.
 *
 * Written by https://github.com/ai-dynamo/aiperf/tree/main/src/aiperf/exporters
 */
export const aiperf: Adapter = {
  id,
  title: 'aiperf',
  kind: 'serving',
  recognises:
    'a JSON report with input_config.loadgen, CSV that begins Metric,avg,min,max,sum or ,p1, or the box LLM Metrics',
  command: 'aiperf profile --model MODEL --streaming (send profile_export_aiperf.json)',
  detect: (artifact) => toClaims(id, findRuns(artifact)),
  read: (artifact, claim) => readRuns(id, findRuns(artifact), claim),
};
