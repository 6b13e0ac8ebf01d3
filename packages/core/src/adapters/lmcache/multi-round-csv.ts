import type { Fault } from '../../errors.ts';
import { nothingRecorded, type RequestRecord } from '../../records.ts';
import { noResult, type ParsedResult } from '../adapter.ts';
import { ArtifactError, maxFaults, unreadable } from '../errors.ts';
import { createRecordBudget } from '../native/requests.ts';
import { parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { type CsvRecord, readCsv } from '../reading/tables/csv.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { loadUnknown } from '../vllm/serving.ts';

/** The requests of one run. Lines are 1-based and inclusive. */
export interface RoundTable {
  from: number;
  to: number;
  columns: string[];
  rows: CsvRecord[];
}

const used = ['prompt_tokens', 'generation_tokens', 'ttft', 'launch_time', 'finish_time'] as const;
const required = [...used, 'generation_time', 'user_id', 'question_id'];

/** The files `summary.csv`, in order of appearance. */
export const findRoundTables = cachedPerArtifact((artifact: ArtifactText): RoundTable[] => {
  const tables: RoundTable[] = [];
  for (const line of artifact.linesWith('generation_tokens')) {
    const columns = artifact
      .lineAt(line)
      .slice(0, 1000)
      .split(',')
      .map((cell) => cell.trim());
    if (line <= (tables.at(-1)?.to ?? 0) || !required.every((name) => columns.includes(name))) continue;
    const [, ...rows] = readCsv(artifact, line, (text) => text.includes('generation_tokens'));
    if (rows.length > 0) tables.push({ from: line, to: rows.at(-1)?.to ?? line, columns, rows });
  }
  return tables;
});

/** The figures of a row by their columns; empty with an error. */
function readCells({ columns }: RoundTable, row: CsvRecord, faults: Fault[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  if (row.cells.length !== columns.length) {
    const message = `The row on line ${row.line} has ${row.cells.length} cells, its header has ${columns.length}.`;
    faults.push({ code: 'row_uneven', line: row.line, message });
    return found;
  }
  for (const name of used) {
    const text = row.cells[columns.indexOf(name)] ?? '';
    const value = parseNumber(text);
    if (value !== null && value >= 0) {
      found.set(name, value);
      continue;
    }
    const message = `"${text.slice(0, 60)}" in column ${name} should be a number that is not negative.`;
    faults.push({ code: 'cell_unreadable', line: row.line, message });
  }
  return found;
}

/** Times are seconds since 1970 with seven digits after the point, so a difference is exact to a microsecond. */
const difference = (later: number, earlier: number) => Number((later - earlier).toFixed(6));

/** One run, whose figures are computed from its requests. Throws `ArtifactError`. */
export function readRoundTable(table: RoundTable): ParsedResult {
  const budget = createRecordBudget();
  if (table.rows.length > budget.requests) {
    const message = `The table has more than the maximum of ${budget.requests} requests.`;
    throw unreadable(table.from, 'requests_too_many', message, 'Send the printed summary instead.');
  }
  const faults: Fault[] = [];
  const rows = table.rows.map((row) => {
    const cells = faults.length >= maxFaults ? new Map<string, number>() : readCells(table, row, faults);
    return (name: (typeof used)[number]) => cells.get(name) ?? 0;
  });
  if (faults.length > 0) throw new ArtifactError(faults.slice(0, maxFaults));
  const first = rows.reduce((least, of) => Math.min(least, of('launch_time')), Number.POSITIVE_INFINITY);
  const last = rows.reduce((most, of) => Math.max(most, of('finish_time')), 0);
  const requests = rows.map(
    (of): RequestRecord => ({
      ...nothingRecorded,
      sentS: difference(of('launch_time'), first),
      inputTokens: of('prompt_tokens'),
      outputTokens: of('generation_tokens'),
      ttftMs: shiftDecimal(of('ttft'), 3),
      e2eMs: shiftDecimal(difference(of('finish_time'), of('launch_time')), 3),
    }),
  );
  const turns = 'The requests were turns of conversations: each includes the previous turns.';
  return {
    ...noResult,
    metrics: { requests_ok: rows.length, duration_s: difference(last, first) },
    requests,
    extra: { multi_turn: true },
    notes: [
      { code: 'multi_turn', severity: 'info', message: turns, evidence: {} },
      loadUnknown({}, 'The file records the requests, but not the requested rate.'),
    ],
    lines: { from: table.from, to: table.to },
  };
}
