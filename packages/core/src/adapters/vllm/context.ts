import type { Limits } from '../../records.ts';
import { type CommandLine, findCommand, optionValues } from '../reading/context/command-line.ts';
import { contextsOfRuns } from '../reading/context/contexts.ts';
import { toModelName } from '../reading/context/model-name.ts';
import { type NamespaceFields, namespaceText, readNamespace, startsNamespace } from '../reading/context/namespace.ts';
import { isMissing, parseNumber } from '../reading/figures/numbers.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';

/** Facts in the log before a result block. Undefined: not stated; null: stated as none or unlimited. */
export interface RunContext {
  model: string | null;
  /** An alias, or the folder of a path, given in place of a model name. */
  namesAlias: boolean;
  backend: string | null;
  numPrompts: number | null;
  requestRate: number | null | undefined;
  maxConcurrency: number | null | undefined;
  burstiness: number | null;
  rampUp: string | null;
  /** Whether the requests had the times of a recorded trace. */
  isSelfTimed: boolean;
  dataset: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  randomRangeRatio: string | null;
  /** The limits of `--goodput`, in ms. */
  limits: Limits | null;
}

type Limited = 'requestRate' | 'maxConcurrency' | 'burstiness';

const logged: [RegExp, Limited][] = [
  [/^\s*Traffic request rate:\s*(\S+)\s*$/i, 'requestRate'],
  [/^\s*Maximum request concurrency:\s*(\S+)\s*$/i, 'maxConcurrency'],
  [/^\s*Burstiness factor:\s*(\S+)(?:\s*\(.{1,60}\))?\s*$/i, 'burstiness'],
];

const isBenchServe = (words: readonly string[]) =>
  (/(?:^|\/)vllm$/.test(words[0] ?? '') && words[1] === 'bench' && words[2] === 'serve') ||
  /(?:^|[/\\])benchmark_serving\.py$/.test(words[0] ?? '');

/** A number; null for "no limit"; undefined if it is missing or a shell variable. */
function limit(text: string | undefined | null): number | null | undefined {
  if (text === undefined || text === null) return undefined;
  if (isMissing(text)) return null;
  return parseNumber(text) ?? undefined;
}

function whole(text: string | null | undefined): number | null {
  const number = parseNumber(text ?? '');
  return number !== null && Number.isSafeInteger(number) && number > 0 ? number : null;
}

const limited: Record<string, keyof Limits> = { ttft: 'ttftMs', tpot: 'tpotMs', e2el: 'e2eMs' };

/** `ttft:500 tpot:50` as limits in ms; null if there are none. */
function toLimits(text: string): Limits | null {
  const limits: Limits = { ttftMs: null, itlMs: null, tpotMs: null, e2eMs: null };
  for (const [, metric = '', value = ''] of text
    .slice(0, 500)
    .matchAll(/\b(ttft|tpot|e2el):(\d{1,9}(?:\.\d{1,6})?)/g)) {
    const name = limited[metric];
    if (name !== undefined && Number(value) > 0) limits[name] = Number(value);
  }
  return Object.values(limits).some((value) => value !== null) ? limits : null;
}

/** The values after `--goodput`, which accepts several. */
function goodputWords(fields: NamespaceFields | null, command: CommandLine | null): string {
  if (fields?.has('goodput')) return fields.get('goodput') ?? '';
  const at = command?.words.indexOf('--goodput') ?? -1;
  return at < 0 ? '' : (command?.words.slice(at + 1, at + 5) ?? []).join(' ');
}

/**
 * Requested lengths by data set. A Namespace has the arguments of all data sets with their defaults, so only those of the
 * data set in use apply.
 */
function lengths(
  get: (key: string) => string | null,
  dataset: string | null,
): { input: number | null; output: number | null } {
  const input = whole(get('input_len'));
  const output = whole(get('output_len'));
  const count = (key: string) => whole(get(key));
  if (dataset === 'random') {
    // Ratio 0, or 1 before 2025, means that all requests have the same length; otherwise lengths vary around it.
    const ratio = get('random_range_ratio');
    if (ratio !== null && ![0, 1].includes(parseNumber(ratio) ?? -1)) return { input: null, output: null };
    const base = input ?? count('random_input_len');
    return {
      input: base === null ? null : base + (count('random_prefix_len') ?? 0),
      output: output ?? count('random_output_len'),
    };
  }
  if (dataset === 'sonnet')
    return { input: input ?? count('sonnet_input_len'), output: output ?? count('sonnet_output_len') };
  if (dataset === 'sharegpt') return { input: null, output: output ?? count('sharegpt_output_len') };
  if (dataset === 'hf') return { input: null, output: output ?? count('hf_output_len') };
  if (dataset === 'custom') return { input: null, output: output ?? count('custom_output_len') };
  return { input: null, output };
}

/** `hf` is a loader: the data set is the repository it loads. Paths on the submitter's machine are not stored. */
function toDataset(name: string | null, path: string | null): string | null {
  if (name === 'hf' && path !== null && /^[\w.-]{1,96}\/[\w.-]{1,96}$/.test(path)) return path;
  return name;
}

/** The requested workload: the data set, and the lengths if all requests have the same. */
export function workloadOf(get: (key: string) => string | null): {
  dataset: string | null;
  input: number | null;
  output: number | null;
} {
  const name = get('dataset_name');
  return { ...lengths(get, name), dataset: toDataset(name, get('dataset_path')) };
}

/** An argument by its Python name, from the Namespace or from the command line; null if neither has it. */
function argumentReader(fields: NamespaceFields | null, command: CommandLine | null): (key: string) => string | null {
  return (key) => {
    if (fields?.has(key)) return namespaceText(fields, key);
    return command === null
      ? null
      : (optionValues(command, `--${key.replaceAll('_', '-')}`, `--${key}`).at(-1) ?? null);
  };
}

/** The log of one run: its command, the line of its `Namespace(...)`, and the limits that it printed. */
interface Logged {
  command: CommandLine | null;
  namespaceLine: number | null;
  stated: Partial<Record<Limited, number | null>>;
  /** End of the log. */
  to: number;
}

/**
 * The runs in a part of a log that may be of the block after it. A `Namespace(...)` follows the command of its run, so earlier
 * commands are of other runs. A command after anything printed begins a new run. Lines are 1-based and inclusive.
 */
function findLogged(artifact: ArtifactText, from: number, to: number): Logged[] {
  let found: Logged[] = [];
  for (let line = from; line <= to; line++) {
    const text = artifact.lineAt(line);
    const last = found.at(-1) ?? { command: null, namespaceLine: null, stated: {}, to };
    const command = text.includes('bench') ? findCommand(artifact, line, isBenchServe) : null;
    if (command !== null) {
      if (last.namespaceLine !== null || Object.keys(last.stated).length > 0) found = [];
      // Limits printed later may be of any of these runs.
      found.push({ command, namespaceLine: null, stated: found.at(-1)?.stated ?? {}, to });
      line = command.to;
    } else if (startsNamespace(text)) {
      found = [{ ...last, namespaceLine: line, stated: last.namespaceLine === null ? last.stated : {} }];
    } else {
      for (const [pattern, key] of logged) {
        const value = limit(pattern.exec(text)?.[1]);
        if (value === undefined) continue;
        if (found.length === 0) found = [last];
        last.stated[key] = value;
      }
    }
  }
  return found;
}

function toContext(artifact: ArtifactText, { command, namespaceLine, stated, to }: Logged): RunContext {
  const fields = namespaceLine === null ? null : readNamespace(artifact, namespaceLine, to);
  const get = argumentReader(fields, command);
  const isKnown = (key: string) => fields?.has(key) === true || get(key) !== null;
  const given =
    [get('model'), command === null ? null : (optionValues(command, '-m').at(-1) ?? null)].find(
      (name) => name !== null,
    ) ?? null;
  const dataset = get('dataset_name');
  const workload = workloadOf(get);
  // Without the option both programs send everything at once without a cap, and a Namespace lists every option.
  const unsaid = command !== null || fields !== null ? null : undefined;
  const requestRate = isKnown('request_rate') ? limit(get('request_rate') ?? 'inf') : unsaid;
  const maxConcurrency = isKnown('max_concurrency') ? limit(get('max_concurrency') ?? 'None') : unsaid;
  return {
    model: given === null ? null : toModelName(given),
    namesAlias: given !== null && toModelName(given) === null,
    backend: get('backend'),
    numPrompts: whole(get('num_prompts')),
    requestRate: 'requestRate' in stated ? stated.requestRate : requestRate,
    maxConcurrency:
      'maxConcurrency' in stated
        ? stated.maxConcurrency
        : (maxConcurrency ?? ('requestRate' in stated ? null : maxConcurrency)),
    burstiness: parseNumber(get('burstiness') ?? '') ?? stated.burstiness ?? null,
    rampUp: get('ramp_up_strategy'),
    isSelfTimed: get('self_timed') === 'True' || command?.words.includes('--self-timed') === true,
    dataset: workload.dataset,
    inputTokens: workload.input,
    outputTokens: workload.output,
    randomRangeRatio: dataset === 'random' ? get('random_range_ratio') : null,
    limits: toLimits(goodputWords(fields, command)),
  };
}

const nothingStated: RunContext = {
  model: null,
  namesAlias: false,
  backend: null,
  numPrompts: null,
  requestRate: undefined,
  maxConcurrency: undefined,
  burstiness: null,
  rampUp: null,
  isSelfTimed: false,
  dataset: null,
  inputTokens: null,
  outputTokens: null,
  randomRangeRatio: null,
  limits: null,
};

const isSame = (a: unknown, b: unknown) =>
  a === b || (typeof a === 'object' && a !== null && JSON.stringify(a) === JSON.stringify(b));

const factNames = Object.keys(nothingStated) as (keyof RunContext)[]; // the object has no other keys

/** The facts that all of some contexts share. */
function toShared([first, ...others]: readonly [RunContext, ...RunContext[]]): RunContext {
  const shared = factNames.filter((name) => others.every((other) => isSame(first[name], other[name])));
  return { ...nothingStated, ...Object.fromEntries(shared.map((name) => [name, first[name]])) };
}

/**
 * Reads the log before each of some blocks, which are in order: the command and the `Namespace(...)` of its run, and the
 * lines that state rate and concurrency; what they share if it may be of several runs. Blocks without context are omitted.
 */
export function readContexts<B extends { from: number; to: number }>(
  artifact: ArtifactText,
  blocks: readonly B[],
): ReadonlyMap<B, RunContext> {
  return contextsOfRuns(
    blocks,
    (from, to) => findLogged(artifact, from, to),
    ([first, ...others]) => toShared([toContext(artifact, first), ...others.map((run) => toContext(artifact, run))]),
  );
}

/** The facts of a command that are not of its run only. */
export const ofAnyRun = ({ model, namesAlias, backend }: RunContext): RunContext => ({
  ...nothingStated,
  model,
  namesAlias,
  backend,
});
