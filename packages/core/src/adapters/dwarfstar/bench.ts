import type { Fault } from '../../errors.ts';
import { type Adapter, noFacts, noRemarks, noResult, type ParsedResult, type SystemFacts } from '../adapter.ts';
import { ArtifactError, maxFaults, maxResults, tooManyResults } from '../errors.ts';
import { toFigures } from '../llama-cpp/figures.ts';
import { type CommandLine, findCommand, optionValues } from '../reading/context/command-line.ts';
import { toModelName } from '../reading/context/model-name.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

const id = 'ds4-bench';

/** The columns of every release, in this order. Later ones put the first token of a response after `gen_tps`. */
const required = 'ctx_tokens,prefill_tokens,prefill_tps,gen_tokens,gen_tps';
const columnNames = /^[a-z_]{1,40}(?:,[a-z_]{1,40}){5,20}$/;
const figures = /^\d{1,20}(?:,\d{1,20}(?:\.\d{1,6})?)+$/;

/** One table. Lines are 1-based and inclusive. */
interface Sweep {
  from: number;
  to: number;
  columns: string[];
}

const findSweeps = cachedPerArtifact((artifact): Sweep[] => {
  const sweeps: Sweep[] = [];
  for (const line of artifact.linesWith(required)) {
    const header = artifact.lineAt(line).trim();
    if (!header.startsWith(required) || !columnNames.test(header)) continue;
    let to = line;
    while (
      figures.test(
        artifact
          .lineAt(to + 1)
          .slice(0, 400)
          .trim(),
      )
    )
      to++;
    if (to > line) sweeps.push({ from: line, to, columns: header.split(',') });
  }
  return sweeps;
});

const isBench = ([program = '']: readonly string[]) => /(?:^|[/\\])ds4-bench$/.test(program);

/** The last command between two lines. */
function commandBefore(artifact: ArtifactText, from: number, to: number): CommandLine | null {
  const lines = artifact.linesWith('ds4-bench').filter((line) => line >= from && line <= to);
  return lines.reduce<CommandLine | null>((last, line) => findCommand(artifact, line, isBench) ?? last, null);
}

/** The name that the project's download script gives to every model. */
const link = 'ds4flash.gguf';

function toSystem(command: CommandLine | null): SystemFacts {
  const option = (...names: string[]) => (command === null ? undefined : optionValues(command, ...names).at(-1));
  const model = toModelName(option('-m', '--model') ?? '');
  const cache = option('--kv-cache');
  const power = parseNumber(option('--power') ?? '');
  return {
    ...noFacts,
    model: model === null || model === link ? null : { value: model, origin: 'context' },
    engine: { value: 'ds4', origin: 'stated' },
    features: {
      ...(cache === undefined ? {} : { kv_cache_dtype: cache }),
      ...(power === null || power >= 100 ? {} : { power_percent: power }),
      ...(command?.words.includes('--quality') ? { exact_kernels: true } : {}),
    },
  };
}

type Cells = ReadonlyMap<string, number>;

function readRow(artifact: ArtifactText, line: number, columns: readonly string[], faults: Fault[]): Cells | null {
  const cells = artifact.lineAt(line).trim().split(',');
  if (cells.length === columns.length) return new Map(columns.map((name, at) => [name, Number(cells[at])]));
  // A paste that ends within a row lacks its figures.
  if (line < artifact.lines.length) {
    const message = `The row on line ${line} has ${cells.length} cells, its header has ${columns.length}.`;
    faults.push({ code: 'row_uneven', line, message });
  }
  return null;
}

/** The two tests of a row: the prompt tokens since the row before, and the generation after them. */
function toResults(cells: Cells, line: number, system: SystemFacts): ParsedResult[] {
  const of = (name: string) => cells.get(name) ?? 0;
  const [context, prompt, generated] = [of('ctx_tokens'), of('prefill_tokens'), of('gen_tokens')];
  const test = (promptTokens: number, generatedTokens: number, depth: number, average: number) => {
    const of = { name: '', promptTokens, generatedTokens, depth: depth > 0 ? depth : null };
    const measured = toFigures({ test: of, average, sd: null, n: null, samples: null });
    const scenario = { ...measured.scenario, name: null };
    return { ...noResult, system, ...measured, scenario, lines: { from: line, to: line } };
  };
  const first = of('gen_first_ms');
  const steady = of('gen_steady_tps');
  const extra = {
    ...(first > 0 ? { first_token_ms: first } : {}),
    ...(steady > 0 ? { steady_decode_tok_s: steady } : {}),
  };
  return [
    ...(of('prefill_tps') > 0 && prompt > 0 && prompt <= context
      ? [test(prompt, 0, context - prompt, of('prefill_tps'))]
      : []),
    ...(of('gen_tps') > 0 && generated > 0 ? [{ ...test(0, generated, context, of('gen_tps')), extra }] : []),
  ];
}

function readSweep(artifact: ArtifactText, { from, to, columns }: Sweep, command: CommandLine | null): ParsedResult[] {
  if (2 * (to - from) > maxResults) throw tooManyResults(from);
  const faults: Fault[] = [];
  const system = toSystem(command);
  const results: ParsedResult[] = [];
  for (let line = from + 1; line <= to && faults.length < maxFaults; line++) {
    const cells = readRow(artifact, line, columns, faults);
    if (cells !== null) results.push(...toResults(cells, line, system));
  }
  if (results.length === 0 && faults.length === 0) {
    const message = `The table that begins on line ${from} has no speed above 0: nothing was measured.`;
    faults.push({ code: 'nothing_measured', line: from, message });
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  return results;
}

/**
 * The CSV of DwarfStar's `ds4-bench`: one stream inside the benchmark process. Each row extends the context to `ctx_tokens`, of
 * which `prefill_tokens` are timed, then generates `gen_tokens` and restores the context. The first of these tokens counts in
 * `gen_tps`, as in llama-bench.
 *
 * Written by https://github.com/antirez/ds4/blob/main/ds4_bench.c
 */
export const ds4Bench: Adapter = {
  id,
  title: "DwarfStar's ds4-bench",
  kind: 'serving',
  recognises: `CSV with a header that begins ${required}`,
  command: './ds4-bench -m MODEL.gguf --prompt-file speed-bench/promessi_sposi.txt --csv result.csv',
  detect: (artifact) => findSweeps(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const { found, before } = findAt(findSweeps(artifact), claim.from);
    const tool = { name: 'ds4-bench', version: null };
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    const command = commandBefore(artifact, (before?.to ?? 0) + 1, found.from - 1);
    return { tool, results: readSweep(artifact, found, command), ignored: [], ...noRemarks };
  },
};
