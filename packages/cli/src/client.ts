import { nearest } from '@inferboard/core/text/nearest';
import { commandWords } from '@inferboard/loadgen/view/command-words';
import { ask } from './commands/ask.ts';
import { ci } from './commands/ci.ts';
import { importFiles } from './commands/import.ts';
import { login } from './commands/login.ts';
import { open } from './commands/open.ts';
import { submit } from './commands/submit.ts';
import { commandHelp, describeClient, describeCommand } from './help.ts';
import { Refused } from './service.ts';
import { exitCodes, Failure, type World } from './world.ts';

type Command = (args: readonly string[], world: World) => Promise<number>;

/** `measure` is not among them: it is the load generator's own command line. */
const commands: Record<string, Command> = { submit, import: importFiles, ask, login, open, ci };

/** What is wrong with a word that is no command, and what to write instead. */
function unknownWords(name: string): string {
  if (name.startsWith('-')) return `Write a command before ${name}.`;
  const closest = nearest(name, Object.keys(commandHelp));
  return `Unknown command "${name}".${closest === null ? '' : ` Closest: ${closest}.`}`;
}

/** Runs the client with the words behind its name, and answers its exit code. */
export async function runClient(args: readonly string[], world: World): Promise<number> {
  const [name, ...rest] = args;
  const command = name === undefined ? undefined : commands[name];
  if (name === undefined || name === 'help' || args.some((word) => word === '--help' || word === '-h')) {
    // `help submit` is `submit --help`.
    world.print(describeCommand((name === 'help' ? rest[0] : name) ?? '') ?? describeClient());
    return name === undefined ? exitCodes.usage : exitCodes.ok;
  }
  try {
    if (command === undefined) throw new Failure(exitCodes.usage, unknownWords(name));
    return await command(rest, world);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error instanceof Refused && rest.includes('--json')) world.print(JSON.stringify(error.problem));
    else world.say(error.message);
    if (error.exitCode === exitCodes.usage)
      world.say(
        command === undefined
          ? `${commandWords('--help')} lists the commands.`
          : `${commandWords(name)} --help lists its flags.`,
      );
    return error.exitCode;
  }
}
