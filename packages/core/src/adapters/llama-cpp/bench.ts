import type { Fault } from '../../errors.ts';
import {
  type Adapter,
  type Claim,
  type Fact,
  noFacts,
  noRemarks,
  type ParsedResult,
  type Reading,
  type SystemFacts,
} from '../adapter.ts';
import { toClaims } from '../reading/documents/json-records.ts';
import { readRows } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { countBefore, findAt } from '../reading/text/by-line.ts';
import { parseParameters, parseSize, parseSpeed, parseTest } from './cells.ts';
import { isOfFork, readColumns, varyingColumns } from './columns.ts';
import { type IsOwnModel, knownBackends, type LlamaContext, modelSources, readLlamaContext } from './context.ts';
import { engineOfType, isForkCommand, toFigures, toFileType, toLlamaEngine } from './figures.ts';
import { gpusUsed, overridesOf } from './gpus.ts';
import { readRecords } from './record-result.ts';
import { findLlamaRecords } from './records.ts';
import { findLlamaTables, type LlamaRow, type LlamaTable } from './table.ts';

function toGpu(context: LlamaContext, row: LlamaRow): Pick<SystemFacts, 'gpu' | 'gpuCount'> {
  const { devices, found } = context;
  const [name] = devices;
  // Devices of different kinds, or on other hosts, have no common name. The submitter must state the GPU.
  if (devices.some((other) => other !== name) || /rpc/i.test(row.cells.get('backend') ?? ''))
    return { gpu: null, gpuCount: null };
  const choice = {
    devices: row.cells.get('dev'),
    tensorSplit: row.cells.get('ts'),
    splitMode: row.cells.get('sm'),
  };
  const count = gpusUsed(found, choice);
  const origin = count === found ? 'context' : 'stated';
  return {
    gpu: name === undefined ? null : { value: name, origin: 'context' },
    gpuCount: count === null ? null : { value: count, origin },
  };
}

const named = (name: string): Fact<string> | null => (name === '' ? null : { value: name, origin: 'stated' });

function toResult(
  row: LlamaRow,
  varying: ReadonlySet<string>,
  { engine, ...context }: LlamaContext & { engine: string },
  faults: Fault[],
): ParsedResult | null {
  const cell = (column: string) => row.cells.get(column) ?? '';
  const test = parseTest(cell('test'));
  const speed = parseSpeed(cell('t/s'));
  if (test === null || speed === null) {
    const [column, wanted] = test === null ? ['test', 'such as pp512 or tg128'] : ['t/s', 'such as 9001.00 ± 12.00'];
    const message = `"${cell(column).slice(0, 60)}" in column ${column} is not readable: expected something ${wanted}.`;
    faults.push({ code: 'cell_unreadable', line: row.from, message });
    return null;
  }
  const { features, extra } = readColumns(row, varying);
  // ik_llama.cpp has no column for it.
  const given = row.cells.has('ot') ? {} : overridesOf(context.command);
  const bytes = parseSize(cell('size'));
  const parameters = parseParameters(cell('params'));
  return {
    kind: 'serving',
    system: {
      ...noFacts,
      ...toGpu(context, row),
      model: context.model,
      quantization: toFileType(cell('model')) ?? named(cell('quant')),
      ...toLlamaEngine(context.build?.number, engine, engine === 'llama.cpp' && !row.cells.has('quant')),
      features: { ...features, ...given },
    },
    ...toFigures({ test, ...speed, n: context.repetitions, samples: null }),
    requests: null,
    limits: null,
    extra: {
      ...extra,
      printed_model: cell('model'),
      ...(row.cells.has('backend') ? { backend: cell('backend') } : {}),
      ...(bytes === null ? {} : { file_bytes: bytes }),
      ...(parameters === null ? {} : { params: parameters }),
      ...(context.build === null ? {} : { build_commit: context.build.commit }),
    },
    notes: [],
    measuredAt: null,
    lines: { from: row.from, to: row.to },
  };
}

/** The architecture and the number of parameters that a row prints; empty if a cell is missing. */
function printedModel(row: LlamaRow | undefined): string {
  const [architecture = ''] = (row?.cells.get('model') ?? '').split(' ');
  const parameters = row?.cells.get('params') ?? '';
  return architecture === '' || parameters === '' ? '' : `${architecture} ${parameters}`;
}

/** False if the first row below a line prints another model than this row. */
function ownModel(artifact: ArtifactText, row: LlamaRow): IsOwnModel {
  const tables = findLlamaTables(artifact);
  const own = printedModel(row);
  return (line) => {
    const first = printedModel(tables[countBefore(tables, line)]?.rows[0]);
    return own === '' || first === '' || own === first;
  };
}

/** `free` is the range between the previous and the next table. */
function readTable(
  artifact: ArtifactText,
  table: LlamaTable,
  free: { from: number; to: number },
): { results: ParsedResult[]; version: string | null } {
  const varying = varyingColumns(table.rows);
  const types = table.rows.map((row) => engineOfType(row.cells.get('model') ?? ''));
  const ofType = types.find((engine) => engine !== null) ?? null;
  const ofColumns = isOfFork(table.columns) ? 'ik_llama.cpp' : ofType;
  const sources = modelSources(artifact, table.from);
  const contexts = new Map<string, LlamaContext>();
  const { results } = readRows(table, (row, faults) => {
    const printed = row.cells.get('backend');
    const backend = printed === undefined ? null : knownBackends(printed);
    const isOwn = ownModel(artifact, row);
    // Each context reads all lines before the table. Names that only rows of a table have must not add contexts.
    const key = JSON.stringify([backend, sources.map(isOwn)]);
    const context = contexts.get(key) ?? readLlamaContext(artifact, table, free, backend, 'llama-bench', isOwn);
    contexts.set(key, context);
    const engine = isForkCommand(context.command) ? 'ik_llama.cpp' : (ofColumns ?? 'llama.cpp');
    return toResult(row, varying, { ...context, engine }, faults);
  });
  const version = results.find((result) => result.system.engineVersion !== null)?.system.engineVersion?.value ?? null;
  return { results, version };
}

function readTables(artifact: ArtifactText, claim: Claim): Reading | null {
  const { found, before, after } = findAt(findLlamaTables(artifact), claim.from);
  if (found === null) return null;
  const free = { from: (before?.to ?? 0) + 1, to: (after?.from ?? artifact.lines.length + 1) - 1 };
  const { results, version } = readTable(artifact, found, free);
  return { tool: { name: 'llama-bench', version }, results, ignored: [], ...noRemarks };
}

/**
 * `llama-bench` in all its formats: the Markdown table (alone, in a log or in a README), JSON, JSON lines, CSV and SQL
 * records. Each row or record is a result of one stream without server, sampling or network. ± is the sample standard
 * deviation over the repetitions; only JSON states their number.
 *
 * Written by https://github.com/ggml-org/llama.cpp/blob/master/tools/llama-bench/llama-bench.cpp (the `printer`s).
 */
export const llamaBench: Adapter = {
  id: 'llama-bench',
  title: 'llama-bench',
  kind: 'serving',
  recognises:
    'a table with the columns model, size, params, test and t/s, or records (JSON, JSON lines, CSV, SQL) with build_commit, model_type, n_prompt, n_gen and avg_ts',
  command: 'llama-bench -m MODEL.gguf 2>&1 | tee result.txt, or -o jsonl > result.jsonl',
  detect: (artifact) => [
    ...findLlamaTables(artifact).map(({ from, to }) => ({ adapter: 'llama-bench', from, to })),
    ...toClaims('llama-bench', findLlamaRecords(artifact)),
  ],
  read: (artifact, claim) => readTables(artifact, claim) ?? readRecords(artifact, claim),
};
