import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMeasureCommand, type MeasureCommand } from '../support/measure-command.ts';

// Points that the server cannot hold are skipped, and the other points are measured.

let command: MeasureCommand;
beforeAll(async () => {
  command = await createMeasureCommand();
});
afterAll(() => command.dispose());

const small = ['--output-tokens', '16', '--requests', '4', '--warmup', '0', '--seed', '7'];
const tooLong = (tokens: number, context: number) =>
  `The server returned 400: "request (${tokens} tokens) exceeds the available context size (${context} tokens), try increasing it"`;

test('measures the points of a plan that the server can hold, and lists the others', async () => {
  const context = 4200;
  const { url } = await command.serve({ contextTokens: context, ttftMs: 0, itlMs: 0 });
  const out = join(command.folder, 'plan.jsonl');
  const plan = [
    '--plan',
    'inference-report',
    '--repetitions',
    '1',
    '--warmup',
    '0',
    '--seed',
    '7',
    '--max-errors',
    '2',
  ];
  const report = join(command.folder, 'plan.html');
  const { code, output } = await command.run(['--url', url, ...plan, '--json', '--out', out, '--report', report]);
  expect(code).toBe(0);
  const { points, skipped } = JSON.parse(output) as Record<'points' | 'skipped', Record<string, unknown>[]>;
  expect(new Set(points?.map(({ scenario }) => scenario))).toEqual(new Set(['chatbot']));
  expect(points).toHaveLength(15);
  expect(skipped).toHaveLength(45);
  // The prompts of `rag` fit, but not together with its responses.
  expect(skipped?.[0]).toEqual({
    ...{ scenario: 'rag', load: expect.objectContaining({ mode: 'concurrency', level: 1 }), repetition: 1 },
    ...{ status: 400, reason: tooLong(4352, context) },
  });
  expect(skipped?.at(-1)).toMatchObject({ scenario: 'tool-calling', status: 400, reason: tooLong(32769, context) });
  expect((await readFile(out, 'utf8')).trim().split('\n')).toHaveLength(15);
  expect(await readFile(report, 'utf8')).toMatch(
    /<li>Skipped: rag, single request; [^<]*; 10 more points\. The server returned 400: [^<]*<\/li>/,
  );
  // Nothing is left to resume.
  expect(existsSync(`${out}.journal`)).toBe(false);
});

test('exits with 1 if every point is skipped, and keeps no files', async () => {
  const { url } = await command.serve({ contextTokens: 2000 });
  const out = join(command.folder, 'none.jsonl');
  const args = ['--url', url, '--input-tokens', '1990', ...small, '--concurrency', '1,2', '--repetitions', '2'];
  const { code, output, errors } = await command.run([...args, '--out', out]);
  expect(code).toBe(1);
  const names = ['single request', '2 concurrent', 'single request, repetition 2', '2 concurrent, repetition 2'];
  expect(output.trim()).toBe(`Skipped: ${names.map((name) => `1990-16, ${name}`).join('; ')}. ${tooLong(2006, 2000)}.`);
  // The progress states a reason once.
  expect(errors.split(tooLong(2006, 2000))).toHaveLength(2);
  expect(errors).toContain('1990-16, 2 concurrent: skipped.\n');
  expect(errors).toContain('No point was measured: the server cannot hold any of them.');
  expect(existsSync(out)).toBe(false);
  expect(existsSync(`${out}.journal`)).toBe(false);
});

test('skips a point on the server that cannot hold it, and measures it on the other', async () => {
  const [a, b] = [await command.serve(), await command.serve({ contextTokens: 200 })];
  const args = ['--url', a.url, '--against', b.url, '--input-tokens', '400', ...small, '--repetitions', '2'];
  const { code, output } = await command.run([...args, '--out', join(command.folder, 'against.jsonl')]);
  expect(code).toBe(0);
  const [ofA = '', ofB = ''] = output.split('Server B:');
  expect(ofA.match(/^400-16 .* 4 /gm)).toHaveLength(2);
  expect(ofB).not.toMatch(/^400-16 .* 4 /m);
  expect(ofB).toContain(
    `Skipped: B, 400-16, single request; B, 400-16, single request, repetition 2. ${tooLong(416, 200)}.`,
  );
});

test('repeats no skipped point with --until', async () => {
  const { url } = await command.serve({ contextTokens: 2000 });
  const args = ['--url', url, '--input-tokens', '1990', ...small, '--until', 'ci=90%,max=3'];
  const { code, output } = await command.run([...args, '--out', join(command.folder, 'until.jsonl')]);
  expect(code).toBe(1);
  expect(output.trim()).toBe(`Skipped: 1990-16, single request. ${tooLong(2006, 2000)}.`);
});

test('says what to do if the prompts of a search are too long', async () => {
  const { url } = await command.serve({ contextTokens: 1000 });
  const args = ['--url', url, '--input-tokens', '1990', ...small, '--find', 'ttft_p99<2000'];
  const { code, errors } = await command.run([...args, '--out', join(command.folder, 'find.jsonl')]);
  expect(code).toBe(2);
  expect(errors).toContain(`${tooLong(1991, 1000)}. Send shorter prompts, or give the server a larger context.`);
});

test('stops at failures of another kind', async () => {
  const { url } = await command.serve({ fault: { kind: 'status_500', every: 1, at: 0 } });
  const args = ['--url', url, '--input-tokens', '64', ...small, '--concurrency', '1,2', '--max-errors', '2'];
  const { code, output } = await command.run([...args, '--out', join(command.folder, 'stops.jsonl')]);
  expect(code).toBe(2);
  expect(output).not.toContain('Skipped: ');
});
