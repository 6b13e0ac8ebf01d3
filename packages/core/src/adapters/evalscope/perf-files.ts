import type { JsonValue } from '../reading/documents/json.ts';
import { isObject, type JsonObject } from '../reading/documents/json-records.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import type { PerfTables } from './perf-tables.ts';
import { type PercentileCell, type SummaryRow, withUnit } from './perf-text.ts';

/** The duration of a run, by the version that wrote the file. */
const durations = ['Time taken for tests (s)', 'Test Duration (s)'];
const hasSome = (value: JsonObject, names: readonly string[]) => names.some((name) => Object.hasOwn(value, name));

const isSummary = (value: JsonValue | undefined): value is JsonObject =>
  isObject(value) &&
  durations.some((name) => typeof value[name] === 'number') &&
  hasSome(value, ['Number of concurrency', 'Concurrency', 'Total requests', 'Total Requests']);

const isPercentiles = (value: JsonValue | undefined): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((row) => isObject(row) && typeof row.Percentiles === 'string');

const toText = (value: JsonValue | undefined) => (typeof value === 'number' ? String(value) : '');

function toRows(summary: JsonObject, line: number): SummaryRow[] {
  return Object.entries(summary).map(([name, value]) => ({ line, label: withUnit(name), value: toText(value) }));
}

/** The rows of `benchmark_percentile.json`: `{"Percentiles": "99%", "TTFT (s)": 0.11, ...}`. */
function toCells(value: JsonValue | undefined, line: number): PercentileCell[] {
  const rows = Array.isArray(value) ? value.filter(isObject) : [];
  return rows.flatMap(({ Percentiles: percentile, ...figures }) =>
    Object.entries(figures).map(([name, figure]) => ({
      line,
      label: withUnit(name),
      percentile: typeof percentile === 'string' ? percentile : '',
      value: toText(figure),
    })),
  );
}

/** The files `benchmark_summary.json`, each with the `benchmark_percentile.json` of the same run if it follows. */
export function findPerfFiles(artifact: ArtifactText): PerfTables[] {
  const found: PerfTables[] = [];
  const { documents } = artifact.json;
  for (const [index, { value, from, to }] of documents.entries()) {
    if (!isSummary(value)) continue;
    const next = documents[index + 1];
    const percentiles = next !== undefined && isPercentiles(next.value) ? next : null;
    found.push({
      from,
      to: percentiles?.to ?? to,
      rows: toRows(value, from),
      cells: percentiles === null ? [] : toCells(percentiles.value, percentiles.from),
      command: null,
      folder: null,
      faults: [],
    });
  }
  return found;
}
