import { nearest } from '@inferboard/core/text/nearest';
import { commandWords } from '@inferboard/loadgen/view/command-words';
import { ask } from './commands/ask.ts';
import { ci } from './commands/ci.ts';
import { importFiles } from './commands/import.ts';
import { login } from './commands/login.ts';
import { open } from './commands/open.ts';
import { submit } from './commands/submit.ts';
import { facts, flagOf } from './facts.ts';
import { exitCodes, Failure, type World } from './world.ts';

type Command = (args: readonly string[], world: World) => Promise<number>;

/** `measure` is not among them: it is the load generator's own command line. */
const commands: Record<string, Command> = { submit, import: importFiles, ask, login, open, ci };

const factLines = Object.entries(facts)
  .map(([name, what]) => `  --${flagOf(name).padEnd(18)} ${what}`)
  .join('\n');

const help = `inferboard: submits benchmark results to an Inferboard service, and queries it.

  inferboard submit FILE... | -     submits files or standard input; prints a verdict and a link
  inferboard import FILE|DIR...     submits every file of a folder; prints one line per file
  inferboard ask "QUESTION"         answers a question with a table
  inferboard login                  stores your key
  inferboard open [ID]              opens the page of an id, or of your newest submission
  inferboard measure --url SERVER   measures a model server; measure --help lists its options
  inferboard ci FILE...             submits, and compares with the latest results of the base branch
  inferboard --version              prints the version

Options of every command except measure:
  --url URL            the service; default: INFERBOARD_URL, then the URL of login, then http://localhost:8787
  --json               prints the response of the service unchanged
INFERBOARD_KEY is the key. Without it, the key of login is used.

submit, import and ci accept facts that are missing in a file:
${factLines}
submit and import take --dry-run (nothing is stored), submit --no-input (never asks). ask takes --limit. open takes --print.
ci takes --branch, --base, --commit, --repository, --metric, --dry-run and --no-comment.

Exit codes: 0 success, 1 rejected, 2 invalid usage, 3 the service cannot be reached or is unavailable,
4 (ci) a regression.`;

/** What is wrong with a word that is no command, and what to write instead. */
function unknownWords(name: string): string {
  if (name.startsWith('-')) return `Write a command before ${name}.`;
  const closest = nearest(name, [...Object.keys(commands), 'measure']);
  return `Unknown command "${name}".${closest === null ? '' : ` Closest: ${closest}.`}`;
}

/** Runs the client with the words behind its name, and answers its exit code. */
export async function runClient(args: readonly string[], world: World): Promise<number> {
  const [name, ...rest] = args;
  const command = name === undefined ? undefined : commands[name];
  if (name === undefined || name === 'help' || name === '--help' || rest.includes('--help')) {
    world.print(help);
    return name === undefined ? exitCodes.usage : exitCodes.ok;
  }
  try {
    if (command === undefined) throw new Failure(exitCodes.usage, unknownWords(name));
    return await command(rest, world);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    world.say(error.message);
    if (error.exitCode === exitCodes.usage) world.say(`${commandWords('--help')} lists commands and flags.`);
    return error.exitCode;
  }
}
