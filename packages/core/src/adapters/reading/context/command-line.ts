import type { ArtifactText } from '../text/artifact-text.ts';

/** A command from a log, as the user typed it. */
export interface CommandLine {
  /** 1-based, inclusive; more than one line where backslashes continue it. */
  from: number;
  to: number;
  words: string[];
}

/** Programs that run the words after their own options and arguments: `docker exec NAME`, `numactl -N 0`. */
const runner = /^(?:docker|podman|nerdctl|kubectl|oc|srun|mpirun|numactl|taskset|nice)$/;

/** The mark at the end of a line that continues: of POSIX shells, cmd.exe or PowerShell. Spaces after it are from the paste. */
const continued = /\\\s*$|(?:^|\s)[\^`]\s*$/;

const maxContinuations = 60;
const maxLength = 20_000;
/** Words that may precede the program after a prompt. */
const wrapper = /^(?:[A-Za-z_]\w*=.*|&|sudo|time|env|nohup|exec|stdbuf|uv|run|-m|-[io][L0]|(?:.*\/)?python[\d.]*)$/s;

/** The prompt of PowerShell or cmd.exe: `PS C:\Users\me> `, `C:\llama.cpp>`. */
const windowsPrompt = /^\s*(?:PS )?[A-Za-z]:\\[^<>:"|?*]{0,300}> */;
/** A path that only Windows shells accept: `D:\models`, `.\llama-bench.exe`. */
const windowsPath = /(?:^|[\s"'=])(?:[A-Za-z]:|\.{1,2})\\[^\s\\]/;

/**
 * Splits words like a shell: quotes group, backslashes escape. In a command for Windows, backslashes separate folders.
 * Variables are not expanded.
 */
function toWords(line: string): string[] {
  const text = line.replace(windowsPrompt, '');
  if (text !== line || windowsPath.test(text))
    return Array.from(text.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g), ([word]) =>
      word.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single),
    );
  const words: string[] = [];
  for (const match of text.matchAll(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g)) {
    words.push(
      match[0].replace(
        /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g,
        (_, double, single, escaped) => double ?? single ?? escaped ?? '',
      ),
    );
  }
  return words;
}

/** A line that is only inline code, or inline code with a label: "Without delay (command: `...`):". */
const inlineCode = /^\s*(?:[-*+] )?`([^`]+)`[.:]?\s*$|\b(?:command|cmd): `([^`]+)`/i;

/** A prompt, a fence, or the label "Command:" or "cmd:". */
const prompts = /[❯$#>%+]$|^```|^\**(?:command|cmd):\**$/i;

/** Whether the words before a program are a prompt or words such as `sudo`, and not the beginning of a sentence. */
function isCommandStart(before: readonly string[]): boolean {
  const prompt = before.findLastIndex((word) => prompts.test(word));
  const words = before.slice(prompt + 1);
  const other = words.findIndex((word) => !wrapper.test(word));
  return other < 0 || runner.test(words[other] ?? '');
}

/**
 * The command line that starts at a line (1-based), if it runs a program. `program` decides by a word and the words after
 * it. A command must have options, because prose may begin with a program's name too.
 */
export function findCommand(
  artifact: ArtifactText,
  line: number,
  program: (words: readonly string[]) => boolean,
): CommandLine | null {
  let text = artifact.lineAt(line);
  if (text.length > maxLength) return null;
  const [, whole, labelled] = inlineCode.exec(text) ?? [];
  text = whole ?? labelled ?? text;
  const words = toWords(text.replace(continued, ''));
  const start = words.slice(0, 40).findIndex((_, index) => program(words.slice(index, index + 3)));
  if (start < 0 || !isCommandStart(words.slice(0, start))) return null;
  let to = line;
  // Continuation lines contain options, or arguments of a command that has no option yet. Some pastes have lost a mark.
  while (to - line < maxContinuations) {
    const next = artifact
      .lineAt(to + 1)
      .trim()
      .slice(0, maxLength);
    const isArgument = /^\S+(?:\s*\\)?$/.test(next) && !words.some((word) => word.startsWith('-'));
    if (!(continued.test(text) ? next.startsWith('-') || isArgument : /^--[a-z]/i.test(next))) break;
    to++;
    words.push(...toWords(next.replace(continued, '')));
    text = next;
  }
  const command = words.slice(start).filter((word) => word !== '' && !/^[\\^`]$/.test(word));
  return command.some((word) => word.startsWith('-')) ? { from: line, to, words: command } : null;
}

/** The command in a text that is not a line of a log, such as a cell, from the word on at which a program begins. */
export function commandInText(
  text: string,
  line: number,
  program: (words: readonly string[]) => boolean,
): CommandLine | null {
  if (text.length > maxLength) return null;
  const words = toWords(text);
  const start = words.findIndex((_, index) => program(words.slice(index, index + 3)));
  return start < 0 ? null : { from: line, to: line, words: words.slice(start) };
}

/** All values of an option, in order: `--model X`, `--model=X`, for any of its spellings. */
export function optionValues(command: CommandLine, ...names: string[]): string[] {
  const values: string[] = [];
  for (const [index, word] of command.words.entries()) {
    // Option names begin with a dash; most words are values.
    if (!word.startsWith('-')) continue;
    for (const name of names) {
      const next = command.words[index + 1];
      if (word === name && next !== undefined) values.push(next);
      else if (word[name.length] === '=' && word.startsWith(name)) values.push(word.slice(name.length + 1));
    }
  }
  return values;
}
