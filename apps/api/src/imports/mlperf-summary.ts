import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRows } from './csv-rows.ts';
import { PublicationError } from './import-item.ts';

/** A line of a published summary, by the names in its JSON. */
export type SummaryRow = Record<string, unknown>;

/** The names of the columns of `summary.csv`, by JSON name. */
const columns: Record<string, string> = {
  Submitter: 'Organization',
  Availability: 'Availability',
  Category: 'Division',
  Suite: 'SystemType',
  System: 'SystemName',
  Platform: 'Platform',
  UsedModel: 'Model',
  Model: 'MlperfModel',
  Scenario: 'Scenario',
  Accuracy: 'Accuracy',
  Nodes: 'number_of_nodes',
  Processor: 'host_processor_model_name',
  Accelerator: 'accelerator_model_name',
  'a#': 'accelerators_per_node',
  Software: 'framework',
  operating_system: 'operating_system',
  Notes: 'notes',
  version: 'version',
  weight_data_types: 'weight_data_types',
  Performance_Result: 'Result',
  Performance_Units: 'Units',
  Details: 'Location',
};
const numeric = new Set(['Nodes', 'a#', 'Performance_Result']);

function fromCsv(bytes: Uint8Array, file: string): SummaryRow[] {
  return readRows(bytes, file).map(({ cells }) => {
    const pairs = Object.entries(columns).flatMap(([name, column]) => {
      const text = cells.get(column) ?? '';
      if (text === '') return [];
      const number = Number(text);
      return [[name, numeric.has(name) && Number.isFinite(number) ? number : text] as const];
    });
    return Object.fromEntries(pairs);
  });
}

const isRow = (value: unknown): value is SummaryRow =>
  typeof value === 'object' && value !== null && 'UsedModel' in value && 'Scenario' in value;

/** All rows of a document: the summary is an array, or arrays by division. */
function rowsIn(value: unknown): SummaryRow[] {
  if (isRow(value)) return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(rowsIn);
}

/** The summary of a checkout: its JSON, otherwise its CSV; empty if it has neither. */
export async function readSummary(dir: string, files: readonly string[]): Promise<SummaryRow[]> {
  const json = files.filter((file) => /^summary[^/]*\.json$/i.test(file));
  const csv = files.filter((file) => /^summary[^/]*\.csv$/i.test(file));
  const rows: SummaryRow[] = [];
  for (const file of json) {
    try {
      rows.push(...rowsIn(JSON.parse(await readFile(join(dir, file), 'utf8'))));
    } catch (error) {
      throw new PublicationError(`${file} cannot be read as JSON: ${error instanceof Error ? error.message : error}`);
    }
  }
  if (rows.length > 0) return rows;
  for (const file of csv) rows.push(...fromCsv(await readFile(join(dir, file)), file));
  return rows;
}
