import { spawnSync } from 'node:child_process';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyCommand } from '../apps/site/src/features/submission/data/verify-command.ts';
import { nativeReport } from './support/hostile.ts';
import { type PackedClient, packClient, runToEnd } from './support/packed-client.ts';
import { createAccount, freePort, startTestServer, type TestServer } from './support/server.ts';

// The packed client in an empty folder, against a complete service, in separate processes.

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
/** A table of one row; each test sets a different speed. */
const table = (speed: number) => `| model | size | params | backend | ngl | test | t/s |
| --- | ---: | ---: | --- | --: | --: | ---: |
| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA | 99 | tg128 | ${speed} ± 0.31 |
`;

describe('the package', () => {
  test(`is at most ${megabytesMost} MB, has no dependencies, and includes its licences`, async () => {
    expect((await stat(client.tarball)).size).toBeLessThan(megabytesMost * 1024 ** 2);
    const { output } = await runToEnd('tar', ['-tzf', client.tarball], {
      cwd: client.folder,
      env: process.env as never,
    });
    expect(output).toContain('package/dist/LICENSE\n');
    expect(await readFile(join(client.main, '../THIRD-PARTY-LICENSES'), 'utf8')).toMatch(/^zod .*\(MIT\)/m);
    const { dependencies, bin } = JSON.parse(await readFile(join(client.main, '../../package.json'), 'utf8'));
    expect(dependencies).toBeUndefined();
    expect(bin).toEqual({ inferboard: 'dist/main.js' });
  });

  test('runs with npx in an empty folder, and prints a link to the result', async () => {
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

// The system's Node can be older than the project's, as a user's can.
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

  test('names the Node version that measure requires', async () => {
    const ended = await client.run(['measure', '--help'], old);
    expect(ended).toMatchObject({ code: 2, output: '' });
    expect(ended.errors).toMatch(/^measure needs Node 22\.19 or newer; this is 20\./);
  });
});

describe('submit', () => {
  test('reads standard input', async () => {
    const ended = await client.run(['submit', '-', ...facts], { env: as(), input: table(140.1) });
    expect(ended).toMatchObject({ code: 0, errors: '' });
    expect(ended.output).toMatch(/^Figures: {4}decode_tok_s 140\.1 tok\/s/m);
  });

  test('prints the JSON response of the service', async () => {
    const ended = await client.run(['submit', '-', '--json', ...facts], { env: as(), input: table(140.2) });
    const submission = JSON.parse(ended.output);
    expect(submission).toMatchObject({ status: 'accepted', result_count: 1 });
    expect((await pageOf(submission.links.page)).status).toBe(200);
  });

  test('requires no key if registration is open, and prints the claim link', async () => {
    const open = await startTestServer({ REGISTRATION: 'open', SAMPLE_DATA: 'false', ROLES: 'api' });
    try {
      const env = { INFERBOARD_URL: open.url };
      const ended = await client.run(['submit', '-', ...facts], { env, input: table(140.3) });
      expect(ended).toMatchObject({ code: 0, errors: '' });
      const claim = /^Claim it: +(\S+)$/m.exec(ended.output)?.[1] ?? '';
      expect(claim).toMatch(/\/submissions\/sub_[0-9a-f]+\/claim\?token=ibc_/);
      const id = /sub_[0-9a-f]+/.exec(claim)?.[0];
      expect(await (await fetch(`${open.url}/v1/submissions/${id}`)).json()).toMatchObject({ status: 'provisional' });
      const imported = await client.run(['import', fixture, '--json'], { env });
      expect(JSON.parse(imported.output)).toMatchObject({
        outcome: 'stored',
        claim: expect.stringContaining('token=ibc_'),
      });
      const printed = await client.run(['import', fixture], { env });
      expect(printed.output).toMatch(
        /: stored, 2 results, provisional: \S+\n {2}Claim it: \S+\/claim\?token=ibc_\w+\n$/,
      );
      // If registration is closed, the same command names the missing key.
      const closed = await client.run(['submit', '-', ...facts], {
        env: { INFERBOARD_URL: server.url },
        input: table(140.4),
      });
      expect(closed.code).not.toBe(0);
      expect(closed.errors).toMatch(/key/i);
    } finally {
      await open.dispose();
    }
  });

  test('stores nothing in a dry run', async () => {
    const ended = await client.run(['submit', '-', '--dry-run', ...facts], { env: as(), input: table(140.3) });
    expect(ended.code).toBe(0);
    expect(linkIn(ended.output)).toBe('none.');
  });

  test('lists the flags of missing facts if there is no terminal', async () => {
    const ended = await client.run(['submit', '-', '--model', 'unspecified'], { env: as(), input: table(140.4) });
    expect(ended).toMatchObject({ code: 1, output: '' });
    expect(ended.errors).toMatch(/^Error: Required facts are missing\./);
    expect(ended.errors).toMatch(/^Add: --gpu GPU {3}/m);
  });

  test('prompts for missing facts at a terminal, also if the file is piped in', async () => {
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

  test.each([
    [['submit', fixture, '--gpux', 'h100'], '--gpux is not an option. Closest: --gpu.'],
    [['submit', fixture, '--gpu'], '--gpu requires a value.'],
    [['sumbit', fixture], 'Unknown command "sumbit". Closest: submit.'],
    [['--json', 'submit', fixture], 'Write a command before --json.'],
    [['submit', 'no.json'], 'no.json does not exist.'],
    [
      ['submit', fixture, '--url', 'localhost:8787'],
      '"localhost:8787" is not an http or https URL. Write http://localhost:8787.',
    ],
    [['submit', fixture, '--gpu', 'CPU'], '--gpu: "CPU" does not name a device. If the model runs on a CPU, name it,'],
    [['submit', '.'], '. is a folder. To submit its files: inferboard import .'],
  ])('states how to fix %j', async (args, message) => {
    const ended = await client.run(args, { env: as() });
    expect(ended).toMatchObject({ code: 2, output: '' });
    expect(ended.errors).toContain(message);
  });

  test('accepts the URL of the service with /v1, and names the scheme of one without TLS', async () => {
    const dry = ['submit', fixture, '--dry-run', '--url'];
    expect(await client.run([...dry, `${server.url}/v1/`], { env: as() })).toMatchObject({ code: 0 });
    const ended = await client.run([...dry, server.url.replace('http:', 'https:')], { env: as() });
    expect(ended.code).toBe(3);
    expect(ended.errors).toContain('cannot be reached: its port does not use TLS. Use http:// instead of https://');
  });

  test('sends the other files if one is rejected', async () => {
    const ended = await client.run(['submit', join(client.main, '../LICENSE'), '-', ...facts], {
      env: as(),
      input: table(140.6),
    });
    expect(ended.code).toBe(1);
    expect(ended.errors).toMatch(/^Error: Unknown artifact format/);
    expect(ended.errors).toMatch(/\n {2}- Supported tools: .*aiperf, .*vllm bench serve, /);
    expect(ended.errors.split('\n').length).toBeLessThan(6);
    expect((await pageOf(linkIn(ended.output))).status).toBe(200);
  });

  test('stops at a key that the service rejects, and names a single error once', async () => {
    const wrong = as({ INFERBOARD_KEY: 'ib_wrong' });
    for (const command of ['submit', 'import']) {
      const ended = await client.run([command, fixture, fixture], { env: wrong });
      expect(ended.code).toBe(1);
      expect(ended.errors.match(/Error: Invalid key\./g)).toHaveLength(1);
      expect(ended.errors).toContain('Run inferboard login with another key, or set INFERBOARD_KEY.');
    }
    const binary = join(client.folder, 'binary');
    await writeFile(binary, Uint8Array.of(0x41, 0xff, 0xfe));
    const unreadable = await client.run(['submit', binary], { env: as() });
    expect(unreadable.errors.match(/is not UTF-8 text/g)).toHaveLength(1);
    expect(unreadable.errors).toContain('Save the file as UTF-8 and send it again.');
  });

  test('documents its exit codes for scripts', async () => {
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
  test('store a key readable only by the user, and send it only to its own service', async () => {
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
    expect(elsewhere.errors).toMatch(/^Error: Key required[\s\S]*Run inferboard login, or set INFERBOARD_KEY\.$/m);
  });

  test('replaces a damaged login, and registers no signing key that it cannot store', async () => {
    const env = { XDG_CONFIG_HOME: join(client.folder, 'damaged') };
    const file = join(client.folder, 'damaged/inferboard/config.json');
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, '{');
    const damaged = await client.run(['open', '--url', server.url], { env });
    expect(damaged).toMatchObject({ code: 2, errors: expect.stringContaining('Log in again: inferboard login') });
    const input = `${key}\n`;
    expect((await client.run(['login', '--url', server.url], { env, input })).code).toBe(0);
    expect((await client.run(['open'], { env })).code).toBe(0);

    const newcomer = await createAccount(server.url, 'has no folder');
    const blocked = { XDG_CONFIG_HOME: fixture };
    const ended = await client.run(['login', '--url', server.url], { env: blocked, input: `${newcomer}\n` });
    expect(ended).toMatchObject({ code: 2, output: '' });
    expect(ended.errors).toMatch(/config\.json cannot be written: .*\. Set XDG_CONFIG_HOME to another folder/);
    expect(ended.errors).not.toContain('    at ');
    const keys = await fetch(`${server.url}/v1/signing-keys`, { headers: { authorization: `Bearer ${newcomer}` } });
    expect(await keys.json()).toMatchObject({ data: [] });
  });

  test('print the page of an id', async () => {
    const ended = await client.run(['open', 'sys_1', '--json'], { env: as() });
    expect(JSON.parse(ended.output)).toEqual({ link: `${server.url}/systems/sys_1` });
  });
});

describe('a signed submission', () => {
  const home = (name: string) => join(client.folder, name);
  const configOf = (name: string) => join(home(name), 'inferboard', 'config.json');
  const readConfig = async (name: string) => JSON.parse(await readFile(configOf(name), 'utf8'));
  const logIn = (name: string, apiKey = key) =>
    client.run(['login', '--url', server.url, '--json'], { env: { XDG_CONFIG_HOME: home(name) }, input: apiKey });
  const submit = (name: string, artifact: string, more: Record<string, string> = {}) =>
    client.run(['submit', '-', '--json', ...facts], { env: { XDG_CONFIG_HOME: home(name), ...more }, input: artifact });
  const revoke = (id: string) =>
    fetch(`${server.url}/v1/signing-keys/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${key}` } });

  test("is the default after login: the private key stays in the user's file", async () => {
    const login = JSON.parse((await logIn('signs')).output);
    expect(login.signing_key).toEqual({
      id: expect.stringMatching(/^sgk_/),
      fingerprint: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    expect((await stat(configOf('signs'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(home('signs'), 'inferboard'))).mode & 0o777).toBe(0o700);
    const ended = await submit('signs', table(161.1));
    expect(ended).toMatchObject({ code: 0, errors: '' });
    const { id, signed } = JSON.parse(ended.output);
    expect(signed).toMatchObject({ key_id: login.signing_key.id, fingerprint: login.signing_key.fingerprint });
    // The command on the page, run in a shell.
    const page = await (await fetch(`${server.url}/submissions/${id}`)).text();
    expect(page).toContain(login.signing_key.fingerprint);
    const command = verifyCommand(signed, `${server.url}/v1/submissions/${id}/artifact`);
    const run = (script: string) =>
      runToEnd('sh', ['-e', '-c', script], { cwd: client.folder, env: { PATH: process.env.PATH ?? '' } });
    expect(await run(command)).toMatchObject({ code: 0, output: 'Signature Verified Successfully\n' });
    const last = command.split('\n').at(-1);
    const changed = await run(`printf x >> artifact; ${last}`);
    expect(changed.code).not.toBe(0);
    expect(changed.output).toBe('Signature Verification Failure\n');
    const { signing } = await readConfig('signs');
    for (const text of [ended.output, JSON.stringify(login)])
      expect(text).not.toContain(signing.private_key.slice(30, 80));
  });

  test('uses the same key after the next login, and a new one after a revocation', async () => {
    const first = JSON.parse((await logIn('again')).output).signing_key.id;
    expect(JSON.parse((await logIn('again')).output).signing_key.id).toBe(first);
    expect((await revoke(first)).status).toBe(204);
    const refused = await client.run(['submit', '-', ...facts], {
      env: { XDG_CONFIG_HOME: home('again') },
      input: table(161.2),
    });
    expect(refused).toMatchObject({ code: 1, output: '' });
    expect(refused.errors).toContain('This signing key is revoked and can no longer sign. Run inferboard login');
    const next = JSON.parse((await logIn('again')).output).signing_key.id;
    expect(next).not.toBe(first);
    expect(JSON.parse((await submit('again', table(161.2))).output).signed.key_id).toBe(next);
  });

  test('requires the API key of the login: submissions with another key are unsigned', async () => {
    await logIn('two accounts');
    const other = await createAccount(server.url, 'another account');
    const env = { INFERBOARD_KEY: other };
    expect(JSON.parse((await submit('two accounts', table(161.3), env)).output).signed).toBeNull();
    expect(JSON.parse((await submit('nobody', table(161.4), as())).output).signed).toBeNull();
  });

  test('is impossible with a submit-only key, which login reports', async () => {
    const response = await fetch(`${server.url}/v1/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ scopes: ['submit'] }),
    });
    const { key: narrow } = (await response.json()) as { key: string };
    const ended = await client.run(['login', '--url', server.url], {
      env: { XDG_CONFIG_HOME: home('narrow') },
      input: narrow,
    });
    expect(ended.code).toBe(0);
    expect(ended.output).toMatch(/^Submissions are not signed: A key with the scope "keys" is required/m);
    expect(JSON.parse((await submit('narrow', table(161.5))).output).signed).toBeNull();
  });

  test('needs only OpenSSL, as documented in docs/cli.md', async () => {
    const owner = await createAccount(server.url, 'without the client');
    const env = { PATH: process.env.PATH ?? '', URL: server.url, KEY: owner };
    const me = await fetch(`${server.url}/v1/me`, { headers: { authorization: `Bearer ${owner}` } });
    const { account } = (await me.json()) as { account: { id: string } };
    const text = await readFile(new URL('../docs/cli.md', import.meta.url), 'utf8');
    const section = text.slice(text.indexOf('## Signed submissions'), text.indexOf('## Missing facts'));
    const [register = '', send = ''] = [...section.matchAll(/```\n([^`]+)```/g)].map(([, block]) => block);
    const run = async (script: string) => {
      const ended = await runToEnd('sh', ['-e', '-c', script], { cwd: client.folder, env });
      return JSON.parse(ended.output);
    };
    const made = await run(register.replace('acc_...', account.id));
    expect(made).toMatchObject({ id: expect.stringMatching(/^sgk_/), revoked_at: null });
    const artifact = nativeReport({ scenario: { input_tokens: 333, output_tokens: 20 } });
    await writeFile(join(client.folder, 'result.json'), artifact);
    const submission = await run(send.replace('sgk_...', made.id));
    expect(submission.signed).toMatchObject({ key_id: made.id, public_key: made.public_key });
  });

  test('is stored in a private file, also if an earlier file was readable', async () => {
    await mkdir(join(home('open'), 'inferboard'), { recursive: true });
    await writeFile(configOf('open'), JSON.stringify({ url: server.url, key: 'ib_old' }), { mode: 0o644 });
    expect((await logIn('open')).code).toBe(0);
    expect((await stat(configOf('open'))).mode & 0o777).toBe(0o600);
    expect((await readConfig('open')).signing.private_key).toContain('BEGIN PRIVATE KEY');
  });
});

describe('ask', () => {
  const question = 'fastest quantization for decode-bound';

  test('prints a table', async () => {
    const ended = await client.run(['ask', question], { env: as() });
    expect(ended).toMatchObject({ code: 0, errors: '' });
    expect(ended.output).toMatch(/^rank +\S+_tok_s.* +95 % +n +model +quantization +gpu +engine +load +trust$/m);
    expect(ended.output).toMatch(/^ +1 /m);
    expect(linkIn(ended.output)).toContain(server.url.replace('127.0.0.1', 'localhost'));
  });

  test('prints what fits in memory, with the arithmetic and the ignored words', async () => {
    const ended = await client.run(['ask', 'what runs on 2x3090 please'], { env: as() });
    expect(ended).toMatchObject({ code: 0, errors: '' });
    expect(ended.output).toMatch(/^Parsed as: .*gpu=rtx-3090, gpu_count=2$/m);
    expect(ended.output).toMatch(/^Ignored: +please$/m);
    expect(ended.output).toMatch(/^fits +needs +model +quantization +how$/m);
    expect(ended.output).toMatch(/^yes +[\d.]+ GB .*bits ÷ 8/m);
  });

  test.each([['x'], ['0'], ['1.5']])('rejects --limit %s', async (limit) => {
    const message = `--limit must be a whole number from 1 to 999999, not "${limit}".`;
    const ended = await client.run(['ask', '--limit', limit, question], { env: as() });
    expect(ended).toMatchObject({ code: 2, output: '', errors: expect.stringContaining(message) });
  });

  test('prints JSON, and returns an error for an invalid question', async () => {
    const ended = await client.run(['ask', '--json', question], { env: as() });
    expect(JSON.parse(ended.output).data.length).toBeGreaterThan(0);
    const refused = await client.run(['ask', 'colourless green ideas'], { env: as() });
    expect(refused).toMatchObject({ code: 1, output: '' });
    const asJson = await client.run(['ask', '--json', 'colourless green ideas'], { env: as() });
    expect(asJson).toMatchObject({ code: 1, errors: '' });
    expect(JSON.parse(asJson.output)).toMatchObject({ code: 'query_not_understood', status: 422 });
  });
});

describe('measure', () => {
  test('runs the load generator', async () => {
    const ended = await client.run(['measure', '--help']);
    expect(ended.code).toBe(0);
    expect(ended.output).toContain('--concurrency');
  });
});

describe('import', () => {
  test('submits every file of a folder, and detects duplicates the second time', async () => {
    const folder = join(client.folder, 'runs');
    await mkdir(join(folder, 'node_modules'), { recursive: true });
    await mkdir(join(folder, 'b'));
    await writeFile(join(folder, 'a.txt'), table(151.1));
    await writeFile(join(folder, 'b', 'b.txt'), table(152.1));
    await writeFile(join(folder, 'c.txt'), 'nothing that any tool wrote');
    await writeFile(join(folder, 'node_modules', 'd.txt'), table(153.1));
    const dry = await client.run(['import', folder, '--dry-run', ...facts], { env: as() });
    expect(dry.output.match(/: would store, 1 result/g)).toHaveLength(2);
    const lacking = await client.run(['import', join(folder, 'a.txt'), '--gpu', 'rtx-3090', '--gpu-count', '0'], {
      env: as(),
    });
    expect(lacking.output).toContain('a.txt: rejected: --gpu-count must be at least 1');
    // The records of a measurement without a complete point are empty.
    const unfinished = join(client.folder, 'unfinished');
    await mkdir(unfinished);
    const records = join(unfinished, 'a.jsonl');
    await writeFile(records, '');
    await writeFile(`${records}.journal`, '');
    await writeFile(join(unfinished, 'b.txt'), table(151.1));
    const rest = await client.run(['import', unfinished, '--dry-run', ...facts], { env: as() });
    expect(rest).toMatchObject({ code: 2, errors: expect.stringContaining('3 files: 2 rejected, 1 would store.') });
    expect(rest.output).toContain(`${records} is empty. Its measurement is not complete.`);
    expect(rest.output).toContain(`inferboard measure --resume ${records}\n`);
    const first = await client.run(['import', folder, ...facts], { env: as() });
    expect(first).toMatchObject({ code: 1, errors: expect.stringContaining('3 files: 2 stored, 1 rejected.') });
    const [a, b, c] = first.output.trimEnd().split('\n');
    expect(a).toMatch(/a\.txt: stored, 1 result: http\S+$/);
    expect((await pageOf(/http\S+$/.exec(a ?? '')?.[0] ?? '')).status).toBe(200);
    expect(b).toContain('stored, 1 result');
    expect(c).toContain('c.txt: rejected: The artifact begins with: nothing that any tool wrote');
    // The tools are not listed for each file.
    expect(c).not.toContain('AIPerf');
    expect(c?.length).toBeLessThan(500);
    const again = await client.run(['import', join(folder, 'a.txt'), join(folder, 'b'), '--json', ...facts], {
      env: as(),
    });
    expect(again).toMatchObject({ code: 0, errors: expect.stringContaining('2 files: 2 known.') });
    expect(
      again.output
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).outcome),
    ).toEqual(['known', 'known']);
    const dryAgain = await client.run(['import', folder, '--dry-run', ...facts], { env: as() });
    expect(dryAgain.errors).toContain('3 files: 2 known, 1 rejected.');
  });

  test('names the files that it cannot read', async () => {
    const ended = await client.run(['import', join(client.folder, 'no-such-folder')], { env: as() });
    expect(ended).toMatchObject({ code: 2, output: '' });
    expect(ended.errors).toContain('no-such-folder does not exist.');
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

  test('submits with the standard library only, and prints the link', async () => {
    const ended = await python(['-', ...given], table(138.1));
    expect(ended).toMatchObject({ code: 0, errors: '' });
    expect((await pageOf(linkIn(ended.output))).status).toBe(200);
  });

  test('reports errors', async () => {
    const refused = await python(['-'], table(138.2));
    expect(refused).toMatchObject({ code: 1, output: '' });
    expect(refused.errors).toMatch(/^Error: Required facts are missing\./);
    const unreachable = await python(['-'], 'x', { INFERBOARD_URL: `http://127.0.0.1:${await freePort()}` });
    expect(unreachable.errors).toContain('cannot be reached');
    expect((await python([])).errors).toContain('submit.py FILE');
    expect((await python(['none.json'])).errors).toBe('none.json cannot be read: No such file or directory\n');
    const anonymous = await python(['-', ...given], table(138.3), { INFERBOARD_KEY: '' });
    expect(anonymous.errors).toMatch(/^Error: Key required\./);
  });
});
