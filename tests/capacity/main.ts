// Searches the capacity of fake servers whose capacity is known, and of llama.cpp's server twice:
//   npm run check:capacity -- [--seeds 20] [--from 1] [--only users|rate] [--parallel 1] [--llama PATH/llama-server]
// One search takes about five minutes and keeps a core busy with its timer. Run as many at the same time as half the cores.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type LlamaServer, startLlamaServer } from '../llama-cpp/server.ts';
import { runMeasure, startFake } from './processes.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    from: { type: 'string', default: '1' },
    only: { type: 'string' },
    parallel: { type: 'string', default: '1' },
    llama: { type: 'string' },
  },
});
const errorMax = 0.03;
const pointsMax = 12;
const repeatMax = 0.05;
const tokens = 12;
const prompt = ['--input-tokens', '16', '--output-tokens', String(tokens), '--warmup', '0'];

/** For the records of the searches. */
const folder = await mkdtemp(join(tmpdir(), 'inferboard-capacity-'));

/** The last line of a search, and the load and the points in it. */
async function find(url: string, limits: string, seed: number, more: readonly string[] = []) {
  const args = ['--url', url, ...prompt, '--find', limits, '--seed', String(seed), ...more];
  const line = (await runMeasure(folder, args)).trim().split('\n').at(-1) ?? '';
  const level = Number(/^Capacity under [^:]*: (?:(?:probably )?at least |about )?([\d.]+) /.exec(line)?.[1]);
  return { line, level, points: Number(/([\d]+) points, /.exec(line)?.[1]) };
}

let broken = 0;

/** Compares the result of a search with the known capacity. */
function judge(what: string, known: number, { line, level, points }: Awaited<ReturnType<typeof find>>): void {
  const error = level / known - 1;
  const isRight = Math.abs(error) <= errorMax && points <= pointsMax;
  broken += isRight ? 0 : 1;
  const result = `${Number(known.toPrecision(4))}, found ${level} (${(100 * error).toFixed(1)} %) in ${points} points`;
  console.log(`${isRight ? 'ok  ' : 'MISS'} ${what}: ${result}`);
  console.log(`     ${line}`);
}

/** TPOT grows with the users: 40 ms at one, 60 ms at the capacity. */
async function checkUsers(seed: number): Promise<void> {
  const users = 36 + 4 * seed;
  const fake = await startFake({ ttftMs: 20, itlMs: 40, slowdown: 0.5 / (users - 1), slots: 0, prefillMs: 0 });
  judge(`seed ${seed}, users under TPOT`, users, await find(fake.url, 'tpot_mean<60', seed));
  fake.close();
}

/** Fewer requests end before overload shows. */
const rateRequests = 2000;

/** Slots are limited: above the capacity, requests queue before the first token. */
async function checkRate(seed: number): Promise<void> {
  const [ttftMs, itlMs, slots] = [50, 10, 8 + seed];
  const fake = await startFake({ ttftMs, itlMs, slowdown: 0, slots, prefillMs: 0 });
  const known = (1000 * slots) / (ttftMs + (tokens - 1) * itlMs);
  const more = ['--rate', String(slots), '--requests', String(rateRequests)];
  judge(`seed ${seed}, rate under TTFT p99`, known, await find(fake.url, 'ttft_p99<2000', seed, more));
  fake.close();
}

const searches = Array.from({ length: Number(values.seeds) }, (_, index) => index + Number(values.from)).flatMap(
  (seed) => [
    ...(values.only === 'rate' ? [] : [() => checkUsers(seed)]),
    ...(values.only === 'users' ? [] : [() => checkRate(seed)]),
  ],
);
const runNext = async (): Promise<void> => {
  for (let search = searches.shift(); search !== undefined; search = searches.shift()) await search();
};
await Promise.all(Array.from({ length: Number(values.parallel) }, runNext));
if (values.llama !== undefined) {
  const server: LlamaServer = await startLlamaServer(values.llama, join(folder, 'tiny.gguf'), 4);
  try {
    const url = `http://127.0.0.1:${server.port}`;
    // Its tokens are bytes. Under this limit the capacity is some forty users: one user more is 2.5 %.
    const more = ['--engine', 'llama.cpp', '--model', 'tiny', '--input-tokens', '128'];
    const found = [await find(url, 'e2e_p50<2000', 1, more), await find(url, 'e2e_p50<2000', 2, more)];
    const [first, second] = found.map(({ level }) => level);
    const difference = Math.abs((first ?? 0) / (second ?? Number.NaN) - 1);
    const isRight = difference <= repeatMax;
    broken += isRight ? 0 : 1;
    for (const { line } of found) console.log(`     ${line}`);
    console.log(`${isRight ? 'ok  ' : 'MISS'} llama.cpp: repeats within ${(100 * difference).toFixed(1)} %`);
  } finally {
    await server.close();
  }
}
await rm(folder, { recursive: true });
console.log(`${broken} missed`);
process.exitCode = broken === 0 ? 0 : 1;
