import { parseNumber } from '../figures/numbers.ts';
import type { ArtifactText } from '../text/artifact-text.ts';
import { type CommandLine, findCommand, optionValues } from './command-line.ts';
import { contextsOfRuns } from './contexts.ts';
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
  /** The first word from an index on that is neither an option nor its value: from 2 the model of `vllm serve -tp 8 MODEL`. */
  argument(from: number): string | null;
  /** Whether several commands may apply that give different values, so that none is used. */
  differs(...names: string[]): boolean;
}

const opener = /^(?:\s|[\w.]{1,60}=)*Namespace\(/;
const flag = (name: string) => `--${name.replaceAll('_', '-')}`;
/** Spellings of an option on a command line. Short names may have one dash: `-tp 4`, `-m MODEL`. */
const spellings = (name: string) => [flag(name), `--${name}`, ...(name.length <= 3 ? [`-${name}`] : [])];

/** A command, and the line of the `Namespace(...)` that its run printed. */
interface Logged {
  command: CommandLine | null;
  namespaceLine: number | null;
  /** End of the log. */
  to: number;
}

function toContext(artifact: ArtifactText, { command, namespaceLine, to }: Logged): RunContext {
  return argumentsOfRun(command, namespaceLine === null ? null : readNamespace(artifact, namespaceLine, to));
}

/** The arguments of one run: of its command, and of the `Namespace(...)` that it printed. */
export function argumentsOfRun(command: CommandLine | null, fields: NamespaceFields | null = null): RunContext {
  const text = (...names: string[]) => {
    for (const name of names) {
      const stated = fields === null ? null : namespaceText(fields, name);
      const given = command === null ? undefined : optionValues(command, ...spellings(name)).at(-1);
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
      const at = command?.words.findIndex((word) => names.some((name) => spellings(name).includes(word)));
      if (command === null || at === undefined || at < 0) return [];
      const rest = command.words.slice(at + 1);
      const end = rest.findIndex((word) => parseNumber(word) === null);
      return (end < 0 ? rest : rest.slice(0, end)).flatMap((word) => parseNumber(word) ?? []);
    },
    switched: (name) =>
      spellings(name).some((spelling) => command?.words.includes(spelling)) || fields?.get(name) === 'True'
        ? true
        : fields?.get(name) === 'False' ||
            [name.replaceAll('_', '-'), name].some((word) => command?.words.includes(`--no-${word}`))
          ? false
          : null,
    argument: (from) => {
      const words = command?.words.slice(from) ?? [];
      const isArgument = (word: string, at: number) => !(word.startsWith('-') || words[at - 1]?.startsWith('-'));
      return words.find((word, at) => isArgument(word, at) && !word.includes('=')) ?? null;
    },
    differs: () => false,
  };
}

/** The arguments that all of some commands share. */
function toShared(contexts: readonly RunContext[]): RunContext {
  const shared = <T>(read: (context: RunContext) => T): T | null => {
    const [first, ...others] = contexts.map(read);
    const isSame = others.every((other) => JSON.stringify(other) === JSON.stringify(first));
    return isSame ? (first ?? null) : null;
  };
  return {
    text: (...names) => shared((context) => context.text(...names)),
    number: (...names) => shared((context) => context.number(...names)),
    numbers: (...names) => shared((context) => context.numbers(...names)) ?? [],
    switched: (name) => shared((context) => context.switched(name)),
    argument: (from) => shared((context) => context.argument(from)),
    differs: (...names) =>
      new Set(contexts.map((context) => JSON.stringify([context.text(...names), context.numbers(...names)]))).size > 1,
  };
}

/**
 * The commands of a part of a log, without those before a run that printed its `Namespace(...)`: they are of runs without
 * figures. Lines are 1-based and inclusive.
 */
function findLogged(
  artifact: ArtifactText,
  from: number,
  to: number,
  isProgram: (words: readonly string[]) => boolean,
  word: string,
  printsNamespace = true,
): Logged[] {
  let found: Logged[] = [];
  for (let line = from; line <= to; line++) {
    const text = artifact.lineAt(line);
    const command = text.includes(word) ? findCommand(artifact, line, isProgram) : null;
    const last = found.at(-1);
    if (command !== null) {
      if (last?.namespaceLine != null) found = [];
      found.push({ command, namespaceLine: null, to });
      line = command.to;
    } else if (printsNamespace && text.includes('Namespace(') && opener.test(text)) {
      found = [{ command: last?.command ?? null, namespaceLine: line, to }];
    }
  }
  return found;
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
  const last = findLogged(artifact, from, to, isProgram, word).at(-1);
  return last === undefined ? null : toContext(artifact, last);
}

/**
 * Reads the log before each of some blocks, which are in order: the command of its run, or the arguments that all commands
 * share if it may be of several. Blocks without a command are omitted. `printsNamespace` is false for programs that do not
 * print their arguments: a `Namespace(...)` is then of another program.
 */
export function readRunContexts<B extends { from: number; to: number }>(
  artifact: ArtifactText,
  blocks: readonly B[],
  isProgram: (words: readonly string[]) => boolean,
  word = 'bench',
  printsNamespace = true,
): ReadonlyMap<B, RunContext> {
  return contextsOfRuns(
    blocks,
    (from, to) => findLogged(artifact, from, to, isProgram, word, printsNamespace),
    (runs) => toShared(runs.map((run) => toContext(artifact, run))),
  );
}
