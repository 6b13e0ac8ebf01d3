import { ask } from './commands/ask.ts';
import { ci } from './commands/ci.ts';
import { login } from './commands/login.ts';
import { open } from './commands/open.ts';
import { submit } from './commands/submit.ts';
import { facts, flagOf } from './facts.ts';
import { exitCodes, Failure, type World } from './world.ts';

type Command = (args: readonly string[], world: World) => Promise<number>;

/** `measure` is not among them: it is the load generator's own command line. */
const commands: Record<string, Command> = { submit, ask, login, open, ci };

const factLines = Object.entries(facts)
  .map(([name, what]) => `  --${flagOf(name).padEnd(18)} ${what}`)
  .join('\n');

const help = `inferboard: sends benchmark results to an Inferboard, and asks it.

  inferboard submit FILE... | -     send files, or what is piped in; prints a verdict and a link
  inferboard ask "QUESTION"         answers a question with a table
  inferboard login                  keeps a key for you
  inferboard open [ID]              shows a page: that of an id, or of your newest submission
  inferboard measure --url SERVER   measures a model server; measure --help lists its options
  inferboard ci FILE...             submits, and compares with the last results of the base branch

Every command but measure takes:
  --url URL            the service; INFERBOARD_URL, then that of login, then http://localhost:8787
  --json               prints the service's answer as it is
INFERBOARD_KEY is the key; without it that of login.

submit and ci take facts that a file does not state:
${factLines}
submit takes --dry-run (nothing is stored) and --no-input (never asks). ask takes --limit. open takes --print.
ci takes --branch, --base, --commit, --repository, --metric, --dry-run and --no-comment.

Exit codes: 0 stored or answered, 1 refused, 2 wrong usage, 3 the service cannot be reached or cannot answer now,
4 (ci) a regression.`;

/** Runs the client with the words behind its name, and answers its exit code. */
export async function runClient(args: readonly string[], world: World): Promise<number> {
  const [name, ...rest] = args;
  const command = name === undefined ? undefined : commands[name];
  if (name === undefined || name === 'help' || name === '--help' || rest.includes('--help')) {
    world.print(help);
    return name === undefined ? exitCodes.usage : exitCodes.ok;
  }
  try {
    if (command === undefined) throw new Failure(exitCodes.usage, `There is no command "${name}".`);
    return await command(rest, world);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    world.say(error.message);
    if (error.exitCode === exitCodes.usage) world.say('inferboard --help lists commands and flags.');
    return error.exitCode;
  }
}
