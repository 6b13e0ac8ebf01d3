import { expect, test } from 'vitest';
import { runClient } from './client.ts';
import { commandHelp, describeClient, describeCommand } from './help.ts';
import type { World } from './world.ts';

/** Runs the client without a service; returns its exit code and what it printed. */
const run = (...args: string[]) => runWith({}, args);
async function runWith(env: Record<string, string>, args: readonly string[]) {
  const [printed, said]: [string[], string[]] = [[], []];
  const world: World = {
    env: { INFERBOARD_URL: 'http://127.0.0.1:1', XDG_CONFIG_HOME: '/nonexistent', ...env },
    localLogin: null,
    print: (text) => printed.push(text),
    say: (text) => said.push(text),
    readInput: async () => new Uint8Array(),
    isRead: false,
    openTerminal: () => null,
  };
  return { code: await runClient(args, world), output: printed.join('\n'), errors: said.join('\n') };
}

const own = Object.keys(commandHelp).filter((name) => name !== 'measure');

test('the help of a command has its flags and those of every command', async () => {
  const { code, output } = await run('import', '--help');
  expect(code).toBe(0);
  expect(output).toMatch(/^inferboard import FILE\|DIR\.\.\.\n\nSubmits every file of a folder/);
  for (const flag of ['--dry-run', '--url URL', '--gpu-count VALUE']) expect(output).toContain(flag);
  expect(output).not.toContain('--limit');
  expect((await run('help', 'import')).output).toBe(output);
  for (const flag of ['--help', '-h']) expect((await run('import', 'x.json', flag)).output).toBe(output);
});

test('without a command, or with an unknown one, the commands are listed', async () => {
  for (const args of [['--help'], ['-h'], ['help'], ['frobnicate', '--help']])
    expect(await run(...args)).toEqual({ code: 0, output: describeClient(), errors: '' });
  for (const name of own) expect(describeClient()).toContain(`inferboard ${name}`);
  expect((await run()).code).toBe(2);
});

test.each(own)('every flag in the help of %s is one of the command', async (name) => {
  const flags = describeCommand(name)?.match(/(?<=^ {2}--)[a-z-]+(?: [A-Z]+)?/gm) ?? [];
  expect(flags.length).toBeGreaterThanOrEqual(2);
  const args = flags
    .filter((flag) => !flag.startsWith('url '))
    .flatMap((flag) => {
      const [word = '', value] = flag.split(' ');
      return value === undefined ? [`--${word}`] : [`--${word}`, '1'];
    });
  expect((await run(name, ...args)).errors).not.toContain('is not an option');
});

test('an error names the help of its command', async () => {
  const { code, errors } = await run('submit', 'x.json', '--gpus', '8');
  expect(code).toBe(2);
  expect(errors).toContain('--gpus is not an option');
  expect(errors).toMatch(/submit --help lists its flags\.$/);
});

test('a flag with two values is rejected', async () => {
  expect(await run('submit', 'x.json', '--gpu', 'h100-sxm', '--dry-run', '--dry-run', '--gpu', 'h200')).toEqual({
    ...{ code: 2, output: '' },
    errors: '--gpu was given twice. Give one value.\ninferboard submit --help lists its flags.',
  });
});

test('a key with characters that a header cannot have is rejected and not printed', async () => {
  for (const key of ['ib_a\nb', 'ib_é', 'ib_\u2028x'])
    expect(await runWith({ INFERBOARD_KEY: key }, ['submit', 'x.json'])).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/^The key has characters that no key has\. Copy it again, without line breaks\.\n/),
    });
});
