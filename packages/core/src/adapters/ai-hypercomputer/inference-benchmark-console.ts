import type { Fault } from '../../errors.ts';
import type { MetricName } from '../../metrics/index.ts';
import type { KnownLoad } from '../../subjects/load.ts';
import { noFacts, noScenario, type ParsedResult, type ReaderNote } from '../adapter.ts';
import { ArtifactError } from '../errors.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { type RunContext, readRunContext } from '../reading/context/run-context.ts';
import { checkMeasured } from '../reading/figures/block-figures.ts';
import { isCutFigure, isLastLine } from '../reading/figures/cut-figure.ts';
import { measuredLengths } from '../reading/figures/measured-lengths.ts';
import { isMissing, parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

interface Row {
  line: number;
  label: string;
  value: string;
}

/** Printed figures of one model, or of all requests. Lines are 1-based and inclusive. */
export interface ConsoleBlock {
  from: number;
  to: number;
  /** The model named in the heading; null if there is no heading or it covers all models. */
  model: string | null;
  /** Number of models that the requests were distributed over, if the heading states it. */
  models: number | null;
  rows: Row[];
}

const heading = /^\s{0,8}={4}Result for Model: (\S{1,200})={4}\s*$/;
const ofAll = /^ALL-(\d{1,6})-MODELS$/;
const labelled = /^\s{0,8}([A-Z][^:]{2,80}):\s{1,9}(\S.{0,400}?)\s*$/;

/** Label of a figure: how many units make one second, or by how many decimal places to shift a time to get ms. */
type Meaning = { name: MetricName; per?: number; places?: 0 | 3 } | { extra: string; places?: 0 | 3 } | 'own';

const meanings: Record<string, Meaning> = {
  Errors: 'own',
  'Total time': { name: 'duration_s' },
  'Total time (seconds)': { name: 'duration_s' },
  'Successful/total requests': 'own',
  'Requests/min': 'own',
  'Requests/sec': 'own',
  'Queries/sec': 'own',
  'Output_tokens/min': { name: 'output_tok_s', per: 60 },
  'Output_tokens/sec': { name: 'output_tok_s' },
  'Input_tokens/min': { name: 'input_tok_s', per: 60 },
  'Input_tokens/sec': { name: 'input_tok_s' },
  'Tokens/min': { name: 'total_tok_s', per: 60 },
  'Tokens/sec': { name: 'total_tok_s' },
  'Cost $/1k tokens': 'own',
  'Average Time to First Token (s)': { name: 'ttft_ms_mean', places: 3 },
  'Average Time to First Token (ms)': { name: 'ttft_ms_mean' },
  'Average Inter-Token Latency (s)': { name: 'itl_ms_mean', places: 3 },
  'Average Inter-Token Latency (ms)': { name: 'itl_ms_mean' },
  'Average Time Per Output Token (s)': { name: 'tpot_ms_mean', places: 3 },
  'Average Time Per Output Token (ms)': { name: 'tpot_ms_mean' },
  'Average milliseconds/request (includes waiting time on server)': { name: 'e2e_ms_mean' },
  // Latency of each request divided by its tokens: not one of our metrics.
  'Average seconds/token (includes waiting time on server)': { extra: 'e2e_per_token_ms_mean', places: 3 },
  'Average milliseconds/token (includes waiting time on server)': { extra: 'e2e_per_token_ms_mean' },
  'Average milliseconds/output_token (includes waiting time on server)': { extra: 'e2e_per_output_token_ms_mean' },
  'Average input length': 'own',
  'Average output length': 'own',
  'Average length of prompt': 'own',
  'Average length of response': 'own',
  'Average throughput in requests per second': 'own',
};
const inputLengths = ['Average input length', 'Average length of prompt'];
const outputLengths = ['Average output length', 'Average length of response'];
const meaningOf = (label: string) => (Object.hasOwn(meanings, label) ? meanings[label] : undefined);

const longest = 40;
/** Of every figure except counts. */
const decimals = 2;

function readRows(artifact: ArtifactText, from: number): Row[] {
  const rows: Row[] = [];
  const seen = new Set<string>();
  for (let line = from; line < from + longest; line++) {
    const [, label = '', value = ''] = labelled.exec(artifact.lineAt(line)) ?? [];
    if (meaningOf(label) === undefined || seen.has(label)) break;
    seen.add(label);
    rows.push({ line, label, value });
  }
  const last = rows.at(-1);
  if (last !== undefined && isLastLine(artifact, last.line) && isCutFigure(last.value, decimals)) rows.pop();
  return rows;
}

/** All blocks in order of appearance. Some lines are common words, so a block must have the counts and a token rate. */
export const findConsoleBlocks = cachedPerArtifact((artifact): ConsoleBlock[] => {
  const blocks: ConsoleBlock[] = [];
  for (const line of artifact.linesWith('Total time')) {
    const text = artifact.lineAt(line);
    if (text.length > 500 || !/^\s{0,8}Total time(?: \(seconds\))?: /.test(text)) continue;
    // The errors and the heading precede the time.
    const errors = labelled.exec(artifact.lineAt(line - 1))?.[1] === 'Errors' ? 1 : 0;
    const first = line - errors;
    const rows = readRows(artifact, first);
    const has = (...labels: string[]) => rows.some((row) => labels.includes(row.label));
    if (!(has('Successful/total requests') && has('Output_tokens/min', 'Output_tokens/sec'))) continue;
    const title = heading.exec(artifact.lineAt(first - 1))?.[1] ?? null;
    const all = ofAll.exec(title ?? '')?.[1];
    blocks.push({
      from: title === null ? first : first - 1,
      to: rows.at(-1)?.line ?? line,
      model: all === undefined ? title : null,
      models: all === undefined ? null : Number(all),
      rows,
    });
  }
  return blocks;
});

const textOf = (block: ConsoleBlock, ...labels: string[]) =>
  block.rows.find((row) => labels.includes(row.label))?.value ?? '';
const secondsOf = (block: ConsoleBlock) => textOf(block, 'Total time', 'Total time (seconds)');

/** Whether a block covers all requests of a run with one model. The tool prints such a block again under the model's name. */
export function isPrintedAgain(artifact: ArtifactText, block: ConsoleBlock): boolean {
  const { after } = findAt(findConsoleBlocks(artifact), block.from);
  return block.models === 1 && after !== null && after.model !== null && secondsOf(after) === secondsOf(block);
}

const isBenchmark = ([program = '']: readonly string[]) => /(?:^|[/\\])benchmark_serving\.py$/.test(program);

/** The log before a block. For a model's block that follows the block of all requests, the log before that block. */
function contextOf(artifact: ArtifactText, block: ConsoleBlock): RunContext | null {
  const blocks = findConsoleBlocks(artifact);
  const { before } = findAt(blocks, block.from);
  const own = readRunContext(artifact, (before?.to ?? 0) + 1, block.from - 1, isBenchmark);
  if (own !== null || before === null || secondsOf(before) !== secondsOf(block)) return own;
  const first = findAt(blocks, before.from).before?.to ?? 0;
  return readRunContext(artifact, first + 1, before.from - 1, isBenchmark);
}

/** Requests arrive at random times, or all at once if the rate is infinite, which is the default. */
function toLoad(context: RunContext | null, sent: number): KnownLoad | null {
  if (context === null) return null;
  const asked = context.text('request_rate');
  const rate = parseNumber(asked ?? '');
  if (rate !== null && rate > 0) return { mode: 'rate', level: rate, burstiness: 1 };
  return asked !== null && !isMissing(asked) ? null : { mode: 'burst', level: sent };
}

/** Seconds are printed with two decimals, so a short time has a large relative rounding error. */
function toleranceOf(seconds: readonly number[]): ParsedResult['tolerance'] {
  const least = Math.min(...seconds);
  if (!Number.isFinite(least)) return undefined;
  const share = Math.min(0.5, 0.005 / least);
  return { share, reason: 'Times of tokens are printed in seconds with two decimals.' };
}

/** Reads a block as a result and lists the unused labels. Throws `ArtifactError`. */
export function readConsoleBlock(
  artifact: ArtifactText,
  block: ConsoleBlock,
): { result: ParsedResult; ignored: string[] } {
  const metrics = new Map<MetricName, number>();
  const extra: Record<string, number> = {};
  const faults: Fault[] = [];
  const coarse: number[] = [];
  for (const { line, label, value } of block.rows) {
    const meaning = meaningOf(label);
    if (meaning === undefined || meaning === 'own') continue;
    const number = parseNumber(label.startsWith('Total time') ? value.replace(/ s$/, '') : value);
    if (number === null || number < 0) {
      if (!isMissing(value))
        faults.push({
          code: 'value_unreadable',
          line,
          message: `"${label}" should be a number, found "${value.slice(0, 60)}".`,
        });
      continue;
    }
    // Rounded to zero, or not streamed.
    if (number === 0) continue;
    if (meaning.places === 3) coarse.push(number);
    const figure = meaning.places === 3 ? shiftDecimal(number, 3) : number;
    if ('extra' in meaning) extra[meaning.extra] = figure;
    else metrics.set(meaning.name, meaning.per === undefined ? figure : Math.round((figure / meaning.per) * 1e6) / 1e6);
  }
  const [, ok = '', sent = ''] = /^(\d{1,12})\/(\d{1,12})$/.exec(textOf(block, 'Successful/total requests')) ?? [];
  if (ok === '') {
    const message = `"Successful/total requests" should be two counts, found "${textOf(block, 'Successful/total requests').slice(0, 60)}".`;
    faults.push({ code: 'value_unreadable', line: block.from, message });
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  const errors = [...textOf(block, 'Errors').matchAll(/: (\d{1,12})(?=[,}])/g)].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  );
  const lost = Number(sent) - Number(ok);
  metrics.set('requests_ok', Number(ok));
  metrics.set('requests_failed', lost > 0 ? lost : errors);
  checkMeasured(metrics, block.from, Number(sent));
  // Counts all sent requests, including failed ones.
  const rate = parseNumber(textOf(block, 'Requests/sec'));
  if (rate !== null && rate > 0 && lost === 0) metrics.set('req_s', rate);
  const context = contextOf(artifact, block);
  const isMixed = (block.models ?? 1) > 1 || context?.text('models')?.includes(',') === true;
  const load = isMixed ? null : toLoad(context, Number(sent));
  const isWhole = outputLengths.some((label) => textOf(block, label) !== '');
  const length = (labels: readonly string[]) => parseNumber(textOf(block, ...labels));
  return {
    result: {
      kind: 'serving',
      system: {
        ...noFacts,
        ...modelFacts(block.model ?? (isMixed ? null : (context?.text('models') ?? null)), 'stated'),
      },
      scenario: { ...noScenario, ...measuredLengths(length(inputLengths), length(outputLengths)) },
      load,
      repetition: null,
      metrics: Object.fromEntries(metrics),
      definitions: definitionsOf(metrics, definitions),
      repeats: null,
      requests: null,
      limits: null,
      ...(coarse.length === 0 ? {} : { tolerance: toleranceOf(coarse) }),
      extra,
      notes: toNotes(load, isMixed, isWhole),
      measuredAt: null,
      lines: { from: block.from, to: block.to },
    },
    ignored: ['Queries/sec', 'Cost $/1k tokens'].filter((label) => textOf(block, label) !== ''),
  };
}

const definitions: Record<string, string> = {
  ttft_ms: 'send_to_first_token',
  tpot_ms: 'without_first_token',
  itl_ms: 'per_chunk',
  e2e_ms: 'request',
};

function toNotes(load: KnownLoad | null, isMixed: boolean, isWhole: boolean): ReaderNote[] {
  const notes: ReaderNote[] = [];
  const addNote = (code: string, severity: ReaderNote['severity'], message: string) =>
    notes.push({ code, severity, message, evidence: {} });
  if (isMixed)
    addNote('models_mixed', 'warning', 'The requests were distributed among several models at the same time.');
  else if (load === null)
    addNote('load_unknown', 'warning', 'Neither the lines nor the log before them state how the requests were sent.');
  if (!isWhole)
    addNote('truncated', 'info', 'The output ends before the lengths: the paste was cut, and figures are missing.');
  return notes;
}
