import { parseNumber } from '../figures/numbers.ts';
import type { ArtifactText } from '../text/artifact-text.ts';
import { type CommandLine, findCommand, optionValues } from './command-line.ts';
import { type NamespaceFields, namespaceText, readNamespace } from './namespace.ts';

/** Arguments of a program by their Python names: from a command line, a Namespace or a record. */
export interface Arguments {
  /** The first of the names that is set; null if none is, or if it is `None`. */
  text(...names: string[]): string | null;
  /** The same as a number above 0; null for shell variables as well. */
  number(...names: string[]): number | null;
  /** Whether a switch is set; null if unknown, so its default applies. */
  switched(name: string): boolean | null;
}

/** The arguments of a program that the log before its figures shows. */
export interface RunContext extends Arguments {
  /** All values of an option that takes several: `--batch-size 1 8`. */
  numbers(...names: string[]): number[];
}

const opener = /^(?:\s|[\w.]{1,60}=)*Namespace\(/;
const flag = (name: string) => `--${name.replaceAll('_', '-')}`;

function toContext(command: CommandLine | null, fields: NamespaceFields | null): RunContext {
  const text = (...names: string[]) => {
    for (const name of names) {
      const stated = fields === null ? null : namespaceText(fields, name);
      const given = command === null ? undefined : optionValues(command, flag(name), `--${name}`).at(-1);
      if (stated !== null || given !== undefined) return stated ?? given ?? null;
    }
    return null;
  };
  return {
    text,
    number: (...names) => {
      const number = parseNumber(text(...names) ?? '');
      return number !== null && number > 0 ? number : null;
    },
    numbers: (...names) => {
      const at = command?.words.findIndex((word) => names.some((name) => word === flag(name) || word === `--${name}`));
      if (command === null || at === undefined || at < 0) return [];
      const rest = command.words.slice(at + 1);
      const end = rest.findIndex((word) => parseNumber(word) === null);
      return (end < 0 ? rest : rest.slice(0, end)).flatMap((word) => parseNumber(word) ?? []);
    },
    switched: (name) =>
      command?.words.includes(flag(name)) === true || fields?.get(name) === 'True'
        ? true
        : fields?.get(name) === 'False'
          ? false
          : null,
  };
}

/**
 * Reads the log before some figures: the last command line that runs a program, and the `Namespace(...)` it printed. Lines
 * are 1-based and inclusive; `word` is a part of the program's name. A new command line discards earlier context. Null if
 * neither is present.
 */
export function readRunContext(
  artifact: ArtifactText,
  from: number,
  to: number,
  isProgram: (words: readonly string[]) => boolean,
  word = 'bench',
): RunContext | null {
  let command: CommandLine | null = null;
  let namespaceLine: number | null = null;
  for (let line = from; line <= to; line++) {
    const text = artifact.lineAt(line);
    const found = text.includes(word) ? findCommand(artifact, line, isProgram) : null;
    if (found !== null) [command, namespaceLine, line] = [found, null, found.to];
    else if (text.includes('Namespace(') && opener.test(text)) namespaceLine = line;
  }
  if (command === null && namespaceLine === null) return null;
  return toContext(command, namespaceLine === null ? null : readNamespace(artifact, namespaceLine, to));
}
