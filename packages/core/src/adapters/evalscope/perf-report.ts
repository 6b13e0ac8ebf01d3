import type { CommandLine } from '../reading/context/command-line.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { toCells } from '../reading/tables/pipe-table.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { barred, columns, type LoadRow, readLoadTable } from './perf-load-tables.ts';
import { findPerfCommand, folderOf, type PerfTables } from './perf-tables.ts';
import type { SummaryRow } from './perf-text.ts';

/** The requests that failed. A percent with one decimal is exact for fewer than 1000 requests. */
function toCounts(load: LoadRow, sent: number | null): SummaryRow[] {
  if (load.success === null || sent === null || sent >= 1000) return [];
  const ok = Math.round((sent * load.success) / 100);
  return [
    { line: load.line, label: 'Succeed requests', value: String(ok) },
    { line: load.line, label: 'Failed requests', value: String(sent - ok) },
  ];
}

const figureOf = (rows: readonly SummaryRow[], label: string) => {
  const row = rows.find((each) => each.label === label);
  return row === undefined ? null : parseNumber(row.value);
};

/** The number of requests that the command states for a load. */
function sentOf(command: CommandLine | null, concurrency: number | null): number | null {
  if (command === null || concurrency === null) return null;
  const list = (name: string) => {
    const after = command.words.slice(command.words.indexOf(name) + 1);
    const end = after.findIndex((word) => word.startsWith('-'));
    return command.words.includes(name) ? after.slice(0, end < 0 ? undefined : end) : [];
  };
  const [clients, numbers] = [list('--parallel'), list('--number')];
  const at = clients.findIndex((word) => parseNumber(word) === concurrency);
  return clients.length === numbers.length && at >= 0 ? parseNumber(numbers[at] ?? '') : null;
}

interface Basics {
  from: number;
  model: string | null;
  folder: string | null;
}

const isTitle = (text: string) => /Performance Test Summary Report/.test(text);

/** The box "Basic Information" above the first table. Long values continue in the next row. */
function readBasics(artifact: ArtifactText, table: number): Basics {
  let from = table;
  const basics: Basics = { from: table, model: null, folder: null };
  while (from > 1 && table - from < 40 && !isTitle(artifact.lineAt(from))) from--;
  if (!isTitle(artifact.lineAt(from))) return basics;
  let label = '';
  const values: Record<string, string> = {};
  for (let line = from; line < table; line++) {
    const [name, value, ...more] = toCells(barred(artifact.lineAt(line))) ?? [];
    if (name === undefined || value === undefined || more.length > 0) continue;
    if (name !== '') label = name;
    values[label] = (values[label] ?? '') + value;
  }
  return { from, model: values.Model || null, folder: folderOf(`${values['Output Path'] ?? ''}/`) };
}

/** Whether a load is also described by its own summary, which has more digits. */
function isSummarised(load: PerfTables, summaries: readonly PerfTables[]): boolean {
  const [users, rate] = [figureOf(load.rows, columns['conc.'] ?? ''), figureOf(load.rows, columns.rps ?? '')];
  return summaries.some(({ rows }) => {
    const number = (...labels: string[]) =>
      labels.map((label) => figureOf(rows, label)).find((value) => value !== null);
    const [other, speed] = [
      number('Number of concurrency', 'Concurrency'),
      number('Request throughput (req/s)', 'Req Throughput (req/s)'),
    ];
    return other === users && speed !== undefined && rate !== null && Math.abs(speed - rate) < 0.0051;
  });
}

/**
 * The reports of all loads, as one summary for each load. The tables of one report list the loads in the same order.
 * Loads with a summary before the report are left out.
 */
export function findPerfReports(artifact: ArtifactText, summaries: readonly PerfTables[]): PerfTables[] {
  const found: PerfTables[] = [];
  let report: PerfTables[] = [];
  let after = 0;
  let command: CommandLine | null = null;
  for (const line of artifact.has('Conc.') ? artifact.linesWith('Conc.', 'evalscope') : []) {
    if (line <= after) continue;
    const next = artifact.lineAt(line).includes('evalscope') ? findPerfCommand(artifact, line) : null;
    if (next !== null) {
      command = next;
      after = next.to;
      continue;
    }
    const table = readLoadTable(artifact, line);
    if (table === null) continue;
    after = table.to;
    const isOverview = table.names.includes('rps') && table.names.some((name) => columns[name] === columns['gen/s']);
    const isDetail =
      (table.names.includes('metric') && table.names.includes('avg')) || table.names.includes('avg in toks');
    if (isOverview) {
      const { from, model, folder } = readBasics(artifact, table.from);
      report = table.loads.map((load) => ({
        from: load.line,
        to: load.line,
        rows: [
          ...load.rows,
          ...toCounts(load, figureOf(load.rows, columns.num ?? '') ?? sentOf(command, parseNumber(load.concurrency))),
        ],
        cells: load.cells,
        command,
        folder,
        model,
        digits: 1,
        success: load.success,
        faults: [],
      }));
      const [first] = report;
      if (first === undefined) continue;
      first.from = Math.max(from, (found.at(-1)?.to ?? 0) + 1);
      first.faults.push(...table.faults);
      found.push(...report);
    } else if (isDetail)
      for (const [index, load] of table.loads.entries()) {
        const own = report[index];
        if (own === undefined || load.concurrency !== own.rows[0]?.value) continue;
        own.rows.push(...load.rows.filter(({ label }) => !own.rows.some((row) => row.label === label)));
        own.cells.push(...load.cells);
        if (index === 0) own.faults.push(...table.faults);
      }
    // The tables belong to the last load, so that nothing between them is left.
    const last = report.at(-1);
    if (last !== undefined) last.to = Math.max(last.to, table.to);
  }
  return found.filter((load) => !isSummarised(load, summaries));
}
