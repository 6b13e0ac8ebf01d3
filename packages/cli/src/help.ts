import { commandWords } from '@inferboard/loadgen/view/command-words';
import { facts, flagOf } from './facts.ts';

/** What `--help` prints of a command. */
interface CommandHelp {
  /** What follows the name of the command. */
  words: string;
  what: string;
  /** Flags with their values, and what they do. */
  flags: Readonly<Record<string, string>>;
  /** True if the command accepts the facts of a system. */
  hasFacts: boolean;
  example: string;
}

const dryRun = { 'dry-run': 'stores nothing' } as const;

/** The commands, in the order of `--help`. */
export const commandHelp: Readonly<Record<string, CommandHelp>> = {
  submit: {
    words: 'FILE... | -',
    what: 'submits files or standard input; prints a verdict and a link',
    flags: { ...dryRun, 'no-input': 'never asks for missing facts' },
    hasFacts: true,
    example: 'result.json --gpu h100-sxm --quantization fp8',
  },
  import: {
    words: 'FILE|DIR...',
    what: 'submits every file of a folder; prints one line per file',
    flags: dryRun,
    hasFacts: true,
    example: 'results/ --gpu h100-sxm',
  },
  ask: {
    words: '"QUESTION"',
    what: 'answers a question with a table',
    flags: { 'limit N': 'maximum number of rows; default: 20' },
    hasFacts: false,
    example: '"best model under 20ms ITL on H100"',
  },
  login: { words: '', what: 'stores your key', flags: {}, hasFacts: false, example: '--url https://bench.example.org' },
  open: {
    words: '[ID]',
    what: 'opens the page of an id, or of your newest submission',
    flags: { print: 'prints the URL only' },
    hasFacts: false,
    example: '',
  },
  measure: {
    words: '--url SERVER',
    what: 'measures a model server',
    flags: {},
    hasFacts: false,
    example: '--url http://127.0.0.1:8000',
  },
  ci: {
    words: 'FILE...',
    what: 'submits, and compares with the latest results of the base branch',
    flags: {
      'branch NAME': 'branch that was measured; default: that of the GitHub Actions job',
      'base NAME': 'branch to compare with; default: that of the pull request, or the measured branch',
      'commit SHA': 'commit that was measured; default: that of the job',
      'repository NAME': 'repository; default: that of the job',
      'metric LIST': 'metrics to compare, separated by commas',
      ...dryRun,
      'no-comment': 'writes no comment on the pull request',
    },
    hasFacts: true,
    example: 'result.json --base main',
  },
};

const commonFlags = {
  'url URL': 'the service; default: INFERBOARD_URL, then the URL of login, then http://localhost:8787',
  json: 'prints the response of the service unchanged',
} as const;

const exitCodes = `Exit codes: 0 success, 1 rejected, 2 invalid usage, 3 the service cannot be reached or is unavailable,
4 (ci) a regression.`;

function listFlags(flags: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(flags).map((flag) => flag.length));
  return Object.entries(flags)
    .map(([flag, what]) => `  --${flag.padEnd(width)}  ${what}`)
    .join('\n');
}

/** `inferboard --help`. */
export function describeClient(): string {
  const usages = Object.entries(commandHelp).map(([name, { words }]) => `inferboard ${name} ${words}`.trimEnd());
  const width = Math.max(...usages.map((usage) => usage.length));
  const lines = Object.values(commandHelp).map(({ what }, at) => `  ${(usages[at] ?? '').padEnd(width)}  ${what}`);
  return `inferboard: submits benchmark results to an Inferboard service, and queries it.

${lines.join('\n')}
  ${'inferboard --version'.padEnd(width)}  prints the version

Flags of every command except measure:
${listFlags(commonFlags)}
INFERBOARD_KEY is the key. Without it, the key of login is used.

${commandWords('COMMAND')} --help lists the flags of a command.

${exitCodes}`;
}

/** `inferboard submit --help`; null if there is no such command. */
export function describeCommand(name: string): string | null {
  const help = Object.hasOwn(commandHelp, name) ? commandHelp[name] : undefined;
  if (help === undefined) return null;
  const { words, what, flags, hasFacts, example } = help;
  const command = commandWords(name);
  const given = Object.fromEntries(Object.entries(facts).map(([fact, means]) => [`${flagOf(fact)} VALUE`, means]));
  return [
    `${command} ${words}`.trimEnd(),
    `${what[0]?.toUpperCase()}${what.slice(1)}.`,
    ...(example === '' ? [] : [`  ${command} ${example}`]),
    `Flags:\n${listFlags({ ...flags, ...commonFlags })}`,
    ...(hasFacts ? [`Facts that the file does not state:\n${listFlags(given)}`] : []),
    exitCodes,
  ].join('\n\n');
}
