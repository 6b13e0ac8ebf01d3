import { type CommandLine, findCommand, optionValues } from '../reading/context/command-line.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';

/** Number of lines before a report that may contain its command. */
const contextLines = 200;

/** The last command before a line that runs a program of mlx-lm: `mlx_lm.benchmark`, `mlx_lm benchmark`, or with a dash. */
export function findMlxCommand(artifact: ArtifactText, program: string, from: number, to: number): CommandLine | null {
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

/** The engine, and the model in a command. */
export function mlxSystem(command: CommandLine | null) {
  const model = command === null ? undefined : optionValues(command, '--model').at(-1);
  return { ...modelFacts(model ?? null, 'context'), engine: { value: 'mlx', origin: 'stated' } } as const;
}
