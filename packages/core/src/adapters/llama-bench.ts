import type { Fault } from '../errors.ts';
import type { MetricName } from '../metrics/index.ts';
import {
  type Adapter,
  type Fact,
  noFacts,
  noRemarks,
  noScenario,
  type ParsedResult,
  type Repeats,
  type SystemFacts,
} from './adapter.ts';
import { ArtifactError, maxFaults, maxResults, tooManyResults } from './errors.ts';
import { type LlamaTest, parseFileType, parseParameters, parseSize, parseSpeed, parseTest } from './llama-cells.ts';
import { readColumns, varyingColumns } from './llama-columns.ts';
import { type LlamaContext, readLlamaContext } from './llama-context.ts';
import { findLlamaTables, type LlamaRow, type LlamaTable } from './llama-table.ts';
import type { ArtifactText } from './reading/artifact-text.ts';
import { findAt } from './reading/by-line.ts';

/** Metrics of a test: a prompt is prefill, generation is decoding for one user, both together are total throughput. */
function metricsOf(test: LlamaTest): MetricName[] {
  if (test.promptTokens > 0 && test.generatedTokens > 0) return ['total_tok_s'];
  return test.promptTokens > 0 ? ['prefill_tok_s'] : ['decode_tok_s', 'user_tok_s'];
}

/** The version as llama.cpp tags it; builds 0 and 1 are checkouts without history, their number says nothing. */
function toVersion(build: LlamaContext['build']): string | null {
  return build === null || build.number <= 1 ? null : `b${build.number}`;
}

function toGpu(context: LlamaContext, row: LlamaRow): Pick<SystemFacts, 'gpu' | 'gpuCount'> {
  const [name] = context.devices;
  // Devices of several kinds, or on other hosts, have no one name; that is for the submitter to say.
  if (
    name === undefined ||
    context.devices.some((other) => other !== name) ||
    /rpc/i.test(row.cells.get('backend') ?? '')
  ) {
    return { gpu: null, gpuCount: null };
  }
  const mayUseFewer =
    context.devices.length > 1 && ['dev', 'main_gpu', 'ts', 'sm'].some((column) => row.cells.has(column));
  return {
    gpu: { value: name, origin: 'context' },
    gpuCount: mayUseFewer ? null : { value: context.devices.length, origin: 'context' },
  };
}

function toRepeats(sd: number | null, names: readonly MetricName[], n: number | null): Repeats | null {
  if (sd === null) return null;
  // One repetition is printed with a spread of 0, which is none.
  const known = n === 1 ? {} : Object.fromEntries(names.map((name) => [name, sd]));
  return { n, sd: known, samples: null };
}

function toQuantization(printed: string): Fact<string> | null {
  const type = parseFileType(printed);
  return type === null ? null : { value: type.name, origin: type.isGuessed ? 'inferred' : 'stated' };
}

function toResult(
  row: LlamaRow,
  varying: ReadonlySet<string>,
  context: LlamaContext,
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
  const names = metricsOf(test);
  const version = toVersion(context.build);
  const { features, extra } = readColumns(row, varying);
  const bytes = parseSize(cell('size'));
  const parameters = parseParameters(cell('params'));
  return {
    kind: 'serving',
    system: {
      ...noFacts,
      ...toGpu(context, row),
      model: context.model,
      quantization: toQuantization(cell('model')),
      engine: { value: 'llama.cpp', origin: 'stated' },
      engineVersion: version === null ? null : { value: version, origin: 'stated' },
      features,
    },
    scenario: {
      ...noScenario,
      name: { value: test.name, origin: 'stated' },
      inputTokens: { value: test.promptTokens, origin: 'stated' },
      outputTokens: { value: test.generatedTokens, origin: 'stated' },
      depth: test.depth,
    },
    load: { mode: 'batch', level: 1 },
    repetition: null,
    metrics: Object.fromEntries(names.map((name) => [name, speed.average])),
    definitions: Object.fromEntries(names.filter((name) => name !== 'total_tok_s').map((name) => [name, 'in_process'])),
    repeats: toRepeats(speed.sd, names, context.repetitions),
    requests: null,
    limits: null,
    extra: {
      ...extra,
      printed_model: cell('model'),
      backend: cell('backend'),
      ...(bytes === null ? {} : { file_bytes: bytes }),
      ...(parameters === null ? {} : { params: parameters }),
      ...(context.build === null ? {} : { build_commit: context.build.commit }),
    },
    notes: [],
    measuredAt: null,
    lines: { from: row.from, to: row.to },
  };
}

/** `free` is the stretch between the tables before and after. */
function readTable(
  artifact: ArtifactText,
  table: LlamaTable,
  free: { from: number; to: number },
): { results: ParsedResult[]; version: string | null } {
  if (table.rows.length > maxResults) throw tooManyResults(table.from);
  const faults: Fault[] = [...table.faults];
  const varying = varyingColumns(table.rows);
  const contexts = new Map<string, LlamaContext>();
  const results: ParsedResult[] = [];
  for (const row of table.rows) {
    if (faults.length >= maxFaults) break;
    const backend = row.cells.get('backend') ?? '';
    const context = contexts.get(backend) ?? readLlamaContext(artifact, table, free, backend);
    contexts.set(backend, context);
    const result = toResult(row, varying, context, faults);
    if (result !== null) results.push(result);
  }
  if (table.rows.length === 0 && faults.length === 0) {
    faults.push({ code: 'table_empty', line: table.from, message: `The table on line ${table.from} has no rows.` });
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  const version = results.find((result) => result.system.engineVersion !== null)?.system.engineVersion?.value ?? null;
  return { results, version };
}

/**
 * The Markdown table of `llama-bench`, bare, in a log or in a README. Each row is a result of one stream without server,
 * sampling or network; ± is the sample standard deviation over the repetitions, whose number the table does not tell.
 *
 * Written by https://github.com/ggml-org/llama.cpp/blob/master/tools/llama-bench/llama-bench.cpp (`markdown_printer`).
 */
export const llamaBench: Adapter = {
  id: 'llama-bench',
  title: 'llama-bench',
  kind: 'serving',
  recognises: 'a table with the columns model, size, params, backend, test and t/s',
  command: 'llama-bench -m MODEL.gguf 2>&1 | tee result.txt',
  detect: (artifact) => findLlamaTables(artifact).map(({ from, to }) => ({ adapter: 'llama-bench', from, to })),
  read: (artifact, claim) => {
    const { found, before, after } = findAt(findLlamaTables(artifact), claim.from);
    if (found === null) return { tool: { name: 'llama-bench', version: null }, results: [], ignored: [], ...noRemarks };
    const free = { from: (before?.to ?? 0) + 1, to: (after?.from ?? artifact.lines.length + 1) - 1 };
    const { results, version } = readTable(artifact, found, free);
    return { tool: { name: 'llama-bench', version }, results, ignored: [], ...noRemarks };
  },
};
