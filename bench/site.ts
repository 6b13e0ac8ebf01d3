// Compares pages of the site with their API requests, on a large database, by HTTP from another process:
// npm run bench:site -- --dir DIR [--seconds 12] [--most 3]. The database must be from bench:generate.
// Exits with 1 if a page takes more than `--most` times the duration of its requests.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { randomOf } from './scale/chance.ts';
import { askWaves, type Client, callsOf, createClient } from './site/client.ts';
import { describeMachine } from './support.ts';

const { values } = parseArgs({
  options: {
    dir: { type: 'string' },
    seconds: { type: 'string', default: '12' },
    most: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
});
const seconds = Number(values.seconds);
const most = Number(values.most);
/** Number of pages of a kind that are requested in turn. */
const variants = 24;

interface Serving {
  url: string;
  results: number;
  points: number;
  systems: string[];
  stop(): Promise<void>;
}

async function serve(dir: string): Promise<Serving> {
  const script = fileURLToPath(new URL('site/serve.ts', import.meta.url));
  const child: ChildProcess & { stdout: NodeJS.ReadableStream } = spawn(process.execPath, [script, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  };
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{')) return { ...(JSON.parse(line) as Omit<Serving, 'stop'>), stop };
  }
  throw new Error('the service ended before it was ready');
}

const at = (times: readonly number[], p: number) =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * p)] ?? Number.NaN;

interface Speed {
  p50: number;
  p99: number;
  perSecond: number;
  count: number;
}

const speedOf = (times: readonly number[], tookMs: number): Speed => ({
  p50: at(times, 0.5),
  p99: at(times, 0.99),
  perSecond: (times.length / tookMs) * 1000,
  count: times.length,
});

/** Requests with a given concurrency and duration; times in milliseconds. */
async function press(one: (turn: number) => Promise<unknown>, concurrency: number, ms: number, times: number[]) {
  const start = performance.now();
  let turn = 0;
  const worker = async () => {
    while (performance.now() - start < ms) {
      const begun = performance.now();
      turn += 1;
      await one(turn);
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return performance.now() - start;
}

/** Measurement slices, alternating between page and API requests, so that other work on the machine affects both. */
const slices = 4;

interface Kind {
  name: string;
  paths: string[];
}

const ms = (value: number) => `${value.toFixed(1)} ms`;
const print = (name: string, { p50, p99, perSecond, count }: Speed) =>
  console.log(
    `    ${name.padEnd(16)}p50 ${ms(p50).padStart(9)}  p99 ${ms(p99).padStart(9)}  ${perSecond.toFixed(1).padStart(7)} /s  of ${count}`,
  );

function judge(what: string, ratio: number): boolean {
  const isHeld = ratio <= most;
  console.log(`    ${(isHeld ? 'held' : 'NOT held').padEnd(9)}${what.padEnd(34)}${ratio.toFixed(2)}  at most ${most}`);
  return isHeld;
}

async function measure(url: string, { name, paths }: Kind): Promise<boolean> {
  const first = createClient(url, 1);
  const calls = new Map<string, string[][]>();
  let bytes = 0;
  for (const path of paths) {
    const answer = await first.ask(path);
    bytes = Math.max(bytes, answer.bytes);
    calls.set(path, callsOf(answer));
  }
  first.close();
  console.log(
    `${name}: ${paths.length} address${paths.length === 1 ? '' : 'es'}, ${(bytes / 1024).toFixed(1)} KiB at most; the first asks`,
  );
  for (const [place, wave] of (calls.get(paths[0] ?? '') ?? []).entries())
    console.log(`    ${place + 1}. ${wave.join(' ')}`);
  const pathOf = (turn: number) => paths[turn % paths.length] ?? '/';
  let held = true;
  for (const concurrency of [1, 4]) {
    const pages = createClient(url, concurrency);
    // The concurrent requests of a page need separate connections.
    const api = createClient(url, concurrency * 8);
    const page = (turn: number) => pages.ask(pathOf(turn));
    const questions = (turn: number) => askWaves(api, calls.get(pathOf(turn)) ?? []);
    for (const warm of [page, questions]) await press(warm, concurrency, 500, []);
    const times: { page: number[]; api: number[] } = { page: [], api: [] };
    const took = { page: 0, api: 0 };
    for (let slice = 0; slice < slices; slice += 1) {
      took.page += await press(page, concurrency, (seconds * 500) / slices, times.page);
      took.api += await press(questions, concurrency, (seconds * 500) / slices, times.api);
    }
    for (const client of [pages, api] satisfies Client[]) client.close();
    const [shown, asked] = [speedOf(times.page, took.page), speedOf(times.api, took.api)];
    console.log(`  ${concurrency} at a time`);
    print('pages', shown);
    print('their questions', asked);
    held = judge('p99, page over questions', shown.p99 / asked.p99) && held;
    held = judge('rate, questions over page', asked.perSecond / shown.perSecond) && held;
  }
  return held;
}

if (values.dir === undefined) throw new Error('--dir DIR: a directory that npm run bench:generate wrote');
const serving = await serve(values.dir);
try {
  describeMachine();
  console.log(`${serving.results} results, ${serving.points} points`);
  const random = randomOf(11, 1);
  const filters = Array.from({ length: variants }, () => {
    const gpu = random.pick(['h100', 'a100', 'h200-sxm', 'rtx-4090', 'l40s', 'mi300x'] as const);
    return `/?rank_by=output_tok_s&gpu=${gpu}&max_itl_ms=${random.whole(8, 60)}&max_ttft_ms=${random.whole(100, 3000)}`;
  });
  const kinds: Kind[] = [
    { name: 'the board, /', paths: ['/'] },
    { name: 'the board, by throughput', paths: ['/?rank_by=output_tok_s'] },
    { name: 'the board, filtered', paths: filters },
    { name: 'a report', paths: serving.systems.slice(0, variants).map((id) => `/systems/${id}`) },
  ];
  let held = true;
  for (const kind of kinds.filter(({ name }) => name.includes(values.only))) {
    held = (await measure(serving.url, kind)) && held;
  }
  if (!held) process.exitCode = 1;
} finally {
  await serving.stop();
}
