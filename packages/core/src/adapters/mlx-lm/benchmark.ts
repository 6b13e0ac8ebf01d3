import type { MetricName } from '../../metrics/index.ts';
import {
  type Adapter,
  noFacts,
  noRemarks,
  noResult,
  noScenario,
  type ParsedResult,
  type ReaderNote,
  type Repeats,
} from '../adapter.ts';
import { unreadable } from '../errors.ts';
import { type CommandLine, optionValues } from '../reading/context/command-line.ts';
import { isCutFigure } from '../reading/figures/cut-figure.ts';
import { parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { meanOf, sampleSd } from '../reading/figures/samples.ts';
import { countBefore, findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { findMlxCommands, mlxSystem } from './command.ts';

const id = 'mlx-lm-benchmark';

type Values = Map<string, number>;

/** The output of one run. Lines are 1-based and inclusive. */
interface Run {
  from: number;
  to: number;
  /** As requested; null if the line was not copied. */
  asked: string | null;
  trials: string[];
  /** Null if the report ends before it. */
  averages: string | null;
}

const timing = /^\s{0,8}Timing with (prompt_tokens=.{1,100})\.\s*$/;
const trial = /^\s{0,8}Trial (\d{1,5}): {1,4}(prompt_tps=.{1,200})$/;
/** People compare two runs on one line each: `Pre: Averages: ...`, or with their word instead: `Pre: prompt_tps=...`. */
const averages = /^\s{0,8}(?:[A-Za-z][\w ]{0,40}: {1,4}){1,2}(prompt_tps=.{1,200})$/;

/** `prompt_tps=358.377, generation_tps=38.813`. A fence may follow the last one on the same line. */
function readValues(text: string): Values {
  const pairs = text.replace(/\s*`{3}.*$/, '').split(/, | and /);
  const values: Values = new Map();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    const text = pair.slice(at + 1);
    // The requested numbers of tokens have no decimals.
    const isCut = !name.endsWith('_tokens') && name !== 'batch_size' && isCutFigure(text, 3);
    const value = isCut ? null : parseNumber(text);
    if (at > 0 && value !== null && value >= 0) values.set(name, value);
  }
  return values;
}

/** All runs in order of appearance: requested lengths, trials, averages; or averages alone. */
const findRuns = cachedPerArtifact((artifact): Run[] => {
  const runs: Run[] = [];
  let open: Run | null = null;
  for (const line of artifact.linesWith('prompt_tps=', 'Timing with prompt_tokens=')) {
    const text = artifact.lineAt(line);
    if (text.length > 400) continue;
    const asked = timing.exec(text)?.[1];
    const [, number = '', tried] = trial.exec(text) ?? [];
    const averaged = tried === undefined ? averages.exec(text)?.[1] : undefined;
    if (asked !== undefined || (open === null && (tried ?? averaged) !== undefined)) {
      open = {
        from: line,
        to: line,
        asked: asked ?? null,
        trials: [],
        averages: null,
      };
      runs.push(open);
    }
    if (open === null) continue;
    if (tried !== undefined && Number(number) === open.trials.length + 1) open.trials.push(tried);
    else if (averaged !== undefined) open.averages = averaged;
    else if (asked === undefined) continue;
    open.to = line;
    if (averaged !== undefined) open = null;
  }
  return runs.filter((run) => run.averages !== null || run.trials.length > 0);
});

const findCommands = cachedPerArtifact((artifact) => findMlxCommands(artifact, 'benchmark', findRuns(artifact)));

const rates: [MetricName, string][] = [
  ['prefill_tok_s', 'prompt_tps'],
  ['decode_tok_s', 'generation_tps'],
];

function samplesOf(trials: readonly Values[], key: string): number[] {
  const samples = trials.flatMap((values) => values.get(key) ?? []);
  return samples.length === trials.length ? samples : [];
}

function toRepeats(trials: readonly Values[]): Repeats | null {
  if (trials.length === 0) return null;
  const pairs = rates.map(([name, key]) => [name, samplesOf(trials, key)] as const);
  const whole = pairs.filter(([, samples]) => samples.length > 0);
  const sds = trials.length < 2 ? [] : whole.map(([name, samples]) => [name, sampleSd(samples)] as const);
  return { n: trials.length, sd: Object.fromEntries(sds), samples: Object.fromEntries(whole) };
}

/** The mean of each figure over the trials, for a run that was interrupted before its averages. */
function averageOf(trials: readonly Values[]): Values {
  const keys = [...rates.map(([, key]) => key), 'peak_memory'];
  const samples = keys.map((key) => [key, samplesOf(trials, key)] as const);
  return new Map(samples.filter(([, values]) => values.length > 0).map(([key, values]) => [key, meanOf(values)]));
}

function toResult(run: Run, trials: Values[], means: Values, command: CommandLine | null): ParsedResult {
  const { from, to } = run;
  const asked = run.asked === null ? null : readValues(run.asked);
  const option = (...names: string[]) => (command === null ? undefined : optionValues(command, ...names).at(-1));
  const length = (key: string, ...names: string[]) => {
    const stated = asked?.get(key);
    const given = parseNumber(option(...names) ?? '');
    const origin = stated === undefined ? ('context' as const) : ('stated' as const);
    const value = stated ?? given;
    return value === null || !Number.isSafeInteger(value) || value < 1 ? null : { value, origin };
  };
  // The default is 1. The first version had no batches and did not mention them.
  const given = command === null ? '' : (option('--batch-size', '-b') ?? '1');
  const batch = asked?.get('batch_size') ?? (asked === null ? parseNumber(given) : 1);
  const isKnown = batch !== null && Number.isSafeInteger(batch) && batch > 0;
  const decode = means.get('generation_tps');
  const memory = means.get('peak_memory');
  // The last trial of an interrupted run may lack its time, which its line has last.
  const whole = run.averages === null ? [] : trials;
  const times = samplesOf(whole, 'total_time').map((seconds) => shiftDecimal(seconds, 3));
  const metrics: [MetricName, number | undefined][] = [
    ...rates.map(([name, key]): [MetricName, number | undefined] => [name, means.get(key)]),
    ['user_tok_s', isKnown && decode !== undefined ? decode / batch : undefined],
    ['e2e_ms_mean', times.length > 0 ? meanOf(times) : undefined],
  ];
  const measured = metrics.filter((entry): entry is [MetricName, number] => (entry[1] ?? 0) > 0);
  const notes: ReaderNote[] = [];
  if (!isKnown) {
    const message = 'Neither the report nor a command before it states the batch size.';
    notes.push({ code: 'load_unknown', severity: 'warning', message, evidence: {} });
  }
  if (run.averages === null) {
    const message = `The report ends before its averages: the figures are means of its ${trials.length} trials.`;
    notes.push({ code: 'truncated', severity: 'info', message, evidence: { trials: trials.length } });
  }
  return {
    ...noResult,
    system: { ...noFacts, ...mlxSystem(command) },
    scenario: {
      ...noScenario,
      inputTokens: length('prompt_tokens', '--prompt-tokens', '-p'),
      outputTokens: length('generation_tokens', '--generation-tokens', '-g'),
    },
    load: isKnown ? { mode: 'batch', level: batch } : null,
    metrics: Object.fromEntries(measured),
    definitions: Object.fromEntries(
      measured.map(([name]) => (name === 'e2e_ms_mean' ? ['e2e_ms', 'whole_batch'] : [name, 'in_process'])),
    ),
    repeats: toRepeats(trials),
    extra: memory === undefined ? {} : { peak_memory_gb: memory },
    notes,
    lines: { from, to },
  };
}

/**
 * `mlx_lm.benchmark`: random prompts in the process with responses of exactly the requested length, repeated a few times.
 * `prompt_tps` covers the time to the first token. `generation_tps` of a batch covers all its sequences. Only the command
 * names the model.
 *
 * Written by https://github.com/ml-explore/mlx-lm/blob/main/mlx_lm/benchmark.py
 */
export const mlxLmBenchmark: Adapter = {
  id,
  title: 'mlx_lm.benchmark',
  kind: 'serving',
  recognises: 'lines "Trial 1:  prompt_tps=..., generation_tps=..., peak_memory=..." and "Averages: prompt_tps=..."',
  command: '(echo mlx_lm.benchmark --model MODEL; mlx_lm.benchmark --model MODEL -p 2048 -g 128) 2>&1 | tee result.txt',
  detect: (artifact) => findRuns(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const tool = { name: 'mlx_lm.benchmark', version: null };
    const { found } = findAt(findRuns(artifact), claim.from);
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    const isWhole = (trial: Values) => rates.every(([, key]) => trial.has(key));
    // An interrupted run may end within a trial.
    const trials = found.trials.map(readValues).filter((trial) => found.averages !== null || isWhole(trial));
    const means = found.averages === null ? averageOf(trials) : readValues(found.averages);
    if (rates.some(([, key]) => (means.get(key) ?? 0) === 0)) {
      const message = `A line of the report that begins on line ${found.from} is cut, or it has no figures above 0.`;
      throw unreadable(found.to, 'block_cut', message, 'Copy the whole report, down to its line of averages.');
    }
    const command = findCommands(artifact)[countBefore(findRuns(artifact), found.from)] ?? null;
    return { tool, results: [toResult(found, trials, means, command)], ignored: [], ...noRemarks };
  },
};
