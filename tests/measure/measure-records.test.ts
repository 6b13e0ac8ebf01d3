import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readArtifact } from '../../packages/core/src/adapters/index.ts';
import { isFresh } from '../setup/seed.ts';
import { createMeasureCommand, type MeasureCommand } from '../support/measure-command.ts';
import { createAccount, startTestServer, type TestServer } from '../support/server.ts';

// Measured records are on disk, regardless of how the measurement ends.

let command: MeasureCommand;
beforeAll(async () => {
  command = await createMeasureCommand();
});
afterAll(() => command.dispose());

const small = ['--input-tokens', '64', '--output-tokens', '16', '--seed', '7', '--warmup', '0'];
const points = ['--concurrency', '2,4', '--requests', '60'];

const readPoints = async (file: string) =>
  readArtifact(await readFile(file)).results.map(({ load, requests, extra }) => ({
    level: load?.level,
    requests: requests?.length,
    cut: extra?.cut_short,
  }));

const countLines = async (file: string, word: string) =>
  (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line.includes(word)).length;

describe('a killed process', () => {
  test('leaves every earlier response on disk, and --resume measures the rest', async () => {
    const out = join(command.folder, 'killed.jsonl');
    const journal = `${out}.journal`;
    const { url } = await command.serve({ itlMs: 5 });
    const running = command.start(['--url', url, ...small, ...points, '--out', out]);
    // The first point is complete, and the second has some responses.
    await expect.poll(() => countLines(journal, '"line"'), { timeout: 60_000 }).toBe(1);
    await expect.poll(() => countLines(journal, '"request"'), { timeout: 60_000 }).toBeGreaterThan(3);
    if (existsSync('/proc/self/stat')) {
      // A process that is stopped has not ended.
      running.kill('SIGSTOP');
      const early = await command.run(['--resume', out]);
      expect(early).toMatchObject({
        code: 2,
        errors: expect.stringMatching(/^Process \d+ still measures .*killed\.jsonl\./),
      });
    }
    running.kill('SIGKILL');
    expect((await running.ended).code).toBe(null);
    const had = await countLines(journal, '"request"');
    expect(await readPoints(out)).toEqual([{ level: 2, requests: 60, cut: undefined }]);
    // A process that dies in the middle of a write leaves half a line.
    await appendFile(journal, '{"request":{"sent_s":0.1,"inp');
    await appendFile(out, '{"schema":"inferboard/v1","resu');

    const { code, output, errors } = await command.run(['--resume', out]);
    expect([code, errors]).toEqual([0, expect.stringContaining('1 of 2 points are already measured.')]);
    expect(output).toMatch(/4 concurrent +60 +0/);
    expect(output).not.toContain('2 concurrent');
    expect(await readPoints(out)).toEqual([
      { level: 2, requests: 60, cut: undefined },
      { level: 4, requests: 60, cut: undefined },
    ]);
    expect(await readPoints(`${out}.partial.jsonl`)).toEqual([{ level: 4, requests: had, cut: 'stopped' }]);
    expect(existsSync(journal)).toBe(false);
  });

  test('after the line of a point and before its journal entry does not measure it twice', async () => {
    const out = join(command.folder, 'noted.jsonl');
    const { url } = await command.serve({ itlMs: 5 });
    const running = command.start(['--url', url, ...small, ...points, '--out', out]);
    await expect.poll(() => countLines(`${out}.journal`, '"line"'), { timeout: 60_000 }).toBe(1);
    running.kill('SIGKILL');
    await running.ended;
    // Simulates a kill before the journal entry: the journal still lists the point as current.
    const entries = (await readFile(`${out}.journal`, 'utf8')).split('\n');
    const [session = '', line = ''] = entries;
    const point = { point: JSON.parse(line).line, report: { results: [{}] } };
    await writeFile(`${out}.journal`, `${session}\n${JSON.stringify(point)}\n{"request":{}}\n`);
    const { errors } = await command.run(['--resume', out]);
    expect(errors).toContain('1 of 2 points are already measured.');
    expect((await readPoints(out)).map(({ level }) => level)).toEqual([2, 4]);
  });
});

describe('a killed process that cannot be resumed', () => {
  const find = ['--find', 'ttft_p99<60000', '--requests', '40'];
  const until = ['--until', 'ci=0.0001%', '--concurrency', '2', '--requests', '40'];

  const against = ['--against', '', '--repetitions', '5', '--concurrency', '2', '--requests', '40'];
  const modes: [mode: string, options: string[]][] = [
    ['--against', against],
    ['--find', find],
    ['--until', until],
  ];
  test.each(modes.slice(0, isFresh ? modes.length : 1))(
    'leaves the requests of the unfinished point of %s in another file',
    async (mode, more) => {
      const out = join(command.folder, `killed${mode}.jsonl`);
      const journal = `${out}.journal`;
      const { url } = await command.serve({ itlMs: 20 });
      const options = more.map((word) => (word === '' ? url : word));
      const running = command.start(['--url', url, ...small, ...options, '--out', out]);
      await expect.poll(() => countLines(journal, '"line"'), { timeout: 60_000 }).toBeGreaterThan(0);
      await expect.poll(() => countLines(journal, '"request"'), { timeout: 60_000 }).toBeGreaterThan(3);
      running.kill('SIGKILL');
      expect((await running.ended).code).toBe(null);
      const [had, finished] = [await countLines(journal, '"request"'), await readPoints(out)];
      expect(finished.length).toBeGreaterThan(0);
      await appendFile(out, '{"schema":"inferboard/v1","resu');

      const { code, errors } = await command.run(['--resume', out]);
      expect([code, errors]).toEqual([2, expect.stringContaining(`To submit them: inferboard submit ${out}`)]);
      expect(errors).toContain(`The ${had} requests of the unfinished point are kept in ${out}.partial.jsonl.`);
      expect(await readPoints(out)).toEqual(finished);
      expect(await readPoints(`${out}.partial.jsonl`)).toMatchObject([{ requests: had, cut: 'stopped' }]);
      expect(existsSync(journal)).toBe(false);
    },
  );

  test('keeps the requests of its first point from another measurement with the same file', async () => {
    const out = join(command.folder, 'first.jsonl');
    const { url } = await command.serve({ itlMs: 20 });
    const args = ['--url', url, ...small, '--concurrency', '2', '--requests', '200', '--out', out];
    const running = command.start(args);
    await expect.poll(() => countLines(`${out}.journal`, '"request"'), { timeout: 60_000 }).toBeGreaterThan(3);
    running.kill('SIGKILL');
    await running.ended;
    const had = await countLines(`${out}.journal`, '"request"');
    const again = await command.run(args);
    expect([again.code, again.errors]).toEqual([2, expect.stringContaining(`continue it with --resume ${out}`)]);
    expect(await countLines(`${out}.journal`, '"request"')).toBe(had);
  });
});

test('Ctrl-C keeps the partial point, and --resume measures it again', async () => {
  const out = join(command.folder, 'canceled.jsonl');
  const server = await command.serve({ itlMs: 5 });
  const args = ['--url', server.url, '--model', 'fake-model', ...small, '--concurrency', '2', '--requests', '80'];
  const bodies = join(command.folder, 'canceled-bodies.jsonl');
  const running = command.start([...args, '--out', out, '--save-bodies', bodies]);
  await expect.poll(() => server.answers.length, { timeout: 60_000 }).toBeGreaterThan(30);
  running.kill('SIGINT');
  const { code, errors } = await running.ended;
  expect(code).toBe(130);
  expect(errors).toContain(`To measure the rest: inferboard measure --resume ${out}`);
  const [partial] = await readPoints(out);
  expect(partial).toMatchObject({ level: 2, cut: 'canceled' });
  const saved = await readFile(bodies, 'utf8');
  expect((await command.run(['--resume', out])).code).toBe(0);
  // The bodies of the first part are kept, and those of the second follow.
  const all = await readFile(bodies, 'utf8');
  expect(all.startsWith(saved)).toBe(true);
  expect(all.trim().split('\n')).toHaveLength(160);
  expect(await readPoints(out)).toEqual([{ level: 2, requests: 80, cut: undefined }]);
  expect(await readPoints(`${out}.partial.jsonl`)).toEqual([partial]);
});

test('the journal has no header values, and --resume requires them again', async () => {
  const out = join(command.folder, 'headers.jsonl');
  const server = await command.serve({ itlMs: 5, apiKey: 'sk-of-the-team' });
  const header = ['--header', 'Authorization: Bearer sk-of-the-team'];
  const more = ['--turns', '2', '--workers', '2', '--concurrency', '2', '--requests', '40'];
  const running = command.start(['--url', server.url, ...header, ...small, ...more, '--out', out]);
  await expect.poll(() => countLines(`${out}.journal`, '"request"'), { timeout: 60_000 }).toBeGreaterThan(3);
  running.kill('SIGKILL');
  await running.ended;
  const journal = await readFile(`${out}.journal`, 'utf8');
  expect(journal).not.toContain('sk-of-the-team');
  // The journal contains the reported traffic.
  expect(journal).toContain('"scenario":{"dataset":"turns-2-64-to-16","output_tokens":16}');
  expect(journal).toContain('"conversation":1,"turn":1');
  const without = await command.run(['--resume', out]);
  expect([without.code, without.errors]).toEqual([
    2,
    "The values of headers are not stored. Give them again: --header 'authorization: VALUE'\n",
  ]);
  const again = await command.run(['--resume', out, ...header]);
  expect(again.code, again.errors).toBe(0);
  expect(await readPoints(out)).toEqual([{ level: 2, requests: 80, cut: undefined }]);
});

test('records go to a new file by default, and never overwrite earlier records', async () => {
  const { url } = await command.serve();
  const args = ['--url', url, ...small, '--requests', '4'];
  const { errors } = await command.run(args);
  const [, file = ''] = /records: (inferboard-\d{8}T\d{9}\.jsonl)/.exec(errors) ?? [];
  expect(await readPoints(join(command.folder, file))).toHaveLength(1);
  expect(errors).toMatch(
    /\nTo submit the records: inferboard submit inferboard-\S+\.jsonl --gpu GPU --quantization QUANTIZATION\n$/,
  );
  const again = await command.run([...args, '--out', file]);
  expect([again.code, again.errors]).toEqual([2, expect.stringContaining(`${file} has records already.`)]);
  const complete = await command.run(['--resume', file]);
  expect([complete.code, complete.errors]).toEqual([2, expect.stringContaining('the measurement is complete')]);
});

test('--resume reports a file that is missing or not of a measurement', async () => {
  const missing = await command.run(['--resume', 'nofile.jsonl']);
  expect([missing.code, missing.errors]).toEqual([2, 'There is no file nofile.jsonl.\n']);
  await writeFile(join(command.folder, 'notes.txt'), 'notes');
  const other = await command.run(['--resume', 'notes.txt']);
  expect([other.code, other.errors]).toEqual([2, 'notes.txt is not a file of records of a measurement.\n']);
});

describe('a full disk', () => {
  const disk = () => join(command.folder, 'disk');
  let isMounted = false;
  beforeAll(async () => {
    await mkdir(disk());
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk()], { stdio: 'ignore' });
      isMounted = true;
    } catch {
      // Only root may mount.
    }
  });
  afterAll(() => {
    if (isMounted) execFileSync('umount', [disk()]);
  });

  test('ends the measurement with a message, and keeps the written records', async ({ skip }) => {
    if (!isMounted) skip();
    const out = join(disk(), 'records.jsonl');
    const { url } = await command.serve({ itlMs: 2 });
    const args = ['--url', url, ...small.with(3, '200'), '--concurrency', '4,8', '--requests', '24'];
    const { code, output, errors } = await command.run([...args, '--out', out]);
    expect([code, errors]).toEqual([2, expect.stringContaining('the disk is full. Stopped.')]);
    expect(output).toMatch(/4 concurrent +24 +0/);
    expect((await readPoints(out))[0]).toEqual({ level: 4, requests: 24, cut: undefined });
    // Every request that was written can be read.
    const entries = (await readFile(`${out}.journal`, 'utf8')).trim().split('\n');
    for (const entry of entries) expect(() => JSON.parse(entry)).not.toThrow();
    expect(errors).not.toContain('    at ');
  });

  test('is reported if the records go to a device', async ({ skip }) => {
    if (!existsSync('/dev/full')) skip();
    const { url } = await command.serve();
    const { code, errors } = await command.run(['--url', url, ...small, '--requests', '4', '--out', '/dev/full']);
    expect([code, errors]).toEqual([2, expect.stringContaining('/dev/full: the disk is full. Stopped.')]);
  });
});

describe('the service', () => {
  let service: TestServer;
  let key: string;
  const facts = ['--gpu', 'h100-sxm', '--quantization', 'bf16', '--engine', 'vllm', '--model', 'Qwen/Qwen3-8B'];
  beforeAll(async () => {
    service = await startTestServer({ SAMPLE_DATA: 'false', ROLES: 'api' });
    key = await createAccount(service.url, 'recorder');
  });
  afterAll(() => service.dispose());

  const args = (url: string, out: string, submit: string) => [
    ...['--url', url, ...small, ...facts, '--requests', '8', '--submit', submit],
    ...['--out', join(command.folder, out)],
  ];

  test.each<[string, (server: TestServer) => Record<string, string>, string[], RegExp]>([
    ['an unknown key', () => ({ INFERBOARD_KEY: `ib_${'x'.repeat(40)}` }), [], /returned 401/],
    ['facts that it rejects', () => ({ INFERBOARD_KEY: key }), ['--engine-version', 'v'.repeat(300)], /returned 4\d\d/],
  ])('receives a request about %s before the server does', async (_what, env, more, message) => {
    const server = await command.serve();
    const { code, errors } = await command.run(
      [...args(server.url, 'asked.jsonl', service.url), ...more],
      env(service),
    );
    expect([code, errors]).toEqual([2, expect.stringMatching(message)]);
    expect(server.answers).toHaveLength(0);
    expect(existsSync(join(command.folder, 'asked.jsonl'))).toBe(false);
  });

  test('names the options of missing facts', async () => {
    const unstated = ['--requests', '8', '--submit', service.url, '--out', join(command.folder, 'unstated.jsonl')];
    const { url } = await command.serve();
    const { code, errors } = await command.run(['--url', url, ...small, ...unstated], { INFERBOARD_KEY: key });
    expect([code, errors]).toEqual([2, expect.stringContaining('State the gpu, for example --gpu h100-sxm.')]);
    expect(errors).not.toMatch(/gpu=|quantization=/);
  });

  test('receives the records later if it is unavailable when the measurement ends', async () => {
    const server = await command.serve({ itlMs: 10 });
    const gone = await startTestServer({ SAMPLE_DATA: 'false', ROLES: 'api' });
    const goneKey = await createAccount(gone.url, 'recorder');
    const running = command.start(args(server.url, 'later.jsonl', gone.url), { INFERBOARD_KEY: goneKey });
    // The service responds at the start and stops during the measurement.
    await expect.poll(() => running.errors, { timeout: 60_000 }).toContain('records: ');
    await gone.dispose();
    const { code, errors } = await running.ended;
    const out = join(command.folder, 'later.jsonl');
    expect([code, errors]).toEqual([
      3,
      expect.stringContaining(`To submit them later: inferboard measure --resume ${out}`),
    ]);
    expect(await readPoints(out)).toHaveLength(1);
    await server.close();
    const later = await command.run(['--resume', out, '--submit', service.url], { INFERBOARD_KEY: key });
    expect([later.code, later.output]).toEqual([0, expect.stringMatching(/submitted: \S*sub_[0-9a-f]+/)]);
  });
});
