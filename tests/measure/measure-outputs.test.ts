import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readArtifact } from '../../packages/core/src/adapters/index.ts';
import { createMeasureCommand, type MeasureCommand, measureWords } from '../support/measure-command.ts';
import { launchBrowser } from '../support/site/browser.ts';

let command: MeasureCommand;
beforeAll(async () => {
  command = await createMeasureCommand();
});
afterAll(() => command.dispose());

const small = ['--input-tokens', '64', '--output-tokens', '16', '--seed', '7', '--warmup', '0'];

test('--json prints one document instead of the tables', async () => {
  const { url } = await command.serve({ fault: { kind: 'status_500', every: 9, at: 0 } });
  const out = join(command.folder, 'json.jsonl');
  // The identifier of this shape is 130-64.
  const lengths = ['--input-tokens', '128', '--output-tokens', '64', '--seed', '7', '--warmup', '0'];
  const args = ['--url', url, ...lengths, '--concurrency', '2,4', '--requests', '40', '--out', out, '--json'];
  const { code, output, errors } = await command.run(args);
  expect([code, errors]).toEqual([0, expect.stringContaining('records: ')]);
  const { points, ...rest } = JSON.parse(output);
  expect(rest).toEqual({ records: out, seed: 7, exit_code: 0, skipped: [], conclusions: [], submissions: [] });
  const { results } = readArtifact(await readFile(out));
  expect(points).toHaveLength(2);
  for (const [at, { scenario, load, ok, failed, outcomes, ttft_ms, itl_ms, doubts }] of points.entries()) {
    expect(scenario).toBe('128-64');
    expect(load).toMatchObject({ mode: 'concurrency', level: [2, 4][at] });
    expect(ok + failed).toBe(results[at]?.requests?.length);
    expect(outcomes).toEqual({ ok, http_5xx: failed });
    // 40 requests with some failures: enough for p90 and not for p95.
    expect(Object.keys(ttft_ms)).toEqual(['n', 'mean', 'p50', 'p90']);
    expect(Object.keys(itl_ms)).toEqual(['n', 'mean', 'p50', 'p90', 'p95', 'p99']);
    expect(doubts).toContainEqual(expect.stringContaining('requests are not ok'));
  }
});

test('the records state notes and retries, which are remarks on the result', async () => {
  const { url } = await command.serve({ refuses: 'temperature', tokensPerChunk: 4 });
  const out = join(command.folder, 'notes.jsonl');
  const { code, errors } = await command.run(['--url', url, ...small, '--requests', '6', '--out', out]);
  expect([code, errors]).toEqual([0, expect.stringContaining('records: ')]);
  const [result] = readArtifact(await readFile(out)).results;
  expect(result?.extra.generator_retried).toBe(0);
  const messages = result?.notes.map(({ code, message }) => `${code} ${message}`);
  expect(messages).toContain(
    'generator_note Note of the load generator: the server rejects temperature: it is omitted, and responses may be random.',
  );
  expect(messages?.join()).toMatch(
    /Note of the load generator: a token is 0\.\d\d chunks: ITL is the gap between chunks\./,
  );
});

// The service stores results of the fake server as simulated, so this service is one response.
test('states why a stored submission is quarantined', async () => {
  const findings = [
    { code: 'model_unknown', severity: 'warning', message: 'The model "m" is not in the catalogue.' },
    { code: 'beyond_frontier', severity: 'warning', message: 'It is 3 times the best known.' },
    { code: 'load_not_held', severity: 'warning', message: 'Only 2 of 8 users had a request in flight.' },
    { code: 'decode_speed', severity: 'not_checked', message: 'Not checked.' },
  ];
  const links = { page: 'http://127.0.0.1/submissions/sub_1' };
  const service = createServer((_, res) => {
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ status: 'quarantined', results: [{ findings }, { findings }], links }));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  try {
    const submit = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const { url } = await command.serve({});
    const out = join(command.folder, 'held.jsonl');
    const args = ['--url', url, ...small, '--requests', '4', '--out', out, '--submit', submit];
    const { code, output, errors } = await command.run(args, { INFERBOARD_KEY: `ib_${'a'.repeat(43)}` });
    expect([code, output]).toEqual([0, expect.stringContaining('submitted: http://127.0.0.1/submissions/sub_1')]);
    const [, held] = errors.split('Quarantined until an admin reviews it. ');
    expect(held).toBe('The model "m" is not in the catalogue. It is 3 times the best known.\n');
  } finally {
    service.close();
  }
});

describe('a measurement', () => {
  const file = (name: string) => join(command.folder, name);
  const run = async () => {
    const { url } = await command.serve({ fault: { kind: 'status_500', every: 9, at: 0 } });
    const args = ['--url', url, ...small, '--concurrency', '2,4', '--requests', '40', '--gpu', 'h100-sxm'];
    const files = ['--out', file('a.jsonl'), '--records', file('a.csv'), '--report', file('a.html')];
    return command.run([...args, ...files]);
  };
  let output: string;
  beforeAll(async () => {
    const ended = await run();
    expect([ended.code, ended.errors]).toEqual([0, expect.stringContaining('records: ')]);
    output = ended.output;
  });

  test('writes every request as a CSV row', async () => {
    const rows = (await readFile(file('a.csv'), 'utf8')).split('\r\n');
    const { results } = readArtifact(await readFile(file('a.jsonl')));
    expect(rows).toHaveLength(82);
    const names = rows[0]?.split(',') ?? [];
    const cells = rows.slice(1, -1).map((row) => row.split(','));
    const column = (name: string) => cells.map((row) => row[names.indexOf(name)]);
    const requests = results.flatMap((result) => result.requests ?? []);
    expect(column('ttft_ms')).toEqual(requests.map(({ ttftMs }) => (ttftMs === null ? '' : String(ttftMs))));
    expect(column('itl_ms')).toEqual(requests.map(({ gapsMs }) => gapsMs?.join(' ') ?? ''));
    expect(column('load_level')).toEqual([...Array(40).fill('2'), ...Array(40).fill('4')]);
    expect(column('error').filter((error) => error?.startsWith('http_5xx'))).not.toHaveLength(0);
  });

  test('shows only percentiles supported by its samples', () => {
    // 40 requests with some failures: enough for p90 and not for p95; more than 299 gaps.
    expect(output).toMatch(/2 concurrent +3\d +\d +\S+ \/ p90 \S+ +\S+ \/ p99 /);
  });

  test('writes a report as one document with the same figures', async () => {
    const html = await readFile(file('a.html'), 'utf8');
    expect(html).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)|url\(/);
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage({ viewport: { width: 1100, height: 800 } });
      const outside: string[] = [];
      page.on('request', (request) => outside.push(request.url()));
      await page.goto(`file://${file('a.html')}`);
      expect(outside).toEqual([`file://${file('a.html')}`]);
      expect(await page.locator('tbody tr').count()).toBe(2);
      const first = page.locator('tbody tr').first();
      const { results } = readArtifact(await readFile(file('a.jsonl')));
      const ok = results[0]?.requests?.filter(({ error }) => error === null).length;
      expect(await first.locator('td').nth(0).textContent()).toBe(String(ok));
      const headings = await page.locator('thead th').allTextContents();
      // There are too few requests for a p99 of TTFT at any load. There are enough gaps for one of ITL.
      expect(headings).not.toContain('TTFT p99ms');
      expect(headings).toContain('ITL p99ms');
      // Two charts for all points, three for each point. Rates are known despite failed requests.
      expect(await page.locator('svg').count()).toBe(8);
      expect(
        await first
          .locator('td')
          .nth(headings.indexOf('outputtok/s') - 1)
          .textContent(),
      ).toMatch(/^\d/);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(20, 23, 26)');
      const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(width).toBe(0);
      await page.setViewportSize({ width: 360, height: 700 });
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    } finally {
      await browser.close();
    }
  });
});

describe('a file that cannot be written', () => {
  test.each([['--records'], ['--report'], ['--save-bodies']])('of %s is reported before a request', async (option) => {
    const server = await command.serve();
    const args = ['--url', server.url, ...small, '--requests', '4', '--out', join(command.folder, 'none.jsonl')];
    const missing = join(command.folder, 'nodir', 'file');
    const { code, errors } = await command.run([...args, option, missing]);
    expect([code, errors]).toEqual([2, `${option}: ${missing}: the folder does not exist.\n`]);
    const folder = await command.run([...args, option, command.folder]);
    expect([folder.code, folder.errors]).toEqual([2, `${option}: ${command.folder}: it is a folder.\n`]);
    const earlier = join(command.folder, 'earlier.txt');
    await writeFile(earlier, 'a table');
    const { code: again, errors: refused } = await command.run([...args, option, earlier]);
    expect([again, refused]).toEqual([2, `${option}: ${earlier} exists already. Name another file, or delete it.\n`]);
    expect(await readFile(earlier, 'utf8')).toBe('a table');
    expect(server.answers).toHaveLength(0);
  });

  test('of --out is reported before a request', async () => {
    const server = await command.serve();
    const run = (out: string) => command.run(['--url', server.url, ...small, '--requests', '4', '--out', out]);
    const missing = join(command.folder, 'nodir', 'file');
    expect((await run(missing)).errors).toBe(`--out: ${missing}: the folder does not exist.\n`);
    const earlier = join(command.folder, 'earlier.jsonl');
    await writeFile(earlier, '{}\n');
    expect((await run(earlier)).errors).toBe(
      `--out: ${earlier} has records already. Name another file, or continue it with --resume ${earlier}.\n`,
    );
    expect(server.answers).toHaveLength(0);
  });

  test('is reported if two options name it', async () => {
    const file = join(command.folder, 'same');
    const args = ['--url', 'http://127.0.0.1:9', '--records', file, '--report', file];
    const { code, errors } = await command.run(args);
    expect([code, errors]).toEqual([2, '--report and --records name the same file. Name another file.\n']);
  });

  test('at the end sets the exit code', async () => {
    const server = await command.serve({ itlMs: 5 });
    const [folder, out] = [join(command.folder, 'removed'), join(command.folder, 'written.jsonl')];
    await mkdir(folder);
    const args = ['--url', server.url, ...small, '--requests', '20', '--out', out];
    const running = command.start([...args, '--report', join(folder, 'r.html')]);
    await expect.poll(() => running.errors, { timeout: 60_000 }).toContain('records: ');
    await rm(folder, { recursive: true });
    const { code, errors } = await running.ended;
    expect([code, errors]).toEqual([1, expect.stringContaining('r.html: the folder does not exist.')]);
    expect(readArtifact(await readFile(out)).results[0]?.requests).toHaveLength(20);
  });

  test('may be a file of the measurement that is resumed', async () => {
    const server = await command.serve({ itlMs: 5 });
    const [out, csv] = [join(command.folder, 'again.jsonl'), join(command.folder, 'again.csv')];
    const args = ['--url', server.url, ...small, '--concurrency', '2', '--requests', '60', '--out', out];
    const running = command.start([...args, '--records', csv]);
    await expect.poll(() => server.answers.length, { timeout: 60_000 }).toBeGreaterThan(20);
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    const { code, errors } = await command.run(['--resume', out]);
    expect(code, errors).toBe(0);
    expect((await readFile(csv, 'utf8')).trim().split('\r\n')).toHaveLength(61);
  });
});

test('weights that do not exist are reported', async () => {
  const { url } = await command.serve();
  const { code, errors } = await command.run(['--url', url, ...small, '--weights', 'nofile.gguf']);
  expect([code, errors]).toEqual([2, 'nofile.gguf: the file does not exist.\n']);
});

describe('progress', () => {
  const hasTerminals = existsSync('/usr/bin/script');

  /** Runs the command in a pseudo-terminal and returns its output. */
  async function atTerminal(env: Record<string, string>): Promise<string> {
    const { url } = await command.serve({ itlMs: 5 });
    const args = ['--url', url, ...small, '--concurrency', '2', '--requests', '40'];
    const line = [...measureWords, ...args].map((word) => `'${word}'`).join(' ');
    const child = spawn('/usr/bin/script', ['-qec', `stty cols 80; ${line}`, '/dev/null'], {
      cwd: command.folder,
      env: { PATH: process.env.PATH ?? '', TERM: 'xterm', ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    child.stdout.on('data', (bytes: Buffer) => {
      text += bytes.toString();
    });
    await new Promise((resolve) => child.once('close', resolve));
    return text;
  }

  test.runIf(hasTerminals)('is redrawn in place on a terminal, and removed at the end', async () => {
    const text = await atTerminal({});
    expect(text).toContain('\x1b[32m');
    const plain = stripVTControlCharacters(text);
    expect(plain).toMatch(/Point 1 of 1: 64-16, 2 concurrent/);
    expect(plain).toMatch(/\[#+\.+\] \d+ of 40 requests, 2 in flight/);
    expect(plain).toMatch(/TTFT p50 \S+ ms/);
    // The progress display is removed before the table.
    const last = text.lastIndexOf('\x1b[J');
    expect(text.slice(last)).not.toContain('in flight');
    expect(text.slice(last)).toContain('TTFT p50 / tail ms');
  });

  test.runIf(hasTerminals)('has no colours with NO_COLOR, and is not redrawn on a dumb terminal', async () => {
    const plain = await atTerminal({ NO_COLOR: '1' });
    expect(plain).toContain('in flight');
    expect(plain).not.toMatch(new RegExp(`${String.fromCharCode(27)}\\[\\d+m`));
    expect(await atTerminal({ TERM: 'dumb' })).not.toContain(String.fromCharCode(27));
  });
});

test('continues if nobody reads its output any more', async () => {
  const server = await command.serve({ itlMs: 5 });
  const out = join(command.folder, 'unread.jsonl');
  const args = ['--url', server.url, ...small, '--concurrency', '2', '--requests', '60', '--out', out];
  const running = command.start(args);
  await expect.poll(() => server.answers.length, { timeout: 60_000 }).toBeGreaterThan(8);
  running.closeOutput();
  expect((await running.ended).code).toBe(0);
  expect(readArtifact(await readFile(out)).results[0]?.requests).toHaveLength(60);
  expect(existsSync(`${out}.journal`)).toBe(false);
});

test.runIf(existsSync('/dev/full'))('measures every request although its output cannot be written', async () => {
  const { url } = await command.serve();
  const out = join(command.folder, 'unwritten.jsonl');
  const args = ['--url', url, ...small, '--requests', '8', '--out', out];
  const child = spawn('bash', ['-c', 'exec "$0" "$@" > /dev/full 2>&1', ...measureWords, ...args], {
    env: { PATH: process.env.PATH ?? '', LOADGEN_WARM_UP: 'off' },
    stdio: 'ignore',
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code).toBe(2);
  expect(readArtifact(await readFile(out)).results[0]?.requests).toHaveLength(8);
});
