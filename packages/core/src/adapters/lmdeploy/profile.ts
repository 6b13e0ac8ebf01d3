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
  type ReaderNote,
} from '../adapter.ts';
import { ArtifactError, maxResults, tooManyResults } from '../errors.ts';
import { type CommandLine, findCommand, optionValues } from '../reading/context/command-line.ts';
import { modelFacts, toModelName } from '../reading/context/model-name.ts';
import { checkMeasured } from '../reading/figures/block-figures.ts';
import { latencyName } from '../reading/figures/latency-name.ts';
import { parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

const id = 'lmdeploy-profile';

/** One printed block between two rules. Lines are 1-based and inclusive. */
interface Block {
  from: number;
  to: number;
  rows: { line: number; label: string; value: string }[];
}

const labelled = /^\s{0,8}([A-Za-z][A-Za-z0-9 _()+,%/-]{2,70}): {1,9}(\S.{0,200}?)\s*$/;
const statistics = ['min', 'max', 'mean'] as const;
const percentiles = ['p50', 'p75', 'p95', 'p99'] as const;

/** A figure after a label: one number with a unit, or several times in seconds. */
type Meaning =
  | { kind: 'figure'; name: MetricName; unit: string }
  | { kind: 'times'; base: string; words: readonly string[] }
  | { kind: 'own' };

const meanings: Record<string, Meaning> = {
  concurrency: { kind: 'own' },
  'total time': { kind: 'figure', name: 'duration_s', unit: 's' },
  elapsed_time: { kind: 'figure', name: 'duration_s', unit: 's' },
  input_tokens: { kind: 'own' },
  'first token latency(s)(min, max, ave)': { kind: 'times', base: 'ttft_ms', words: statistics },
  'first_token latency(min, max, ave)': { kind: 'times', base: 'ttft_ms', words: statistics },
  'total_token latency(min, max, ave)': { kind: 'times', base: 'e2e_ms', words: statistics },
  'per-token latency(s) percentile(50, 75, 95, 99)': { kind: 'times', base: 'itl_ms', words: percentiles },
  'token_latency percentiles(50%,75%,95%,99%)(s)': { kind: 'times', base: 'itl_ms', words: percentiles },
  'number of failed requests': { kind: 'figure', name: 'requests_failed', unit: '' },
  'number of prompt tokens': { kind: 'figure', name: 'input_tokens', unit: '' },
  'number of completion tokens': { kind: 'figure', name: 'output_tokens', unit: '' },
  'number of request completion tokens': { kind: 'own' },
  'local tokenlizer throughput (completion token)': { kind: 'own' },
  'token throughput (completion token)': { kind: 'figure', name: 'output_tok_s', unit: 'token/s' },
  'token throughput (prompt + completion token)': { kind: 'figure', name: 'total_tok_s', unit: 'token/s' },
  throughput: { kind: 'figure', name: 'output_tok_s', unit: 'token/s' },
  'throughput(output)': { kind: 'figure', name: 'output_tok_s', unit: 'token/s' },
  'throughput(total)': { kind: 'figure', name: 'total_tok_s', unit: 'token/s' },
  'RPS (request per second)': { kind: 'figure', name: 'req_s', unit: 'req/s' },
  'PPS (request per second)': { kind: 'figure', name: 'req_s', unit: 'req/s' },
  'RPM (request per minute)': { kind: 'own' },
};
/** The last line of each layout. */
const last = ['RPM (request per minute)', 'throughput(total)', 'throughput'];
const meaningOf = (label: string) => (Object.hasOwn(meanings, label) ? meanings[label] : undefined);

const longest = 30;
function readRows(artifact: ArtifactText, from: number): Block['rows'] {
  const rows: Block['rows'] = [];
  const seen = new Set<string>();
  for (let line = from; line < from + longest && line <= artifact.lines.length; line++) {
    const text = artifact.lineAt(line);
    const [, label = '', value = ''] = labelled.exec(text) ?? [];
    if (meaningOf(label) === undefined || seen.has(label)) {
      if (text.trim() === '') continue;
      break;
    }
    seen.add(label);
    rows.push({ line, label, value });
    if (last.includes(label)) break;
  }
  return rows;
}

/** All blocks in order of appearance. "concurrency" is a common word, so a block also needs a token rate. */
const findBlocks = cachedPerArtifact((artifact): Block[] => {
  const blocks: Block[] = [];
  for (const line of artifact.linesWith('concurrency: ')) {
    if (line <= (blocks.at(-1)?.to ?? 0) || labelled.exec(artifact.lineAt(line))?.[1] !== 'concurrency') continue;
    // One of the programs prints the time above.
    const from = labelled.exec(artifact.lineAt(line - 1))?.[1] === 'total time' ? line - 1 : line;
    const rows = readRows(artifact, from);
    const has = (...labels: string[]) => rows.some(({ label }) => labels.includes(label));
    // Below "total time", the only throughput counts the generated tokens of all sessions.
    const isOurs =
      (has('elapsed_time', 'total time') && has('token throughput (completion token)', 'throughput(output)')) ||
      (has('total time') && has('throughput'));
    if (isOurs) blocks.push({ from, to: rows.at(-1)?.line ?? line, rows });
  }
  return blocks;
});

/** `0.045s, 0.047s, 0.046s` and `[0, 0.094, 0.169, 0.227]` in seconds; otherwise null. */
function parseTimes(text: string, count: number): number[] | null {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  const numbers = bare.split(',').map((part) => parseNumber(part.trim().replace(/s$/, '')));
  const times = numbers.filter((number): number is number => number !== null && number >= 0);
  return times.length === count && numbers.length === count ? times : null;
}

interface Figures {
  metrics: Map<MetricName, number>;
  extra: Record<string, number>;
}

function readFigures({ rows }: Block): Figures {
  const figures: Figures = { metrics: new Map(), extra: {} };
  const faults: Fault[] = [];
  for (const { line, label, value } of rows) {
    const meaning = meaningOf(label);
    if (meaning === undefined || meaning.kind === 'own') continue;
    if (meaning.kind === 'times') {
      const times = parseTimes(value, meaning.words.length);
      for (const [index, word] of meaning.words.entries()) {
        const name = latencyName(meaning.base, word);
        const seconds = times?.[index] ?? 0;
        // Tokens that arrive together have a gap of zero, and times below half a millisecond round to zero.
        if (seconds === 0) continue;
        if (name.kind === 'metric') figures.metrics.set(name.name, shiftDecimal(seconds, 3));
        else figures.extra[name.name] = shiftDecimal(seconds, 3);
      }
      if (times !== null) continue;
    } else {
      const number = parseNumber(
        meaning.unit === '' || !value.endsWith(meaning.unit) ? value : value.slice(0, -meaning.unit.length),
      );
      const isWhole = number !== null && number >= 0 && (meaning.unit === '' || value.endsWith(meaning.unit));
      if (isWhole && number > 0) figures.metrics.set(meaning.name, number);
      if (isWhole) continue;
    }
    faults.push({ code: 'value_unreadable', line, message: `"${label}" cannot be "${value.slice(0, 60)}".` });
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  return figures;
}

const isProfile = ([program = '']: readonly string[]) =>
  /(?:^|[/\\])profile_(?:throughput|restful_api|pipeline_api|generation)\.py$/.test(program);

function findCommandBefore(artifact: ArtifactText, from: number, to: number): CommandLine | null {
  let command: CommandLine | null = null;
  for (let line = from; line <= to; line++)
    if (artifact.lineAt(line).includes('profile_')) command = findCommand(artifact, line, isProfile) ?? command;
  return command;
}

/**
 * The model of a command: `profile_generation.py MODEL`, or the argument after the data set. For a server, the client knows
 * only the address.
 */
function modelOf(command: CommandLine | null): string | null {
  const [program = '', ...rest] = command?.words ?? [];
  const [named] = command === null ? [] : optionValues(command, '--model-path', '--model_path');
  if (named !== undefined) return named;
  const end = rest.findIndex((word) => word.startsWith('-'));
  const places = rest.slice(0, end < 0 ? rest.length : end);
  return (
    (/profile_generation\.py$/.test(program) ? places[0] : /restful/.test(program) ? undefined : places[1]) ?? null
  );
}

const definitions: Record<string, string> = {
  ttft_ms: 'send_to_first_token',
  itl_ms: 'per_token',
  e2e_ms: 'request',
};

function toResult(block: Block, command: CommandLine | null): ParsedResult {
  const { metrics, extra } = readFigures(block);
  checkMeasured(metrics, block.from, null);
  const textOf = (label: string) => block.rows.find((row) => row.label === label)?.value ?? '';
  const [, users = '', rounds] = /^(\d{1,7})(?:, test_round: (\d{1,7}))?$/.exec(textOf('concurrency')) ?? [];
  const [, input, output] = /^(\d{1,9}), output_tokens: (\d{1,9})$/.exec(textOf('input_tokens')) ?? [];
  const asked = (tokens: string | undefined): Fact<number> | null =>
    tokens === undefined || Number(tokens) === 0 ? null : { value: Number(tokens), origin: 'stated' };
  const model = toModelName(modelOf(command) ?? '');
  const notes: ReaderNote[] = [];
  if (!last.some((label) => textOf(label) !== '')) {
    const message = 'The output ends before its last rate: the paste was cut, and figures are missing.';
    notes.push({ code: 'truncated', severity: 'info', message, evidence: { from: block.from, to: block.to } });
  }
  return {
    ...noResult,
    system: { ...noFacts, ...modelFacts(model, 'context'), engine: { value: 'lmdeploy', origin: 'inferred' } },
    scenario: { ...noScenario, inputTokens: asked(input), outputTokens: asked(output) },
    load: Number(users) > 0 ? { mode: 'concurrency', level: Number(users) } : null,
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, definitions),
    extra: { ...extra, ...(rounds === undefined ? {} : { test_round: Number(rounds) }) },
    notes,
    lines: { from: block.from, to: block.to },
  };
}

/**
 * LMDeploy's profilers of 2023 and 2024: one thread per unit of concurrency, each of which sends its next request after a
 * complete response. Token latencies are gaps in the stream, with 0 for tokens that arrived together. The oldest
 * `profile_generation.py` is not read: its throughput was per session in one version and over all sessions in the next.
 *
 * Written by https://github.com/InternLM/lmdeploy/blob/v0.5.0/benchmark/profile_throughput.py and its neighbours.
 */
export const lmdeployProfile: Adapter = {
  id,
  title: "LMDeploy's profile_throughput.py, profile_restful_api.py and profile_generation.py (until 2024)",
  kind: 'serving',
  recognises:
    'lines such as "concurrency: 256", "elapsed_time: 295.300s" and "token throughput (completion token): 2353.993 token/s"',
  command: 'python benchmark/profile_throughput.py DATASET MODEL --concurrency 256 --num-prompts 3000',
  detect: (artifact) => findBlocks(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const blocks = findBlocks(artifact);
    if (blocks.length > maxResults) throw tooManyResults(claim.from);
    const { found, before } = findAt(blocks, claim.from);
    const tool = { name: 'lmdeploy profiler', version: null };
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    const command = findCommandBefore(artifact, (before?.to ?? 0) + 1, found.from - 1);
    const ignored = found.rows
      .map(({ label }) => label)
      .filter((label) => /tokenlizer|request completion tokens|per minute/.test(label));
    return { tool, results: [toResult(found, command)], ignored, ...noRemarks };
  },
};
