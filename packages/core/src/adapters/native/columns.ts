import { findMetric, metricFamilies, metricNames } from '../../metrics/index.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import { isObject, type JsonObject } from '../reading/documents/json-records.ts';
import { fieldsOf, toNativeDocument } from './document.ts';

/** Type of a cell: a word, a number, or JSON for other values. */
type CellKind = 'text' | 'number' | 'json';

export interface Column {
  path: readonly (string | number)[];
  kind: CellKind;
}

export interface NamedColumn extends Column {
  name: string;
}

const text = (...path: Column['path']): Column => ({ path, kind: 'text' });
const number = (...path: Column['path']): Column => ({ path, kind: 'number' });
const ofResult = (...path: Column['path']) => ['results', 0, ...path] as const;

/** Path of each column in a native document with one result. Formulas of latencies are in adjacent columns. */
export const columns = new Map<string, Column>([
  ['schema', text('schema')],
  ['tool', text('tool', 'name')],
  ['tool_version', text('tool', 'version')],
  ['model', text('system', 'model')],
  ['quantization', text('system', 'quantization')],
  ['gpu', text('system', 'gpu')],
  ['gpu_count', number('system', 'gpu_count')],
  ['gpu_power_limit_w', number('system', 'gpu_power_limit_w')],
  ['engine', text('system', 'engine', 'name')],
  ['engine_version', text('system', 'engine', 'version')],
  ['nodes', number('system', 'nodes')],
  ['tensor_parallel', number('system', 'parallelism', 'tensor')],
  ['pipeline_parallel', number('system', 'parallelism', 'pipeline')],
  ['data_parallel', number('system', 'parallelism', 'data')],
  ['expert_parallel', number('system', 'parallelism', 'expert')],
  ['features', { path: ['system', 'features'], kind: 'json' }],
  ['kind', text(...ofResult('kind'))],
  ['scenario', text('scenario', 'name')],
  ['scenario_input_tokens', number('scenario', 'input_tokens')],
  ['scenario_output_tokens', number('scenario', 'output_tokens')],
  ['measured_input_tokens', number(...ofResult('measured_lengths', 'input_tokens'))],
  ['measured_output_tokens', number(...ofResult('measured_lengths', 'output_tokens'))],
  ['dataset', text('scenario', 'dataset')],
  ['depth', number('scenario', 'depth')],
  ['kernel', { path: ['scenario', 'kernel'], kind: 'json' }],
  ['quality', { path: ['scenario', 'quality'], kind: 'json' }],
  ['load_mode', text(...ofResult('load', 'mode'))],
  ['load_level', number(...ofResult('load', 'level'))],
  ['burstiness', number(...ofResult('load', 'burstiness'))],
  ['max_concurrency', number(...ofResult('load', 'max_concurrency'))],
  ['load_regime', text(...ofResult('load', 'regime'))],
  ['repetition', number(...ofResult('repetition'))],
  ['measured_at', text(...ofResult('measured_at'))],
  ['repeats', { path: ofResult('repeats'), kind: 'json' }],
  ['slo', { path: ofResult('slo'), kind: 'json' }],
  ['source', { path: ofResult('source'), kind: 'json' }],
  ['notes', text(...ofResult('notes'))],
  ...metricFamilies.map(({ base }): [string, Column] => [`${base}_definition`, text(...ofResult('definitions', base))]),
]);

export function columnOf(name: string): Column | null {
  const metric = findMetric(name);
  return columns.get(name) ?? (metric === null ? null : number(...ofResult('metrics', name)));
}

/**
 * Columns of an export that are not part of the native format. A reimport recomputes them. `derived` names the metrics of
 * the row that we computed.
 */
export const exportColumns: readonly string[] = [
  'result_id',
  'submission_id',
  'status',
  'trust',
  'origin',
  'workload',
  'derived',
];

/** Headings of an exported table, in order: facts, then all metrics. */
export const tableHeading: readonly string[] = [
  'schema',
  ...exportColumns,
  ...[...columns.keys()].slice(1),
  ...metricNames,
];

function find(document: JsonValue, path: Column['path']): JsonValue | undefined {
  let found: JsonValue | undefined = document;
  for (const key of path) {
    if (Array.isArray(found)) found = typeof key === 'number' ? found[key] : undefined;
    else found = isObject(found) ? found[key] : undefined;
  }
  return found;
}

const heading = tableHeading.map((name) => ({ name, column: columnOf(name) }));

/**
 * The cells of an API result in the order of `tableHeading`: numbers, texts, or null for missing values. In a table for
 * people, texts must be `guarded`.
 */
export function toTableCells(result: JsonObject): (string | number | null)[] {
  const document = toNativeDocument(result);
  const derived = fieldsOf(result.derived) ?? {};
  const ours: Record<string, JsonValue | undefined> = {
    result_id: result.id,
    submission_id: result.submission_id,
    status: result.status,
    trust: result.trust,
    origin: result.origin,
    workload: isObject(result.workload) ? result.workload.id : undefined,
    derived: Object.keys(derived).join(' '),
  };
  return heading.map(({ name, column }) => {
    const value = ours[name] ?? derived[name] ?? (column === null ? undefined : find(document, column.path));
    if (value === undefined || value === null || typeof value === 'number') return value ?? null;
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}
