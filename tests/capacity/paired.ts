// Compares two fake servers with `measure --against`, half of the sessions with a known difference and half without:
//   npm run check:paired -- [--seeds 100] [--from 1] [--percent 2] [--parallel 1]
// A session takes about a quarter of a minute.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runMeasure, startFake } from './processes.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    percent: { type: 'string', default: '2' },
    parallel: { type: 'string', default: '1' },
  },
});
const factor = 1 + Number(values.percent) / 100;
/** Shares of the sessions: at least so many find the difference, at most so many report one between equal servers. */
const [foundLeast, wrongMost] = [0.95, 0.05];
const timing = { ttftMs: 50, itlMs: 10, prefillMs: 0, slots: 0 };
const load = ['--concurrency', '8', '--requests', '16', '--input-tokens', '16', '--output-tokens', '16'];

const folder = await mkdtemp(join(tmpdir(), 'inferboard-paired-'));

/** The figures in which a session reports a difference between two servers, such as `TPOT higher`. */
async function compare(seed: number, ratio: number): Promise<string[]> {
  // Each session has its own servers: one that serves several sessions is slower.
  const a = await startFake(timing);
  const b = await startFake({ ...timing, ttftMs: ratio * timing.ttftMs, itlMs: ratio * timing.itlMs });
  try {
    const servers = ['--url', a.url, '--against', b.url, '--against-facts', 'engine-version=b'];
    const out = ['--seed', String(seed), '--warmup', '0', '--out', join(folder, `${seed}-${ratio}.jsonl`)];
    const text = await runMeasure(folder, [...servers, ...load, ...out], { LOADGEN_WARM_UP: 'off' });
    const line = text.trim().split('\n').at(-1) ?? '';
    if (!line.includes(' blocks: ')) throw new Error(`the session has no comparison: ${text.slice(-500)}`);
    return [...line.matchAll(/(TTFT|TPOT|output tok\/s) of B is [\d.]+ % (higher|lower)/gi)].map(
      ([, figure = '', side = '']) => `${figure} ${side}`,
    );
  } finally {
    a.close();
    b.close();
  }
}

const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => index + Number(values.from));
const found: number[] = [];
const wrong: number[] = [];
const sessions = seeds.flatMap((seed) => [
  async () => {
    const differences = await compare(seed, factor);
    if (differences.includes('TPOT higher')) found.push(seed);
    else
      console.log(
        `seed ${seed}, ${values.percent} % slower: TPOT not found; found: ${differences.join(', ') || 'nothing'}`,
      );
  },
  async () => {
    const differences = await compare(seed, 1);
    if (differences.length === 0) return;
    wrong.push(seed);
    console.log(`seed ${seed}, equal: ${differences.join(', ')}`);
  },
]);
const runNext = async (): Promise<void> => {
  for (let session = sessions.shift(); session !== undefined; session = sessions.shift()) await session();
};
try {
  await Promise.all(Array.from({ length: Number(values.parallel) }, runNext));
} finally {
  await rm(folder, { recursive: true });
}
const [isFound, isRight] = [found.length >= foundLeast * seeds.length, wrong.length <= wrongMost * seeds.length];
console.log(
  `${isFound ? 'ok  ' : 'MISS'} ${values.percent} % slower: found in ${found.length} of ${seeds.length} sessions`,
);
console.log(`${isRight ? 'ok  ' : 'MISS'} equal: a difference in ${wrong.length} of ${seeds.length} sessions`);
process.exitCode = isFound && isRight ? 0 : 1;
