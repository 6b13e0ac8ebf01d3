import { spawnSync } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PackedClient, packClient, runToEnd } from './support/packed-client.ts';
import { createAccount, freePort, startTestServer, type TestServer } from './support/server.ts';

// The client as somebody gets it: packed, in an empty folder, against a whole service, in processes of their own.

const sample = (file: string) => fileURLToPath(new URL(`../packages/db/sample/${file}`, import.meta.url));
const fixture = sample('llama-bench/llama-2-7b-400w.txt');
const facts = ['--model', 'meta-llama/Llama-2-7b-hf', '--gpu', 'rtx-3090', '--gpu-count', '1'];
const megabytesMost = 3;

let server: TestServer;
let client: PackedClient;
let key: string;
beforeAll(async () => {
  [server, client] = await Promise.all([startTestServer(), packClient()]);
  key = await createAccount(server.url, 'newcomer');
});
afterAll(async () => {
  await server?.dispose();
  await client?.remove();
});

const as = (more: Record<string, string> = {}) => ({ INFERBOARD_URL: server.url, INFERBOARD_KEY: key, ...more });
const linkIn = (output: string) => /^Link: +(\S+)/m.exec(output)?.[1] ?? '';
const pageOf = (link: string) => fetch(`${server.url}${new URL(link).pathname}`);
/** A table of one row, which each test fills with a speed of its own. */
const table = (speed: number) => `| model | size | params | backend | ngl | test | t/s |
| --- | ---: | ---: | --- | --: | --: | ---: |
| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA | 99 | tg128 | ${speed} ± 0.31 |
`;

describe('the package', () => {
  test(`is at most ${megabytesMost} MB, has no dependencies, and carries its licences`, async () => {
    expect((await stat(client.tarball)).size).toBeLessThan(megabytesMost * 1024 ** 2);
    const { output } = await runToEnd('tar', ['-tzf', client.tarball], {
      cwd: client.folder,
      env: process.env as never,
    });
    expect(output).toContain('package/dist/LICENSE\n');
    expect(await readFile(join(client.main, '../THIRD-PARTY-LICENSES'), 'utf8')).toMatch(/^undici .*\(MIT\)/m);
    const { dependencies, bin } = JSON.parse(await readFile(join(client.main, '../../package.json'), 'utf8'));
    expect(dependencies).toBeUndefined();
    expect(bin).toEqual({ inferboard: 'dist/main.js' });
  });

  test('runs by npx in an empty folder, and prints a link that leads to the result', async () => {
    const env = { PATH: process.env.PATH ?? '', HOME: client.folder, npm_config_offline: 'true', ...as() };
    const started = performance.now();
    const ended = await runToEnd('npx', ['--yes', `../${basename(client.tarball)}`, 'submit', fixture], {
      cwd: client.folder,
      env,
    });
    console.log(`npx and a submission: ${((performance.now() - started) / 1000).toFixed(1)} s`);
    expect(ended).toMatchObject({ code: 0 });
    const lines = ended.output.trimEnd().split('\n');
    expect(lines.map((line) => line.split(':')[0])).toEqual(['Recognised', 'Figures', 'Findings', 'Rank', 'Link']);
    const page = await pageOf(linkIn(ended.output));
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('RTX PRO 6000');
  });
});

// The Node of the system may be older than the project's own, as a user's may be.
const otherNode = ['/usr/bin/node', '/usr/local/bin/node', '/opt/homebrew/bin/node'].find((path) => {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return stdout?.startsWith('v20.');
});

describe.runIf(otherNode !== undefined)('on Node 20', () => {
  const old = { node: otherNode ?? '' };

  test('submits and asks', async () => {
    const stored = await client.run(['submit', '-', ...facts], { ...old, env: as(), input: table(139.1) });
    expect(stored).toMatchObject({ code: 0, errors: '' });
    expect((await pageOf(linkIn(stored.output))).status).toBe(200);
    expect(await client.run(['ask', 'fastest quantization for decode-bound'], { ...old, env: as() })).toMatchObject({
      code: 0,
      errors: '',
    });
  });

  test('says which Node measure needs', async () => {
    const ended = await client.run(['measure', '--help'], old);
    expect(ended).toMatchObject({ code: 2, output: '' });
    expect(ended.errors).toMatch(/^measure needs Node 22\.19 or newer; this is 20\./);
  });
});

describe('submit', () => {
  test('takes what is piped in', async () => {
    const ended = await client.run(['submit', '-', ...facts], { env: as(), input: table(140.1) });
    expect(ended).toMatchObject({ code: 0, errors: '' });
    expect(ended.output).toMatch(/^Figures: {4}decode_tok_s 140\.1 tok\/s/m);
  });

  test('prints the JSON of the service', async () => {
    const ended = await client.run(['submit', '-', '--json', ...facts], { env: as(), input: table(140.2) });
    const submission = JSON.parse(ended.output);
    expect(submission).toMatchObject({ status: 'accepted', result_count: 1 });
    expect((await pageOf(submission.links.page)).status).toBe(200);
  });

  test('stores nothing on a dry run', async () => {
    const ended = await client.run(['submit', '-', '--dry-run', ...facts], { env: as(), input: table(140.3) });
    expect(ended.code).toBe(0);
    expect(linkIn(ended.output)).toBe('none.');
  });

  test('lists the flags of missing facts where nobody can be asked', async () => {
    const ended = await client.run(['submit', '-', '--model', 'unspecified'], { env: as(), input: table(140.4) });
    expect(ended).toMatchObject({ code: 1, output: '' });
    expect(ended.errors).toMatch(/^Refused: Required facts are missing\./);
    expect(ended.errors).toMatch(/^Add: --gpu GPU {3}/m);
  });

  test('asks for missing facts at a terminal, also where the file is piped in', async () => {
    const command = `cat result.txt | "$NODE" "$MAIN" submit -`;
    const script = `
import os, pty, signal, sys
signal.alarm(120)  # a prompt that never comes is a failure
pid, fd = pty.fork()
if pid == 0:
    os.execvp("sh", ["sh", "-c", ${JSON.stringify(command)}])
text = b""
answers = [("model", "meta-llama/Llama-2-7b-hf"), ("gpu", "rtx-4090"), ("gpu-count", "1")]
seen = 0
while True:
    try:
        chunk = os.read(fd, 4096)
    except OSError:
        break
    text += chunk
    asked = answers and text.find((answers[0][0] + " (").encode(), seen)
    end = text.find(b"): ", asked) if answers and asked >= 0 else -1
    if end >= 0:
        seen = end
        os.write(fd, (answers.pop(0)[1] + "\\n").encode())
sys.stdout.write(text.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;
    await writeFile(join(client.folder, 'result.txt'), table(140.5));
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: client.folder,
      NODE: process.execPath,
      MAIN: client.main,
      ...as(),
    };
    const ended = await runToEnd('python3', ['-c', script], { cwd: client.folder, env });
    expect(ended.output).toContain('model (');
    expect(ended.output).toMatch(/Recognised: .*RTX 4090/);
    expect(ended.code).toBe(0);
  });

  test('sends the other files where one is refused', async () => {
    const ended = await client.run(['submit', join(client.main, '../LICENSE'), '-', ...facts], {
      env: as(),
      input: table(140.6),
    });
    expect(ended.code).toBe(1);
    expect(ended.errors).toMatch(/^Refused: No known tool wrote this/);
    expect((await pageOf(linkIn(ended.output))).status).toBe(200);
  });

  test('says which exit code a script gets', async () => {
    const codes = async (args: string[], env: Record<string, string>) => (await client.run(args, { env })).code;
    expect(await codes(['submit'], as())).toBe(2);
    expect(await codes(['submit', 'not-there.json'], as())).toBe(2);
    expect(await codes(['submit', fixture, '--frobnicate'], as())).toBe(2);
    expect(await codes(['frobnicate'], as())).toBe(2);
    expect(await codes(['submit', fixture], as({ INFERBOARD_KEY: 'ib_wrong' }))).toBe(1);
    expect(await codes(['submit', fixture], as({ INFERBOARD_URL: `http://127.0.0.1:${await freePort()}` }))).toBe(3);
    expect(await codes(['submit', fixture], as({ INFERBOARD_URL: 'ftp://example.org' }))).toBe(2);
    expect(await codes(['--help'], {})).toBe(0);
  });
});

describe('login and open', () => {
  test('keeps a key that works for the user alone, and uses it for its own service alone', async () => {
    const config = join(client.folder, 'config');
    const env = { XDG_CONFIG_HOME: config };
    const refused = await client.run(['login', '--url', server.url], { env, input: 'ib_wrong\n' });
    expect(refused.code).toBe(1);
    const ended = await client.run(['login', '--url', server.url], { env, input: `${key}\n` });
    expect(ended).toMatchObject({ code: 0, errors: '' });
    expect(ended.output).toContain(`Logged in to ${server.url} as newcomer (submit, run, keys).`);
    expect(ended.output).not.toContain(key);
    const file = join(config, 'inferboard/config.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const stored = await client.run(['submit', '-', ...facts], { env, input: table(140.7) });
    expect(stored.code).toBe(0);
    const newest = await client.run(['open'], { env });
    expect(newest).toMatchObject({ code: 0, output: `${linkIn(stored.output)}\n` });
    const elsewhere = await client.run(['open', '--url', server.url.replace('127.0.0.1', 'localhost')], { env });
    expect(elsewhere.errors).toMatch(/^Refused: A key is needed/);
  });

  test('prints the page of an id', async () => {
    const ended = await client.run(['open', 'sys_1', '--json'], { env: as() });
    expect(JSON.parse(ended.output)).toEqual({ link: `${server.url}/systems/sys_1` });
  });
});

describe('ask', () => {
  const question = 'fastest quantization for decode-bound';

  test('answers with a table', async () => {
    const ended = await client.run(['ask', question], { env: as() });
    expect(ended).toMatchObject({ code: 0, errors: '' });
    expect(ended.output).toMatch(/^rank +\S+_tok_s.* +95 % +n +model +quantization +gpu +engine +load +trust$/m);
    expect(ended.output).toMatch(/^ +1 /m);
    expect(linkIn(ended.output)).toContain(server.url.replace('127.0.0.1', 'localhost'));
  });

  test('prints JSON, and refuses what is no question', async () => {
    const ended = await client.run(['ask', '--json', question], { env: as() });
    expect(JSON.parse(ended.output).data.length).toBeGreaterThan(0);
    const refused = await client.run(['ask', 'colourless green ideas'], { env: as() });
    expect(refused).toMatchObject({ code: 1, output: '' });
  });
});

describe('measure', () => {
  test('is the load generator', async () => {
    const ended = await client.run(['measure', '--help']);
    expect(ended.code).toBe(0);
    expect(ended.output).toContain('--concurrency');
  });
});

describe('examples/submit.py', () => {
  const script = fileURLToPath(new URL('../examples/submit.py', import.meta.url));
  const python = (args: string[], input = '', more = {}) =>
    runToEnd('python3', [script, ...args], {
      cwd: client.folder,
      env: { PATH: process.env.PATH ?? '', ...as(more) },
      input,
    });
  const given = ['model=meta-llama/Llama-2-7b-hf', 'gpu=rtx-3090', 'gpu_count=1'];

  test('submits with the standard library alone, and prints the link', async () => {
    const ended = await python(['-', ...given], table(138.1));
    expect(ended).toMatchObject({ code: 0, errors: '' });
    expect((await pageOf(linkIn(ended.output))).status).toBe(200);
  });

  test('says what is wrong', async () => {
    const refused = await python(['-'], table(138.2));
    expect(refused).toMatchObject({ code: 1, output: '' });
    expect(refused.errors).toMatch(/^Refused: Required facts are missing\./);
    const unreachable = await python(['-'], 'x', { INFERBOARD_URL: `http://127.0.0.1:${await freePort()}` });
    expect(unreachable.errors).toContain('cannot be reached');
    expect((await python([])).errors).toContain('submit.py FILE');
  });
});
