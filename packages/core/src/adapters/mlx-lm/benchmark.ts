import type { MetricName } from '../../metrics/index.ts';
import { type Adapter, noFacts, noRemarks, noScenario, type ParsedResult, type Repeats } from '../adapter.ts';
import { unreadable } from '../errors.ts';
import type { ArtifactText } from '../reading/artifact-text.ts';
import { findAt } from '../reading/by-line.ts';
import { type CommandLine, optionValues } from '../reading/command-line.ts';
import { parseNumber, shiftDecimal } from '../reading/numbers.ts';
import { meanOf, sampleSd } from '../reading/samples.ts';
import { findMlxCommand, mlxSystem } from './command.ts';

const id = 'mlx-lm-benchmark';

type Values = Map<string, number>;

/** What one run prints. Lines are 1-based and inclusive. */
interface Run {
  from: number;
  to: number;
  /** As asked; null where the line that says it was not copied. */
  asked: string | null;
  trials: string[];
  /** Null where the report ends before it. */
  averages: string | null;
}

const timing = /^\s{0,8}Timing with (prompt_tokens=.{1,100})\.\s*$/;
const trial = /^\s{0,8}Trial (\d{1,5}): {1,4}(prompt_tps=.{1,200})$/;
const averages = /^\s{0,8}Averages: {1,4}(prompt_tps=.{1,200})$/;

/** `prompt_tps=358.377, generation_tps=38.813`. A fence may follow the last one, which has no line end of its own. */
function readValues(text: string): Values {
  const pairs = text.replace(/\s*`{3}.*$/, '').split(/, | and /);
  const values: Values = new Map();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const value = parseNumber(pair.slice(at + 1));
    if (at > 0 && value !== null && value >= 0) values.set(pair.slice(0, at).trim(), value);
  }
  return values;
}

const runsOf = new WeakMap<ArtifactText, Run[]>();

/** Every run in order of appearance: asked lengths, trials one after another, averages; or averages alone. */
function findRuns(artifact: ArtifactText): Run[] {
  const known = runsOf.get(artifact);
  if (known !== undefined) return known;
  const runs: Run[] = [];
  let open: Run | null = null;
  for (const line of artifact.linesWith('prompt_tps=', 'Timing with prompt_tokens=')) {
    const text = artifact.lineAt(line);
    if (text.length > 400) continue;
    const asked = timing.exec(text)?.[1];
    const [, number = '', tried] = trial.exec(text) ?? [];
    const averaged = averages.exec(text)?.[1];
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
  const found = runs.filter((run) => run.averages !== null || run.trials.length > 0);
  runsOf.set(artifact, found);
  return found;
}

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
  const told = rates.map(([name, key]) => [name, samplesOf(trials, key)] as const);
  const whole = told.filter(([, samples]) => samples.length > 0);
  const sds = trials.length < 2 ? [] : whole.map(([name, samples]) => [name, sampleSd(samples)] as const);
  return { n: trials.length, sd: Object.fromEntries(sds), samples: Object.fromEntries(whole) };
}

function toResult(run: Run, means: Values, command: CommandLine | null): ParsedResult {
  const { from, to } = run;
  const asked = run.asked === null ? null : readValues(run.asked);
  const trials = run.trials.map(readValues);
  const option = (...names: string[]) =>
    command === null ? null : parseNumber(optionValues(command, ...names).at(-1) ?? '');
  const length = (key: string, ...names: string[]) => {
    const stated = asked?.get(key);
    const given = option(...names);
    const origin = stated === undefined ? ('context' as const) : ('stated' as const);
    const value = stated ?? given;
    return value === null || !Number.isSafeInteger(value) || value < 1 ? null : { value, origin };
  };
  // The first version had no batches, and said nothing about them.
  const batch = asked?.get('batch_size') ?? (asked === null ? option('--batch-size', '-b') : 1);
  const isKnown = batch !== null && Number.isSafeInteger(batch) && batch > 0;
  const decode = means.get('generation_tps');
  const memory = means.get('peak_memory');
  const times = samplesOf(trials, 'total_time').map((seconds) => shiftDecimal(seconds, 3));
  const metrics: [MetricName, number | undefined][] = [
    ...rates.map(([name, key]): [MetricName, number | undefined] => [name, means.get(key)]),
    ['user_tok_s', isKnown && decode !== undefined ? decode / batch : undefined],
    ['e2e_ms_mean', times.length > 0 ? meanOf(times) : undefined],
  ];
  const measured = metrics.filter((entry): entry is [MetricName, number] => (entry[1] ?? 0) > 0);
  const unknown = 'Neither the report nor a command before it tells the batch size.';
  return {
    kind: 'serving',
    system: { ...noFacts, ...mlxSystem(command) },
    scenario: {
      ...noScenario,
      inputTokens: length('prompt_tokens', '--prompt-tokens', '-p'),
      outputTokens: length('generation_tokens', '--generation-tokens', '-g'),
    },
    load: isKnown ? { mode: 'batch', level: batch } : null,
    repetition: null,
    metrics: Object.fromEntries(measured),
    definitions: Object.fromEntries(
      measured.map(([name]) => (name === 'e2e_ms_mean' ? ['e2e_ms', 'whole_batch'] : [name, 'in_process'])),
    ),
    repeats: toRepeats(trials),
    requests: null,
    limits: null,
    extra: memory === undefined ? {} : { peak_memory_gb: memory },
    notes: isKnown ? [] : [{ code: 'load_unknown', severity: 'warning', message: unknown, evidence: {} }],
    measuredAt: null,
    lines: { from, to },
  };
}

/**
 * `mlx_lm.benchmark`: random prompts through the model in the process, answers of exactly the length asked for, a few times.
 * `prompt_tps` is until the first token is there, `generation_tps` of a batch is that of all its sequences. Only the command
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
    const { found, before } = findAt(findRuns(artifact), claim.from);
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    const means = readValues(found.averages ?? '');
    if (rates.some(([, key]) => (means.get(key) ?? 0) === 0)) {
      const message = `The report that begins on line ${found.from} ends before its averages, or they have no figures.`;
      throw unreadable(found.to, 'block_cut', message, 'Copy the whole report, down to its line of averages.');
    }
    const command = findMlxCommand(artifact, 'benchmark', (before?.to ?? 0) + 1, found.from - 1);
    return { tool, results: [toResult(found, means, command)], ignored: [], ...noRemarks };
  },
};
