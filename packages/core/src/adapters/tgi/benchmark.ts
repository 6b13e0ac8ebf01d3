import type { Fault } from '../../errors.ts';
import type { MetricName } from '../../metrics/index.ts';
import {
  type Adapter,
  type Fact,
  noFacts,
  noRemarks,
  noResult,
  noScenario,
  type ParsedResult,
  type Reading,
} from '../adapter.ts';
import { ArtifactError, maxFaults, maxResults, tooManyResults } from '../errors.ts';
import { type LlamaRow, type LlamaTable, tableFinder } from '../llama-cpp/table.ts';
import { toModelName } from '../reading/context/model-name.ts';
import { readRunContext } from '../reading/context/run-context.ts';
import { latencyName } from '../reading/figures/latency-name.ts';
import { isMissing, parseNumber } from '../reading/figures/numbers.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { countBefore, findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

const id = 'tgi-benchmark';

const findTables = tableFinder({
  program: 'text-generation-benchmark',
  required: ['Batch Size', 'Step', 'Average', 'Lowest', 'Highest'],
});
const findParameters = tableFinder({ program: 'text-generation-benchmark', required: ['Parameter', 'Value'] });

/** The two tables of a run. Lines are 1-based and inclusive. */
interface TgiRun {
  from: number;
  to: number;
  latencies: LlamaTable;
  /** Null if the output was truncated. */
  throughputs: LlamaTable | null;
}

/** Maximum number of lines between the two tables of a run. */
const gap = 6;

const findRuns = cachedPerArtifact((artifact): TgiRun[] => {
  const tables = findTables(artifact);
  const runs = tables.flatMap((latencies, index): TgiRun[] => {
    if (!latencies.columns.includes('p50')) return [];
    const next = tables[index + 1];
    const isOwn = next !== undefined && !next.columns.includes('p50') && next.from <= latencies.to + gap;
    const throughputs = isOwn ? next : null;
    return [{ from: latencies.from, to: (throughputs ?? latencies).to, latencies, throughputs }];
  });
  return runs;
});

/** The figures of a step at one batch size, by column. */
type Cells = ReadonlyMap<string, string>;

/** Rows with merged cells filled in. The tool merges equal cells of a column, including figures, and prints only the first. */
function withoutMerges(rows: readonly LlamaRow[]): { row: LlamaRow; cells: Cells }[] {
  let above: Cells = new Map();
  return rows.map((row) => {
    above = new Map([...row.cells].map(([column, text]) => [column, text === '' ? (above.get(column) ?? '') : text]));
    return { row, cells: above };
  });
}

type Steps = Map<number, Map<string, { row: LlamaRow; cells: Cells }>>;

/** The rows of a table by batch size and step. */
function toSteps(table: LlamaTable | null, faults: Fault[]): Steps {
  const steps: Steps = new Map();
  for (const { row, cells } of withoutMerges(table?.rows ?? [])) {
    const batch = parseNumber(cells.get('Batch Size') ?? '');
    if (batch === null || !Number.isInteger(batch) || batch < 1) {
      const message = `"${(cells.get('Batch Size') ?? '').slice(0, 60)}" in column Batch Size should be a whole number.`;
      faults.push({ code: 'cell_unreadable', line: row.from, message });
      continue;
    }
    const known = steps.get(batch) ?? new Map();
    known.set(cells.get('Step') ?? '', { row, cells });
    steps.set(batch, known);
  }
  return steps;
}

const words: Record<string, string> = {
  Average: 'mean',
  Lowest: 'min',
  Highest: 'max',
  p50: 'p50',
  p90: 'p90',
  p99: 'p99',
};
/**
 * The tool takes percentiles by position, but only the prefill latencies are sorted. The decode "percentiles" are not
 * percentiles.
 */
const steps = [
  { step: 'Prefill', base: 'ttft_ms', columns: Object.keys(words) },
  { step: 'Decode (token)', base: 'tpot_ms', columns: ['Average', 'Lowest', 'Highest'] },
];

/** The figure of a cell in a unit. Null if not measured; any other text is an error. */
function readCell(
  step: { row: LlamaRow; cells: Cells } | undefined,
  column: string,
  unit: string,
  faults: Fault[],
): number | null {
  const text = step?.cells.get(column);
  if (step === undefined || text === undefined) return null;
  const bare = text.endsWith(` ${unit}`) ? text.slice(0, -unit.length - 1) : null;
  const number = bare === null ? null : parseNumber(bare);
  if (number !== null && number >= 0) return number;
  if (bare === null || !isMissing(bare)) {
    const message = `"${text.slice(0, 60)}" in column ${column} should be a number of ${unit}.`;
    faults.push({ code: 'cell_unreadable', line: step.row.from, message });
  }
  return null;
}

/** The parameters, which are in a separate table before the figures. */
interface Parameters {
  model: Fact<string> | null;
  input: Fact<number> | null;
  output: Fact<number> | null;
  runs: number | null;
}

const isBenchmark = ([program = '']: readonly string[]) => /(?:^|\/)text-generation-benchmark$/.test(program);

/** From the table, or from the command if only the figures were copied. */
function readParameters(artifact: ArtifactText, after: number, before: number): Parameters {
  const tables = findParameters(artifact);
  const last = tables[countBefore(tables, before) - 1];
  const table = last !== undefined && last.from > after ? last : undefined;
  const context = table === undefined ? readRunContext(artifact, after + 1, before - 1, isBenchmark) : null;
  const values = new Map(table?.rows.map(({ cells }) => [cells.get('Parameter') ?? '', cells.get('Value') ?? '']));
  const count = (name: string, option: string) => {
    const number = parseNumber(values.get(name) ?? context?.text(option) ?? '');
    return number !== null && Number.isInteger(number) && number > 0 ? number : null;
  };
  const fact = (value: number | null): Fact<number> | null =>
    value === null ? null : { value, origin: table === undefined ? 'context' : 'stated' };
  const model = toModelName(values.get('Model') ?? context?.text('tokenizer_name') ?? '');
  return {
    // The name of the tokenizer, usually the same as the served model.
    model: model === null ? null : { value: model, origin: 'inferred' },
    input: fact(count('Sequence Length', 'sequence_length')),
    output: fact(count('Decode Length', 'decode_length')),
    runs: count('N Runs', 'runs'),
  };
}

const definitions: Record<string, string> = {
  ttft_ms: 'prefill_only',
  tpot_ms: 'without_first_token',
  decode_tok_s: 'client',
};

function toResult(
  batch: number,
  latency: ReadonlyMap<string, { row: LlamaRow; cells: Cells }>,
  throughput: ReadonlyMap<string, { row: LlamaRow; cells: Cells }> | undefined,
  parameters: Parameters,
  faults: Fault[],
): ParsedResult | null {
  const metrics = new Map<MetricName, number>();
  for (const { step, base, columns } of steps)
    for (const column of columns) {
      const value = readCell(latency.get(step), column, 'ms', faults);
      const name = latencyName(base, words[column] ?? '');
      if (value !== null && value > 0 && name.kind === 'metric') metrics.set(name.name, value);
    }
  const decode = readCell(throughput?.get('Decode'), 'Average', 'tokens/secs', faults);
  if (decode !== null && decode > 0) metrics.set('decode_tok_s', decode);
  const total = readCell(latency.get('Decode (total)'), 'Average', 'ms', faults);
  if (metrics.size === 0) return null;
  const lines = [...latency.values(), ...(throughput?.values() ?? [])].map(({ row }) => row);
  const truncated = 'The output ends before the table of throughputs: figures are missing.';
  return {
    ...noResult,
    system: { ...noFacts, model: parameters.model, engine: { value: 'tgi', origin: 'stated' } },
    scenario: { ...noScenario, inputTokens: parameters.input, outputTokens: parameters.output },
    load: { mode: 'batch', level: batch },
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, definitions),
    repeats: parameters.runs === null ? null : { n: parameters.runs, sd: {}, samples: null },
    extra: total === null ? {} : { decode_ms: total },
    notes:
      throughput === undefined
        ? [{ code: 'truncated', severity: 'info', message: truncated, evidence: { batch } }]
        : [],
    lines: { from: Math.min(...lines.map(({ from }) => from)), to: Math.max(...lines.map(({ to }) => to)) },
  };
}

function readRun(artifact: ArtifactText, run: TgiRun, after: number): Reading {
  const { latencies, throughputs } = run;
  if (latencies.rows.length > maxResults) throw tooManyResults(run.from);
  const faults: Fault[] = [...latencies.faults, ...(throughputs?.faults ?? [])];
  const parameters = readParameters(artifact, after, run.from);
  const throughput = toSteps(throughputs, faults);
  const results: ParsedResult[] = [];
  const failed: number[] = [];
  for (const [batch, latency] of toSteps(latencies, faults)) {
    const result = toResult(batch, latency, throughput.get(batch), parameters, faults);
    if (result === null) failed.push(batch);
    else results.push(result);
  }
  if (results.length === 0 && faults.length === 0) {
    const message = `The table on line ${run.from} has no figure above 0: nothing was measured.`;
    faults.push({ code: 'nothing_measured', line: run.from, message });
  }
  if (faults.length > 0) throw new ArtifactError(faults.slice(0, maxFaults));
  const ignored = [
    'Prefill tokens/secs, which counts prompts',
    'percentiles of Decode, which are not of ordered figures',
    ...failed.map((batch) => `batch ${batch}, which was not measured`),
  ];
  return { tool: { name: 'text-generation-benchmark', version: null }, results, ignored, ...noRemarks };
}

/**
 * TGI's `text-generation-benchmark`: static batches sent directly to the model server, without router, queue and tokenizer.
 * The first token is the prefill of the whole batch. Prefill throughput is batches per second times their size, so it counts
 * prompts. Decode throughput counts tokens and divides by the decode time only.
 *
 * Written by https://github.com/huggingface/text-generation-inference/blob/main/benchmark/src/table.rs
 */
export const tgiBenchmark: Adapter = {
  id,
  title: 'text-generation-benchmark (TGI)',
  kind: 'serving',
  recognises:
    'tables with the columns Step, Batch Size, Average, Lowest and Highest, with percentiles or in tokens/secs',
  command: 'text-generation-benchmark --tokenizer-name MODEL --sequence-length 1024 --decode-length 128',
  detect: (artifact) => findRuns(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const { found, before } = findAt(findRuns(artifact), claim.from);
    const tool = { name: 'text-generation-benchmark', version: null };
    return found === null
      ? { tool, results: [], ignored: [], ...noRemarks }
      : readRun(artifact, found, before?.to ?? 0);
  },
};
