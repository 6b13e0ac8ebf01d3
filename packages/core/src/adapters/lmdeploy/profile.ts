import type { Fault } from '../../errors.ts';
import type { MetricName } from '../../metrics/index.ts';
import {
  type Adapter,
  type Fact,
  noRemarks,
  noResult,
  noScenario,
  type ParsedResult,
  type ReaderNote,
} from '../adapter.ts';
import { ArtifactError, maxResults, tooManyResults } from '../errors.ts';
import { type CommandLine, findCommand, optionValues } from '../reading/context/command-line.ts';
import { checkMeasured, valueRepeated } from '../reading/figures/block-figures.ts';
import { latencyName } from '../reading/figures/latency-name.ts';
import { parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { withServer } from '../serving/server-command.ts';
import { systemOf } from './arguments.ts';
import { type Block, findBlocks, last, meaningOf, statistics } from './blocks.ts';

const id = 'lmdeploy-profile';

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

/** Maximum error of a printed time, in seconds. */
const rounding = 0.01;

/** The time of the whole run, which no time within it exceeds. */
const elapsedOf = (rows: Block['rows']): number | null =>
  parseNumber(rows.find(({ label }) => /^(?:elapsed_time|total time)$/.test(label))?.value.replace(/s$/, '') ?? '');

function readFigures({ rows }: Block): Figures {
  const figures: Figures = { metrics: new Map(), extra: {} };
  const faults: Fault[] = [];
  const elapsed = elapsedOf(rows);
  for (const [index, { line, label, value }] of rows.entries()) {
    const meaning = meaningOf(label);
    const before = rows.slice(0, index).find((row) => row.label === label)?.value;
    if (before !== undefined && before !== value) faults.push(valueRepeated(label, before, value, line));
    if (meaning === undefined || meaning.kind === 'own') continue;
    if (meaning.kind === 'times') {
      const times = parseTimes(value, meaning.words.length);
      const longest = Math.max(...(times ?? []));
      if (elapsed !== null && longest > elapsed + rounding) {
        const message = `"${label}" cannot have ${longest} s in a run of ${elapsed} s.`;
        faults.push({ code: 'value_unreadable', line, message });
        continue;
      }
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

const textOf = ({ rows }: Block, label: string) => rows.find((row) => row.label === label)?.value ?? '';

interface Asked {
  users: number;
  rounds: number | null;
  input: number | null;
  output: number | null;
}

function readAsked(block: Block): Asked {
  const running = textOf(block, 'concurrency') || textOf(block, 'cocurrency');
  const [, users = '', ownInput, ownOutput, rounds] =
    /^(\d{1,7})(?:, input_tokens: (\d{1,9}), output_tokens: (\d{1,9}))?(?:, test_round: (\d{1,7}))?$/.exec(running) ??
    [];
  const [, input = ownInput, output = ownOutput] =
    /^(\d{1,9}), output_tokens: (\d{1,9})$/.exec(textOf(block, 'input_tokens')) ?? [];
  const positive = (text: string | undefined) => (Number(text ?? 0) > 0 ? Number(text) : null);
  return {
    users: Number(users),
    rounds: rounds === undefined ? null : Number(rounds),
    input: positive(input),
    output: positive(output),
  };
}

/** Maximum difference of the printed throughput and one computed from latencies with two decimals. */
const slack = 0.03;
const isNear = (value: number, other: number) => Math.abs(value - other) <= slack * other;

/**
 * Names the figures of `profile_generation.py` of 2023. It did not stream, or printed the time of the tokens after the
 * first. Its throughput was per session, then that times the sessions, and neither is a rate over the elapsed time.
 */
function resolveFirstVersions(block: Block, { metrics, extra }: Figures, { users, output }: Asked): void {
  const after = parseTimes(textOf(block, 'token latency(min, max, ave)'), statistics.length);
  const first = parseTimes(textOf(block, 'first_token latency(min, max, ave)'), statistics.length);
  const printed = metrics.get('output_tok_s');
  const mean = after?.[2] ?? 0;
  if (after === null || first === null || mean <= 0) return;
  const isStreamed = first.some((time, index) => time !== after[index]);
  if (!isStreamed)
    for (const word of statistics) {
      const time = metrics.get(`ttft_ms_${word}`);
      metrics.delete(`ttft_ms_${word}`);
      if (time !== undefined) metrics.set(`e2e_ms_${word}`, time);
    }
  metrics.delete('output_tok_s');
  if (printed === undefined) return;
  const isOfSession = output !== null && isNear(printed, output / mean);
  if (!isOfSession)
    extra[output !== null && isNear(printed, (users * output) / mean) ? 'sum_of_user_tok_s' : 'throughput'] = printed;
  else if (isStreamed) metrics.set('user_tok_s', printed);
  else extra.output_tok_s_per_user_with_prefill = printed;
}

const isProfile = ([program = '']: readonly string[]) =>
  /(?:^|[/\\])profile_(?:throughput|restful_api|pipeline_api|generation|serving)\.py$/.test(program);

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
  // The folder into which a model was converted has the same name for all models.
  if (named !== undefined) return /(?:^|[/\\])workspace[/\\]?$/.test(named) ? null : named;
  const end = rest.findIndex((word) => word.startsWith('-'));
  const places = rest.slice(0, end < 0 ? rest.length : end);
  return (
    (/profile_generation\.py$/.test(program) ? places[0] : /restful|serving/.test(program) ? undefined : places[1]) ??
    null
  );
}

const definitions: Record<string, string> = {
  ttft_ms: 'send_to_first_token',
  itl_ms: 'per_token',
  e2e_ms: 'request',
  user_tok_s: 'client',
};

/** The options of the command, and the model, which some programs take as an argument. */
function textOfOption(command: CommandLine | null) {
  const spellings = (names: string[]) => names.map((name) => `--${name.replaceAll('_', '-')}`);
  return (...names: string[]): string | null => {
    if (names.includes('model')) return modelOf(command);
    return command === null ? null : (optionValues(command, ...spellings(names)).at(-1) ?? null);
  };
}

/** Share by which the printed rate may differ from that of the requested number of prompts. */
const rateSlack = 0.01;

/** The number of requests in the command, if the printed rate and duration are of so many. */
function addRequests({ metrics, extra }: Figures, command: CommandLine | null): void {
  const given = command === null ? undefined : optionValues(command, '--num-prompts', '--num_prompts').at(-1);
  const sent = parseNumber(given ?? '');
  const [rate, seconds, failed] = (['req_s', 'duration_s', 'requests_failed'] as const).map((name) =>
    metrics.get(name),
  );
  if (sent === null || rate === undefined || seconds === undefined) return;
  if (Math.abs(rate * seconds - sent) > rateSlack * sent) return;
  extra.requests_sent = sent;
  if (failed !== undefined && failed <= sent) metrics.set('requests_ok', sent - failed);
}

function toResult(block: Block, command: CommandLine | null): ParsedResult {
  const figures = readFigures(block);
  const asked = readAsked(block);
  resolveFirstVersions(block, figures, asked);
  const { metrics, extra } = figures;
  checkMeasured(metrics, block.from, null);
  addRequests(figures, command);
  const stated = (tokens: number | null): Fact<number> | null =>
    tokens === null ? null : { value: tokens, origin: 'stated' };
  const notes: ReaderNote[] = [];
  if (!last.some((label) => textOf(block, label) !== '')) {
    const message = 'The output ends before its last rate: the paste was cut, and figures are missing.';
    notes.push({ code: 'truncated', severity: 'info', message, evidence: { from: block.from, to: block.to } });
  }
  return {
    ...noResult,
    system: systemOf({ text: textOfOption(command) }),
    scenario: { ...noScenario, inputTokens: stated(asked.input), outputTokens: stated(asked.output) },
    load: asked.users > 0 ? { mode: 'concurrency', level: asked.users } : null,
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, definitions),
    extra: { ...extra, ...(asked.rounds === null ? {} : { test_round: asked.rounds }) },
    notes,
    lines: { from: block.from, to: block.to },
  };
}

/**
 * LMDeploy's profilers of 2023 and 2024: one thread per unit of concurrency, each of which sends its next request after a
 * complete response. Token latencies are gaps in the stream, with 0 for tokens that arrived together.
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
    return { tool, results: [withServer(toResult(found, command), artifact, found)], ignored, ...noRemarks };
  },
};
