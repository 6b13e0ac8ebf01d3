import type { Fault } from '../../errors.ts';
import type { MetricName } from '../../metrics/index.ts';
import { type Adapter, noFacts, noRemarks, noResult, noScenario, type ParsedResult } from '../adapter.ts';
import { unreadable } from '../errors.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { toClaims, within } from '../reading/documents/json-records.ts';
import { askedLength, measuredLengths } from '../reading/figures/measured-lengths.ts';
import { isMissing, parseNumber } from '../reading/figures/numbers.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import { type CsvRecord, readCsv } from '../reading/tables/csv.ts';
import { readEach } from '../reading/tables/read-each.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { loadUnknown } from '../vllm/serving.ts';

const id = 'ipex-llm-all-in-one';
const header = /^(?:"?"?,)?model,1st token avg latency \(ms\),2\+ avg latency \(ms\/token\),/;
const unread = [
  'encoder time (ms)',
  'model loading time (s)',
  'peak mem (GB)',
  'streaming',
  'use_fp16_torch_dtype',
  'npu_group_size',
];
/** The tool keeps the times of an earlier run if a response is shorter. */
const fewestTokens = 3;

/** A table; a file has one row for each model, batch and length. */
interface Table {
  from: number;
  to: number;
  columns: string[];
  records: CsvRecord[];
}

const findTables = cachedPerArtifact((artifact): Table[] => {
  const tables: Table[] = [];
  for (const line of artifact.linesWith('1st token avg latency (ms)')) {
    if (line <= (tables.at(-1)?.to ?? 0) || !header.test(artifact.lineAt(line))) continue;
    const [first, ...records] = readCsv(artifact, line, (text) => header.test(text) || !text.includes(','));
    const columns = (first?.cells ?? []).map((cell) => cell.trim());
    tables.push({ from: line, to: records.at(-1)?.to ?? line, columns, records });
  }
  return tables;
});

/** `1024-512`: tokens of the prompt and the response. */
function toPair(text: string): [number, number] | null {
  const parts = /^(\d{1,9})-(\d{1,9})$/.exec(text);
  return parts === null ? null : [Number(parts[1]), Number(parts[2])];
}

function toResult(columns: readonly string[], { cells, line, to }: CsvRecord): ParsedResult {
  if (cells.length !== columns.length) {
    const message = `The row on line ${line} has ${cells.length} cells, its header has ${columns.length}.`;
    throw unreadable(line, 'row_unreadable', message);
  }
  const cell = (name: string) => (cells[columns.indexOf(name)] ?? '').trim();
  const number = (name: string) => {
    const value = parseNumber(cell(name));
    if (value !== null && value > 0) return value;
    const message = `"${name}" on line ${line} should be a number above 0, found "${cell(name).slice(0, 40)}".`;
    throw unreadable(line, 'cell_unreadable', message);
  };
  const asked = toPair(cell('input/output tokens'));
  const measured = toPair(cell('actual input/output tokens'));
  if (measured === null || measured[1] < fewestTokens) {
    const message = `The row on line ${line} is of responses of fewer than ${fewestTokens} tokens, or does not state their tokens. The tool then prints the times of an earlier run.`;
    throw unreadable(line, 'nothing_measured', message, 'Remove the row, or measure longer responses.');
  }
  const metrics: [MetricName, number][] = [
    ['ttft_ms_mean', number('1st token avg latency (ms)')],
    ['tpot_ms_mean', number('2+ avg latency (ms/token)')],
  ];
  const beams = number('num_beams');
  const batch = columns.includes('batch_size') ? number('batch_size') : null;
  const lowBit = columns.includes('low_bit') ? cell('low_bit') : '';
  return {
    ...noResult,
    system: {
      ...noFacts,
      ...modelFacts(cell('model'), 'stated'),
      // A setting of the run. Some of its interfaces do not use it, or run another engine.
      ...(isMissing(lowBit) ? {} : { quantization: { value: lowBit, origin: 'inferred' } }),
      engine: { value: 'ipex-llm', origin: 'inferred' },
      features: {
        ...(beams > 1 ? { num_beams: beams } : {}),
        ...(cell('cpu_embedding').toLowerCase() === 'true' ? { cpu_embedding: true } : {}),
      },
    },
    scenario: {
      ...noScenario,
      inputTokens: askedLength(asked?.[0] ?? null, false),
      outputTokens: askedLength(asked?.[1] ?? null, false),
      ...measuredLengths(measured[0], measured[1]),
    },
    load: batch === null ? null : { mode: 'batch', level: batch },
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, { ttft_ms: 'prefill_only', tpot_ms: 'without_first_token' }),
    notes: batch === null ? [loadUnknown({}, 'The table has no column "batch_size".')] : [],
    lines: { from: line, to },
  };
}

/**
 * The CSV of ipex-llm's all-in-one benchmark (earlier BigDL-LLM): mean times of a few runs in the process, one row for each
 * model, batch and length. The time of a token after the first is that of one step of the whole batch.
 *
 * Written by https://github.com/intel/ipex-llm/blob/main/python/llm/dev/benchmark/all-in-one/run.py
 */
export const ipexLlmAllInOne: Adapter = {
  id,
  title: "ipex-llm's all-in-one benchmark",
  kind: 'serving',
  recognises: 'CSV with the columns model, "1st token avg latency (ms)" and "2+ avg latency (ms/token)"',
  command: 'python run.py (in all-in-one; send the CSV)',
  detect: (artifact) => toClaims(id, findTables(artifact)),
  read: (artifact, claim) => {
    const tables = within(findTables(artifact), claim);
    const rows = tables.flatMap(({ columns, records }) => records.map((record) => ({ columns, record })));
    const empty: Fault[] = tables.flatMap(({ from, records }) =>
      records.length > 0
        ? []
        : [{ code: 'table_empty', line: from, message: `The table on line ${from} has no rows.` }],
    );
    const read = readEach(
      rows,
      claim.from,
      ({ columns, record }) => ({
        result: toResult(columns, record),
        ignored: unread.filter((name) => columns.includes(name)),
      }),
      empty,
    );
    return { tool: { name: "ipex-llm's all-in-one benchmark", version: null }, ...read, ...noRemarks };
  },
};
