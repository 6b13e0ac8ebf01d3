import type { MetricName } from '../../metrics/index.ts';
import { type CommandLine, findCommand, optionValues } from '../reading/context/command-line.ts';
import { askedLength } from '../reading/figures/measured-lengths.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { ArtifactText } from '../reading/text/artifact-text.ts';
import { toServingLoad } from '../vllm/serving.ts';
import { namedModel, noContext, type PerfContext, severalModels } from './result.ts';

export type PerfProgram = 'genai-perf' | 'aiperf';

const longest = 20_000;

/** GenAI-Perf had no subcommands before September 2024: `genai-perf -m MODEL`. */
const isProfile = (program: PerfProgram) => (words: readonly string[]) =>
  (words[0] === program || words[0]?.endsWith(`/${program}`) === true) &&
  (words[1] === 'profile' || (program === 'genai-perf' && words[1]?.startsWith('-') !== false));

/** The last command line between two lines (1-based, inclusive) that runs the program. */
export function findPerfCommand(
  artifact: ArtifactText,
  from: number,
  to: number,
  program: PerfProgram,
): CommandLine | null {
  let command: CommandLine | null = null;
  for (let line = from; line <= to; line++) {
    const found = artifact.lineAt(line).includes(program) ? findCommand(artifact, line, isProfile(program)) : null;
    if (found !== null) [command, line] = [found, found.to];
  }
  return command;
}

const nextLabel = /^\s*(?:$|[A-Z][\w ]{2,30}:|[┏━└│╭]|```)/;

/** The text that AIPerf prints below its box: `CLI Command: aiperf profile ...`, wrapped by the terminal, and times. */
export function readTrailer(artifact: ArtifactText, from: number, to: number) {
  let command: CommandLine | null = null;
  let seconds: number | null = null;
  let end = from - 1;
  for (let line = from; line <= to; line++) {
    const text = artifact.lineAt(line);
    const duration = /^\s*Benchmark Duration:\s{0,9}([\d.,]{1,20}) sec/.exec(text);
    const typed = /^\s*CLI Command:\s{0,9}(.{1,20000})$/.exec(text);
    if (duration !== null) [seconds, end] = [parseNumber(duration[1] ?? ''), line];
    if (typed === null) continue;
    let whole = typed[1] ?? '';
    while (line < to && whole.length < longest && !nextLabel.test(artifact.lineAt(line + 1)))
      whole += ` ${artifact.lineAt(++line).trim()}`;
    command = findCommand(new ArtifactText([whole.slice(0, longest)]), 1, isProfile('aiperf'));
    end = line;
  }
  return { command, seconds, end };
}

const folder = /([A-Za-z0-9][\w.]{0,80}(?:-[\w.]{1,40}){0,8}?)-(?:openai-)?(?:chat|completions)-concurrency(\d{1,7})\b/;

/** Model and load from the name of the run's folder, which a log shows where it lists the saved files. */
export function findFolder(artifact: ArtifactText, from: number, to: number): { model: string; level: number } | null {
  let found: { model: string; level: number } | null = null;
  for (let line = from; line <= to; line++) {
    const text = artifact.lineAt(line);
    const at = text.includes('-concurrency') ? folder.exec(text.slice(0, 500)) : null;
    if (at === null || Number(at[2]) === 0) continue;
    const model = (at[1] ?? '').replace(/-openai$/, '');
    // Both programs write org/name as org_name.
    found = { model: model.includes('_') ? model.replace('_', '/') : model, level: Number(at[2]) };
  }
  return found;
}

const positive = (text: string | undefined) => {
  const number = parseNumber(text ?? '');
  return number !== null && number > 0 ? number : null;
};

/** Facts of a run from the command above or below its figures. */
export function toCommandContext(
  command: CommandLine | null,
  place: ReturnType<typeof findFolder>,
  metrics: ReadonlyMap<MetricName, number>,
): PerfContext {
  if (command === null) {
    if (place === null) return noContext();
    const { model, level } = place;
    const system = { ...noContext().system, ...namedModel([model], 'inferred') };
    return { ...noContext(), system, load: { mode: 'concurrency', level } };
  }
  const last = (...names: string[]) => optionValues(command, ...names).at(-1);
  const models = (last('--model', '--model-names', '-m') ?? '').split(',').filter((name) => name !== '');
  const rate = positive(last('--request-rate'));
  // Without a rate and a number of users, both programs send one request at a time and name the folder after it.
  const cap = positive(last('--concurrency')) ?? (rate === null ? place?.level : undefined);
  const sent = positive(last('--request-count', '--num-requests')) ?? 0;
  const pattern = last('--arrival-pattern', '--request-rate-mode') ?? (isOld(command) ? 'constant' : 'poisson');
  const length = (kind: string, short: string) =>
    askedLength(
      positive(last(`--${kind}-tokens-mean`, short)),
      positive(last(`--${kind}-tokens-stddev`, `${short}-stddev`)) !== null,
    );
  const isRamped = command.words.some((word) => /-ramp-duration|--fixed-schedule/.test(word));
  const found = isRamped
    ? { load: null, notes: [] }
    : toServingLoad({ rate, cap, burstiness: pattern === 'poisson' ? 1 : null, sent }, metrics);
  return {
    ...noContext(),
    ...found,
    notes: [...found.notes, ...severalModels(models)],
    system: { ...noContext().system, ...namedModel(models, 'context') },
    asked: { inputTokens: length('synthetic-input', '--isl'), outputTokens: length('output', '--osl') },
    extra: rate !== null && pattern === 'constant' ? { arrivals: 'evenly spaced' } : {},
  };
}

/** GenAI-Perf sends requests at even intervals, AIPerf as a Poisson process. */
const isOld = (command: CommandLine) => command.words[0]?.endsWith('genai-perf') === true;
