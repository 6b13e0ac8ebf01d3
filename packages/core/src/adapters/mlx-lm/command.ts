import { resolveModel } from '../../catalogue/models.ts';
import { quantizationHint } from '../../catalogue/names/quantization-hint.ts';
import { type CommandLine, findCommand, optionValues } from '../reading/context/command-line.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';

/** Number of lines before a report that may contain its command. */
const contextLines = 200;
/** Maximum length of a line that is searched for names of models. */
const longest = 400;

/** The last command before a line that runs a program of mlx-lm: `mlx_lm.benchmark`, `mlx_lm benchmark`, or with a dash. */
function findMlxCommand(artifact: ArtifactText, program: string, from: number, to: number): CommandLine | null {
  const isProgram = ([first = '', second = '']: readonly string[]) => {
    const name = first.replace(/^.*\//, '').replaceAll('-', '_');
    return name === `mlx_lm.${program}` || (name === 'mlx_lm' && second === program);
  };
  if (!artifact.has('mlx')) return null;
  let command: CommandLine | null = null;
  for (let line = Math.max(from, to - contextLines); line <= to; line++) {
    if (artifact.lineAt(line).includes(program)) command = findCommand(artifact, line, isProgram) ?? command;
  }
  return command;
}

const modelOf = (command: CommandLine) => optionValues(command, '--model').at(-1) ?? null;

/** Whether a line names a model, or the quantization of a model, other than that of a command. */
function namesOtherModel(line: string, model: string): boolean {
  const hint = quantizationHint(line);
  if (line.includes('--model') || (hint !== null && hint !== quantizationHint(model))) return true;
  const title = line.replaceAll(/[#*`:]/g, ' ').trim();
  const names = [title, ...title.split(/[\s,;()]+/)].filter((name) => /[a-z]/i.test(name) && /\d/.test(name));
  return names.some((name) => {
    const { id, family } = resolveModel(name);
    const isNamed = id !== null || family !== null || /^[A-Za-z][\w.-]*\/[\w.-]+$/.test(name);
    return isNamed && name !== model && (id === null || id !== resolveModel(model).id);
  });
}

/**
 * The command of each report, which are in order. A report without a command has that of the previous report, unless the
 * text between them names another model.
 */
export function findMlxCommands(
  artifact: ArtifactText,
  program: string,
  reports: readonly { from: number; to: number }[],
): (CommandLine | null)[] {
  let command: CommandLine | null = null;
  let end = 0;
  return reports.map(({ from, to }) => {
    const own = findMlxCommand(artifact, program, end + 1, from - 1);
    const model = command === null ? null : (modelOf(command) ?? '');
    const between = own !== null || model === null ? [] : artifact.lines.slice(end, from - 1);
    if (model !== null && between.some((line) => namesOtherModel(line.slice(0, longest), model))) command = null;
    command = own ?? command;
    end = to;
    return command;
  });
}

/** The engine, and the model in a command. */
export function mlxSystem(command: CommandLine | null) {
  const model = command === null ? null : modelOf(command);
  return { ...modelFacts(model, 'context'), engine: { value: 'mlx', origin: 'stated' } } as const;
}
