import type { Fault } from '../../errors.ts';
import { type Adapter, noFacts, noRemarks, noResult, noScenario, type ParsedResult } from '../adapter.ts';
import { type CommandLine, optionValues } from '../reading/context/command-line.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { toCells } from '../reading/tables/pipe-table.ts';
import { readRows } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { barred, rule } from './perf-load-tables.ts';
import { findPerfCommand } from './perf-tables.ts';

const id = 'evalscope-speed';
const name = 'evalscope perf (speed benchmark)';

/** A row, whose cells are as printed. */
interface SpeedRow {
  line: number;
  cells: string[];
}

interface SpeedTable {
  from: number;
  to: number;
  command: CommandLine;
  rows: SpeedRow[];
  faults: Fault[];
}

const speed = 'Speed(tokens/s)';
const engines: Record<string, string> = { local: 'transformers', local_vllm: 'vllm' };
const mostRows = 1000;

/** Whether the command sends one request after another. The speed of requests that share the server is not its throughput. */
function isSingle(command: CommandLine): boolean {
  const at = command.words.indexOf('--parallel');
  const isList = at >= 0 && /^[^-]/.test(command.words[at + 2] ?? '-');
  return !isList && (optionValues(command, '--parallel').at(-1) ?? '1') === '1';
}

function readTable(artifact: ArtifactText, from: number, command: CommandLine): SpeedTable {
  const rows: SpeedRow[] = [];
  let to = from;
  for (let line = from + 1; rows.length < mostRows; line++) {
    const text = artifact.lineAt(line);
    const cells = toCells(barred(text));
    if (!rule.test(text) && !(cells !== null && cells.length >= 2)) break;
    to = line;
    if (!rule.test(text) && cells !== null) rows.push({ line, cells });
  }
  return { from, to, command, rows, faults: [] };
}

/** The tables below a command that states how the requests were sent. */
const findTables = cachedPerArtifact((artifact): SpeedTable[] => {
  const tables: SpeedTable[] = [];
  let command: CommandLine | null = null;
  for (const line of artifact.has(speed) ? artifact.linesWith(speed, 'evalscope') : []) {
    const text = artifact.lineAt(line);
    if (text.length > 1000) continue;
    command = (text.includes('evalscope') ? findPerfCommand(artifact, line) : null) ?? command;
    const [first, second] = toCells(barred(text)) ?? [];
    if (first !== 'Prompt Tokens' || second !== speed || command === null || !isSingle(command)) continue;
    tables.push(readTable(artifact, line, command));
  }
  return tables;
});

function toResult({ line, cells }: SpeedRow, command: CommandLine, faults: Fault[]): ParsedResult | null {
  const [tokens, rate] = cells.slice(0, 2).map(parseNumber);
  if (tokens == null || !Number.isSafeInteger(tokens) || tokens < 1 || rate == null || rate <= 0) {
    const message = `The row on line ${line} should have prompt tokens and a speed above 0, found "${cells.slice(0, 2).join('", "')}".`;
    faults.push({ code: 'cell_unreadable', line, message: message.slice(0, 300) });
    return null;
  }
  const option = (name: string) => optionValues(command, name).at(-1);
  const most = parseNumber(option('--max-tokens') ?? '');
  const isFixed = most !== null && Number.isSafeInteger(most) && option('--min-tokens') === option('--max-tokens');
  const engine = engines[option('--api') ?? ''];
  return {
    ...noResult,
    system: {
      ...noFacts,
      ...modelFacts(option('--model') ?? null, 'context'),
      engine: engine === undefined ? null : { value: engine, origin: 'inferred' },
    },
    scenario: {
      ...noScenario,
      inputTokens: { value: tokens, origin: 'stated' },
      outputTokens: isFixed ? { value: most, origin: 'context' } : null,
    },
    load: { mode: 'concurrency', level: 1 },
    metrics: { output_tok_s: rate },
    lines: { from: line, to: line },
  };
}

/**
 * The speed benchmark of `evalscope perf`: the output tokens of a request divided by its whole latency, for prompts of several
 * lengths. With one request at a time, this is the throughput. The command above the table states that.
 *
 * Written by https://github.com/modelscope/evalscope/blob/main/evalscope/perf/utils/db_util.py (`speed_benchmark_result`)
 */
export const evalscopeSpeed: Adapter = {
  id,
  title: name,
  kind: 'serving',
  recognises: `a grid with "Prompt Tokens" and "${speed}" below the command, which sends one request at a time`,
  command:
    'evalscope perf --dataset speed_benchmark --parallel 1 --model MODEL --url URL --max-tokens 2048 --min-tokens 2048; send the command too',
  detect: (artifact) => findTables(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const { found } = findAt(findTables(artifact), claim.from);
    const tool = { name: 'evalscope perf', version: null };
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    const read = readRows(found, (row, faults) => toResult(row, found.command, faults));
    return { tool, ...read, ...noRemarks };
  },
};
